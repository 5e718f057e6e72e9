"""`halfmask doctor`: what is installed, and what this machine has."""

from __future__ import annotations

import platform
import re
from importlib import import_module, metadata
from typing import Any

import rich_click as click

from halfmask import __version__
from halfmask.cli.options import as_json
from halfmask.cli.printing import console, show_json, table
from halfmask.errors import HalfmaskError

_REQUIRED = re.compile(
    r"(?P<name>[\w.-]+)\s*>=\s*(?P<least>[\d.]+)\s*;\s*extra == ['\"](?P<extra>[\w-]+)['\"]"
)
"""How the package says what an extra needs."""

FOR_WHAT = {
    "excel": "workbooks (.xlsx)",
    "ml": "models trained on a release, in the report",
    "reproduce": "figures of the papers",
    "spark": "tables that lie in a lake",
    "sql": "PostgreSQL, SQLite and DuckDB",
    "stats": "SPSS, Stata and SAS files",
    "studio": "the page in a browser",
}
"""What each extra is for."""


@click.command()
@as_json
def doctor(**typed: Any) -> None:
    """Say what is installed, which extras are missing, and what this machine has.

    The exit code is 1 when the native core cannot be loaded: halfmask does not work then.
    """
    native, extras = _native(), _extras()
    found = {
        "halfmask": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "native_core": native,
        "extras": extras,
        **_machine(),
    }
    if typed["as_json"]:
        show_json(found)
    else:
        _show(found)
    if not native["works"]:
        raise HalfmaskError(
            f"the native core cannot be loaded ({native['reason']}); install halfmask again, for "
            "this Python."
        )


def _native() -> dict[str, Any]:
    """Whether the compiled part can be loaded, and does what it should in one small case."""
    try:
        import_module("halfmask._native")
        from halfmask.data import Baskets
        from halfmask.patterns.mining import mine

        kinds = mine(Baskets.of([["a", "b"]] * 2).transactions, min_support=2)
    except ImportError as error:
        return {"works": False, "reason": str(error)}
    works = len(kinds) > 0
    return {"works": works, "reason": None if works else "it finds no pattern where there is one"}


def _extras() -> dict[str, Any]:
    """Of every extra what it needs, what is missing or too old, and how to install it."""
    needed: dict[str, list[tuple[str, str]]] = {}
    for line in metadata.requires("halfmask") or ():
        if found := _REQUIRED.fullmatch(line):
            needed.setdefault(found["extra"], []).append((found["name"], found["least"]))
    return {extra: _extra(extra, packages) for extra, packages in sorted(needed.items())}


def _extra(extra: str, packages: list[tuple[str, str]]) -> dict[str, Any]:
    versions = {name: _version(name) for name, _ in packages}
    lacks = [name for name, least in packages if _older(versions[name], least)]
    return {
        "installed": not lacks,
        "for": FOR_WHAT[extra],
        "packages": versions,
        "missing": lacks,
        "install": f"pip install 'halfmask[{extra}]'" if lacks else None,
    }


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _older(version: str | None, least: str) -> bool:
    """Whether a version is none, or lies below another.

    >>> _older(None, "1"), _older("3.1.5", "3.1"), _older("3.0.10", "3.1"), _older("2.0rc1", "1.9")
    (True, False, True, False)
    """
    if version is None:
        return True
    numbers = [[int(n) for n in re.findall(r"\d+", part)[:3]] for part in (version, least)]
    return numbers[0] < numbers[1]


def _machine() -> dict[str, Any]:
    """Cores, and memory that would be used where nothing is said."""
    from halfmask.memory import Memory
    from halfmask.run import thread_count

    return {"cores": thread_count(None), "memory": Memory.of().size}


def _show(found: dict[str, Any]) -> None:
    from halfmask.memory import spelled

    out, native = console(), found["native_core"]
    out.print(f"halfmask {found['halfmask']}, Python {found['python']}, {found['system']}")
    out.print(f"native core: {'works' if native['works'] else native['reason']}", markup=False)
    out.print(
        f"{found['cores']} core{'' if found['cores'] == 1 else 's'}; up to "
        f"{spelled(found['memory'])} of memory are used where --memory says nothing else"
    )
    lines = [
        (extra, one["for"], "installed" if one["installed"] else one["install"])
        for extra, one in found["extras"].items()
    ]
    out.print(table(None, ("extra", "for", ""), lines))
