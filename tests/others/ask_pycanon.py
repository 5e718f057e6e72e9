"""The anonymity of tables by pycanon: a list of tables in question.json, a list of answers out."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pandas as pd
from pycanon import anonymity


def answers(table):
    frame, known = pd.DataFrame(table), ["zip", "age"]
    sure, k = anonymity.alpha_k_anonymity(frame, known, ["ill"])
    c, l = anonymity.recursive_c_l_diversity(frame, known, ["ill"])  # noqa: E741 - their name
    return {
        "k": int(anonymity.k_anonymity(frame, known)),
        "alpha": [float(sure), int(k)],
        "distinct_l": int(anonymity.l_diversity(frame, known, ["ill"])),
        "entropy_l": int(anonymity.entropy_l_diversity(frame, known, ["ill"])),
        "recursive": [float(c), int(l)],
        "t": float(anonymity.t_closeness(frame, known, ["ill"])),
        "t_of_numbers": (
            float(anonymity.t_closeness(frame, known, ["pay"]))
            if len(set(table["pay"])) > 1
            else None
        ),
    }


asked, answer = map(Path, sys.argv[1:])
tables = json.loads(asked.read_text(encoding="utf-8"))
answer.write_text(json.dumps([answers(table) for table in tables]))
