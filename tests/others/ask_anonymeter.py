"""The three risks by anonymeter: question.json in, answer.json out."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator


def rates(evaluator, **how):
    """How often the attack and the control succeed, each with its margin of error."""
    found = evaluator.evaluate(**how).results()
    pairs = {"attack": found.attack_rate, "control": found.control_rate}
    return {name: [float(rate.value), float(rate.error)] for name, rate in pairs.items()}


def risks(question):
    np.random.seed(1)  # noqa: NPY002 - the package draws its attacks from the global generator
    frames = {name: pd.DataFrame(question[name]) for name in ("ori", "syn", "control")}
    names, attacks = list(frames["ori"]), len(frames["ori"])
    return {
        "linkability": rates(
            LinkabilityEvaluator(**frames, aux_cols=(names[0::2], names[1::2]), n_attacks=attacks),
            n_jobs=1,
        ),
        "inference": rates(
            InferenceEvaluator(**frames, aux_cols=names[:-1], secret=names[-1], n_attacks=attacks),
            n_jobs=1,
        ),
        "singling_out": rates(SinglingOutEvaluator(**frames, n_attacks=300, n_cols=4, seed=1)),
    }


asked, answer = map(Path, sys.argv[1:])
questions = json.loads(asked.read_text(encoding="utf-8"))
answer.write_text(json.dumps({name: risks(one) for name, one in questions.items()}))
