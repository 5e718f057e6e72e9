"""Write src/halfmask/__init__.pyi: what type checkers and editors know of `halfmask.publish`.

The options of each method come from what it declares. Run it after a setting was added or changed:
python docs/make_stub.py
"""

from __future__ import annotations

from pathlib import Path

from halfmask.methods import METHODS, Method
from halfmask.methods.settings import Setting
from halfmask.publishing.job import options_of

STUB = Path(__file__).resolve().parents[1] / "src" / "halfmask" / "__init__.pyi"
HEAD = '''"""What type checkers know of halfmask. Made by docs/make_stub.py: do not edit."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, overload

from halfmask.choosing.choice import Choice as Choice
from halfmask.choosing.choice import choose_method as choose_method
from halfmask.data import Baskets as Baskets
from halfmask.data.coding.spec import RarePolicy
from halfmask.data.families import Orphans
from halfmask.errors import BadInput as BadInput
from halfmask.errors import HalfmaskError as HalfmaskError
from halfmask.errors import HalfmaskWarning as HalfmaskWarning
from halfmask.errors import TargetNotMet as TargetNotMet
from halfmask.estimators import Generator as Generator
from halfmask.estimators import Model as Model
from halfmask.io.forms import FileOptions, PathLike
from halfmask.methods.anatomy.eligibility import OnIneligible
from halfmask.methods.anatomy.partition import EmptyPolicy
from halfmask.methods.generator.process import Order
from halfmask.methods.generator.settings import SearchName
from halfmask.methods.private.log import PoolSettings
from halfmask.publishing.measure import measure_files
from halfmask.publishing.publication import Publication as Publication
from halfmask.run import Progress

__version__: str
measure = measure_files
'''


def stub() -> str:
    """The text of the stub."""
    return HEAD + "\n" + "".join(_overload(method) for method in METHODS.values())


def _type(one: Setting) -> str:
    return one.type.replace("'", '"')


def _overload(method: type[Method]) -> str:
    """How `publish` is called for one method."""
    name = f'Literal["{method.name}"]'
    given = f"{name} | Generator = ..." if method.name == "generator" else name
    lines = [f"    {one.name}: {_type(one)}{'' if one.required else ' = ...'},"
             for one in options_of(method).values()]  # fmt: skip
    body = "\n".join(["    source: Any,", "    *,", f"    method: {given},", *lines])
    return f"@overload\ndef publish(\n{body}\n) -> Publication: ...\n"


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
