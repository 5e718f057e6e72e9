"""Other programs, asked in an environment of their own, because they pin versions of long ago.

`make test` builds `.venv-compare` where the package index can be reached. A question goes there as
a JSON file, and the answer comes back as one.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def ask(program: str, question: Any) -> Any:
    """The answer of the script of this name, which runs beside the packages compared with."""
    named = os.environ.get("HALFMASK_COMPARE", ROOT / ".venv-compare")
    python = Path(named) / "bin" / "python"
    if not (Path(named) / "compare.stamp").exists():
        pytest.skip("nothing to compare with: `make compare` could not build .venv-compare yet")
    script = Path(__file__).with_name(f"{program}.py")
    with tempfile.TemporaryDirectory() as folder:
        asked, answer = (Path(folder) / name for name in ("question.json", "answer.json"))
        asked.write_text(json.dumps(question), encoding="utf-8")
        done = subprocess.run(  # noqa: S603 - our own script
            [python, "-W", "ignore", script, asked, answer],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return json.loads(answer.read_text(encoding="utf-8"))
