"""The loss of FasterPAM by its authors' program: distances and start in, loss out."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import kmedoids
import numpy as np

asked, answer = map(Path, sys.argv[1:])
question = json.loads(asked.read_text(encoding="utf-8"))
distances, start = np.array(question["distances"]), np.array(question["start"], np.uint64)
found = kmedoids.fasterpam(distances, start, max_iter=100)
answer.write_text(json.dumps(float(found.loss)))
