"""The page of the measures lists every measure as it is declared, and its example runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from halfmask.measures import MEASURES

PAGE = (Path(__file__).parents[2] / "docs" / "measures.md").read_text()


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.name)
def test_the_page_says_what_the_measure_says(measure):
    default = "yes" if measure.default else "no"
    row = (
        f"| `{measure.name}` | {measure.meaning} | {measure.how} | {measure.better} | "
        f"{measure.unit} | {default} | {measure.cost} |"
    )
    assert row in PAGE


def test_the_example_runs(capsys):
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(block, "docs/measures.md", "exec"), {})  # noqa: S102 - our own page
    assert "'copy': 1.0" in capsys.readouterr().out
