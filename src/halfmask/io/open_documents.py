"""OpenDocument: a sheet of an .ods file as text records, and a release as a sheet.

An .ods file is a zip archive with one XML file for all sheets. Empty cells and rows are counted
instead of written, a million of them at the end of a sheet, so that only what is filled is kept.
"""

from __future__ import annotations

import datetime as dt
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import IO, Any
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from halfmask.data import Table
from halfmask.errors import BadInput
from halfmask.io.forms import PathLike
from halfmask.io.records import MOST_ROWS, records_of
from halfmask.io.sources import within_memory

MOST_COLUMNS, MOST_CELLS = 16_384, 50_000_000
"""What a spreadsheet holds, and how many cells counts of repeated ones may unfold to."""
_KIND = "application/vnd.oasis.opendocument.spreadsheet"
_SPACES = {
    "urn:oasis:names:tc:opendocument:xmlns:office:1.0": "office",
    "urn:oasis:names:tc:opendocument:xmlns:table:1.0": "table",
    "urn:oasis:names:tc:opendocument:xmlns:text:1.0": "text",
}
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
Record = list[str | None]


@dataclass
class OpenSheet:
    """One sheet: its filled rows, and whether cells in them are merged."""

    title: str
    rows: list[Record] = field(default_factory=list)
    merged: list[int] = field(default_factory=list)
    """The places among the rows of those with merged cells."""


def sheets_of(path: PathLike, name: str) -> list[OpenSheet]:
    """All sheets of an .ods file."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open("content.xml") as content:
            text = within_memory(content, name)
    except (OSError, KeyError, zipfile.BadZipFile, RuntimeError, NotImplementedError):
        raise BadInput(f"{name} is not a whole OpenDocument spreadsheet.") from None
    reader = _SheetReader(name)
    try:
        reader.parser.Parse(text, True)  # noqa: FBT003 - expat's signature
    except (expat.ExpatError, ValueError):  # or a count that is no number
        raise BadInput(f"{name} is not a whole OpenDocument spreadsheet.") from None
    return reader.sheets


class _SheetReader:
    """Reads the XML once, from the first cell to the last."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.sheets: list[OpenSheet] = []
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype
        self._row: Record = []
        self._cell: Mapping[str, str] | None = None
        self._lines: list[str] = []
        self._aside = 0
        """How deep within a comment, which is no part of the cell."""
        self._spans = False
        self._repeats = 1
        self._cells = 0

    def _doctype(self, *_: object) -> None:
        """Entities could stand for anything, and no spreadsheet has any."""
        raise BadInput(f"{self.name} declares XML entities, which no spreadsheet does.")

    def _start(self, element: str, given: dict[str, str]) -> None:
        tag = _short(element)
        if tag == "office:annotation":
            self._aside += 1
        elif tag == "table:table":
            self.sheets.append(OpenSheet(_named(given).get("table:name", "")))
        elif tag == "table:table-row":
            self._row, self._spans, self._repeats = [], False, _count(given, "rows")
        elif tag in ("table:table-cell", "table:covered-table-cell"):
            self._cell, self._lines = _named(given), []
        elif self._cell is not None and not self._aside:
            self._within(tag, given)

    def _within(self, tag: str, given: dict[str, str]) -> None:
        """What stands in a cell: paragraphs, and the spaces that XML would swallow."""
        if tag == "text:p":
            self._lines.append("")
        elif self._lines and tag in ("text:s", "text:tab", "text:line-break"):
            spaces = int(_named(given).get("text:c", "1")) if tag == "text:s" else 0
            signs = {"text:s": " " * min(spaces, 1_000), "text:tab": "\t", "text:line-break": "\n"}
            self._lines[-1] += signs[tag]

    def _text(self, text: str) -> None:
        if self._cell is not None and self._lines and not self._aside:
            self._lines[-1] += text

    def _end(self, element: str) -> None:
        tag = _short(element)
        if tag == "office:annotation":
            self._aside -= 1
        elif tag in ("table:table-cell", "table:covered-table-cell") and self._cell is not None:
            self._take(self._cell)
            self._cell = None
        elif tag == "table:table-row" and self.sheets:
            self._take_row(self.sheets[-1])

    def _take(self, cell: Mapping[str, str]) -> None:
        value = _value(cell, "\n".join(self._lines))
        spans = ("table:number-columns-spanned", "table:number-rows-spanned")
        self._spans |= any(int(cell.get(one, "1")) > 1 for one in spans)
        again = int(cell.get("table:number-columns-repeated", "1"))
        self._row += [value] * min(again, MOST_COLUMNS - len(self._row))

    def _take_row(self, sheet: OpenSheet) -> None:
        while self._row and self._row[-1] is None:
            self._row.pop()
        if not self._row:
            return
        self._cells += len(self._row) * self._repeats
        if self._cells > MOST_CELLS or len(sheet.rows) + self._repeats > MOST_ROWS:
            raise BadInput(
                f"{self.name} unfolds to more than {MOST_CELLS:,} cells, or more rows than a sheet "
                "holds; save it as .csv."
            )
        if self._spans:
            sheet.merged.append(len(sheet.rows))
        sheet.rows += [self._row] * self._repeats


