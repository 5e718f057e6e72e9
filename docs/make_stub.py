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
from typing import Any, Literal, Required, TypedDict, Unpack, overload

from halfmask.choosing.choice import choose_method as choose_method
from halfmask.choosing.selection import Choice as Choice
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
from halfmask.publishing.between import class_dissimilarities as class_dissimilarities
from halfmask.publishing.measure_files import measure_files
from halfmask.publishing.publication import Publication as Publication
from halfmask.run import Progress

__version__: str
measure = measure_files
'''


def stub() -> str:
    """The text of the stub; what every method lets a steward say stands in it once."""
    shared = set.intersection(*(set(_fields(method)) for method in METHODS.values()))
    first = next(iter(METHODS.values()))
    common = [line for line in _fields(first) if line in shared]
    classes = [_options("_Shared", "TypedDict", common)]
    for method in METHODS.values():
        own = [line for line in _fields(method) if line not in shared]
        classes.append(_options(_name(method), "_Shared", own))
    return "\n".join([HEAD, *classes, *map(_overload, METHODS.values()), ""])


def _fields(method: type[Method]) -> list[str]:
    """The options of a method as lines of a class."""
    return [f"    {one.name}: {_type(one)}" for one in options_of(method).values()]


def _type(one: Setting) -> str:
    plain = one.type.replace("'", '"')
    return f"Required[{plain}]" if one.required else plain


def _name(method: type[Method]) -> str:
    return f"_{method.__name__}"


def _options(name: str, base: str, lines: list[str]) -> str:
    return "\n".join([f"class {name}({base}, total=False):", *lines, ""])


def _overload(method: type[Method]) -> str:
    """How `publish` is called for one method."""
    literal = f'Literal["{method.name}"]'
    given = f"{literal} | Generator = ..." if method.name == "generator" else literal
    parts = ["source: Any", "*", f"method: {given}", f"**options: Unpack[{_name(method)}]"]
    line = f"    {', '.join(parts)}"
    body = line if len(line) <= 100 else "\n".join(f"    {part}," for part in parts)
    return f"@overload\ndef publish(\n{body}\n) -> Publication: ..."


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
