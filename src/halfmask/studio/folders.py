"""Folders: what the page may read, and where uploads stay until it is closed."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halfmask.errors import BadInput
from halfmask.io.addresses import address_of, is_address, plain, refuse_network
from halfmask.io.forms import split_name
from halfmask.studio.keeping import safe_name

RUNS = "halfmask-runs"
"""The folder of finished runs, in the first folder that the page may read, unless said."""
MOST_LISTED = 500
_OURS = (".release", ".edit_log")


@dataclass(frozen=True, slots=True)
class Listed:
    """A folder or a table that can be picked."""

    name: str
    path: str
    is_folder: bool
    size: int = 0


@dataclass(frozen=True, slots=True)
class Folders:
    """The folders that were named at the start; nothing outside of them is read."""

    roots: tuple[Path, ...]
    uploads: Path
    """Private, and removed at the end."""
    runs: Path
    """Where finished runs lie."""

    @classmethod
    def of(cls, named: Sequence[Path], uploads: Path, runs: Path | None = None) -> Folders:
        """Folders by their real places; one that is none is refused."""
        for path in named:
            if not path.is_dir():
                raise BadInput(f"{str(path)!r} is not a folder.")
        roots = tuple(dict.fromkeys(path.resolve() for path in named))
        return cls(roots, uploads.resolve(), (runs or roots[0] / RUNS).resolve())

    def inside(self, text: str) -> Path:
        """The real place of a file or folder, if it lies in one of the folders.

        Links are followed before it is asked, so none leads out of them.
        """
        try:
            given = Path(text)
            path = (given if given.is_absolute() else self.roots[0] / given).resolve()
        except (OSError, ValueError, RuntimeError):
            raise BadInput("That is not the path of a file.") from None
        if not any(path.is_relative_to(root) for root in (*self.roots, self.uploads, self.runs)):
            raise BadInput(
                "That file lies outside the folders that this page may read; start `halfmask "
                "studio` with --folder to name another, or upload the file."
            )
        return path

    def source(self, text: str) -> str:
        """A file, or the address of a database, that may be read."""
        text = text.strip()
        refuse_network(text)
        if not is_address(text):
            path = self.inside(text)
            if not path.is_file():
                raise BadInput(f"There is no file {path.name!r} here.")
            return str(path)
        address = address_of(text)
        if address.engine != "postgresql":
            file = self.inside(str(Path(address.connection).absolute()))
            return text.replace(text.partition("?")[0], f"{address.engine}:///{file}", 1)
        return text

    def listing(self, text: str | None) -> tuple[Path, list[Listed]]:
        """A folder and what can be picked in it: folders first, then tables by name."""
        folder = self.inside(text) if text else self.roots[0]
        if not folder.is_dir():
            raise BadInput("That is not a folder.")
        found = sorted(self._pickable(folder), key=lambda one: (not one.is_folder, one.name))
        return folder, found[:MOST_LISTED]

    def _pickable(self, folder: Path) -> Iterator[Listed]:
        for path in folder.iterdir():
            try:
                real = path.resolve()
                if path.name.startswith(".") or real == self.runs or not self._allowed(real):
                    continue
                stem, ending = split_name(path.name)
                if path.is_dir():
                    yield Listed(path.name, str(path), is_folder=True)
                elif path.is_file() and ending and not stem.endswith(_OURS):
                    yield Listed(path.name, str(path), is_folder=False, size=path.stat().st_size)
            except OSError:
                continue  # a link that leads nowhere, or a file that went away

    def _allowed(self, path: Path) -> bool:
        return any(path.is_relative_to(root) for root in self.roots)

    def above(self, folder: Path) -> str | None:
        """The folder above, unless that lies outside."""
        return str(folder.parent) if self._allowed(folder.parent) else None

    def place_for(self, name: str) -> Path:
        """Where an upload of this name goes, in a folder of its own."""
        folder = self.uploads / secrets.token_hex(8)
        folder.mkdir(mode=0o700)
        return folder / safe_name(name)

    def is_upload(self, place: str) -> bool:
        """Whether a place goes away with the page."""
        return not is_address(place) and Path(place).is_relative_to(self.uploads)


def kept_place(place: str, folders: Folders) -> str | None:
    """What of a place may be written down: no password, nothing that goes away."""
    if folders.is_upload(place) or plain(place) != place:
        return None
    return place


def called(place: str) -> Any:
    """What a source is called."""
    return address_of(place).stem if is_address(place) else Path(place).name