def _short(element: str) -> str:
    """The name of an element with the prefix that everybody uses."""
    space, _, name = element.rpartition(" ")
    return f"{_SPACES.get(space, '')}:{name}"


def _named(given: Mapping[str, str]) -> dict[str, str]:
    return {_short(name): value for name, value in given.items()}


def _count(given: Mapping[str, str], what: str) -> int:
    return min(int(_named(given).get(f"table:number-{what}-repeated", "1")), MOST_ROWS + 1)


def _value(cell: Mapping[str, str], text: str) -> str | None:
    """A cell as a text table would have it; numbers and dates as they are kept, not as shown."""
    kind = cell.get("office:value-type", "string")
    if kind in ("float", "percentage", "currency"):
        return cell.get("office:value", text) or None
    if kind == "date":
        return cell.get("office:date-value", text).removesuffix("T00:00:00").replace("T", " ")
    if kind == "boolean":
        return cell.get("office:boolean-value", text)
    return cell.get("office:string-value", text) or None


_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<office:document-content office:version="1.3" '
    + " ".join(f'xmlns:{short}="{space}"' for space, short in _SPACES.items())
    + "><office:body><office:spreadsheet>"
)
_MANIFEST = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<manifest:manifest manifest:version="1.3" '
    'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
    f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{_KIND}"/>'
    '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
    "</manifest:manifest>"
)


def write_open_document(file: IO[bytes], pieces: Iterable[Table]) -> None:
    """A release as the only sheet of an .ods file, where a text that begins with = is a text."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", _KIND, compress_type=zipfile.ZIP_STORED)
        archive.writestr("META-INF/manifest.xml", _MANIFEST)
        with archive.open("content.xml", "w", force_zip64=True) as content:
            content.write(f'{_HEAD}<table:table table:name="release">'.encode())
            for record in records_of(pieces):
                content.write(_line(record))
            content.write(
                b"</table:table></office:spreadsheet></office:body></office:document-content>"
            )


def _line(row: Sequence[Any]) -> bytes:
    return f"<table:table-row>{''.join(map(_cell, row))}</table:table-row>".encode()


def _cell(value: Any) -> str:
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, bool):
        return _typed("boolean", "boolean-value", str(value).lower())
    if isinstance(value, int | float | Decimal):
        return _typed("float", "value", str(value))
    if isinstance(value, dt.date):
        return _typed("date", "date-value", value.isoformat())
    text = str(value)
    if _NOT_XML.search(text):
        raise BadInput(
            "A text of the release holds a control character, which no .ods file can; write .csv "
            "or .parquet."
        )
    lines = "".join(f"<text:p>{_spaced(line)}</text:p>" for line in text.split("\n"))
    return f'<table:table-cell office:value-type="string">{lines}</table:table-cell>'


def _spaced(line: str) -> str:
    """Spaces that XML would swallow, spelled out."""
    marked = re.sub("^ | (?= )| $", "<text:s/>", escape(line))
    return marked.replace("\t", "<text:tab/>")


def _typed(kind: str, attribute: str, value: str) -> str:
    given = f'office:value-type="{kind}" office:{attribute}={quoteattr(value)}'
    return f"<table:table-cell {given}><text:p>{escape(value)}</text:p></table:table-cell>"
