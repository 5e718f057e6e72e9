"""Trying: which method to take, by the same `choose` as everyone's."""

from __future__ import annotations

from pathlib import Path

import msgspec

from halfmask.choosing.choice import TrialScale, choose_method
from halfmask.choosing.pool import Limits
from halfmask.choosing.ranking import LackWeights
from halfmask.io.writing import write_bytes
from halfmask.studio.keeping import SUMMARY
from halfmask.studio.wire import Task
from halfmask.studio.worker import Teller

PAGE = "choice.html"


def try_methods(task: Task, teller: Teller) -> None:
    """Try, rank, and keep the page and the settings of the candidate chosen."""
    folder, asked = Path(task.folder), task.options
    choice = choose_method(
        task.place,
        asset=folder / "asset.yaml",
        methods=asked.get("methods") or None,
        sensitive=asked.get("sensitive", ""),
        column=asked.get("column") or None,
        min_support=asked.get("min_support", 10),
        weights=LackWeights(*asked.get("weights", (1.0, 1.0, 1.0))),
        scale=TrialScale(
            asked.get("generic_rows", 4_000), asked.get("test_rows"), asked.get("draws", 3)
        ),
        limits=Limits(2, asked.get("seconds", 120.0)),
        seed=asked.get("seed"),
        reading=task.reading,
        progress=teller.trials,
    )
    best = choice.best_candidate
    kept = {
        "best": choice.best,
        "reasons": list(choice.reasons),
        "method": best.method.name,
        "settings": {**best.about.fixed, **best.settings},
        "command": choice.command({"file": Path(task.place).name, "asset": "asset.yaml"}),
    }
    write_bytes(folder / PAGE, choice.page().encode())
    write_bytes(folder / SUMMARY, msgspec.json.encode(kept))
