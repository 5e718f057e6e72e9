"""Asset files: YAML or JSON in, an asset out; a mistake is named with its line and its field."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from halfmask.assets.asset import Asset, BadAsset, dotted
from halfmask.assets.asset import Path as Place
from halfmask.assets.document import AssetDocument
from halfmask.assets.resolving import resolve
from halfmask.data import Assortment, Column
from halfmask.documents.marked_yaml import MarkedText, read_marked
from halfmask.documents.sql_constraints import compile_sql
from halfmask.errors import BadInput, UnknownName
from halfmask.io.forms import PathLike
from halfmask.io.sources import open_source
from halfmask.methods.suppression.hierarchy import Hierarchy, parse_hierarchy

_WORDS = {
    "float": "a number",
    "int": "a whole number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "names with values",
    "null": "nothing",
}


def load_asset(path: PathLike) -> Asset:
    """Read an asset file; whatever is wrong in it is refused with line, field and advice."""
    source = open_source(path)
    try:
        text = source.content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = source.line_at(problem.start)
        raise BadInput(f"{source.name}, line {line}: the text is not UTF-8.") from None
    return parse_asset(text, PurePath(path).name)


def parse_asset(text: str, where: str = "asset") -> Asset:
    """Read an asset from text; `where` is what sentences call it."""
    marked = read_marked(text, where)
    try:
        document = _Reader(marked).struct(AssetDocument, marked.value, ())
        return resolve(document, compile_sql=compile_sql)
    except BadAsset as problem:
        field = f", {dotted(problem.path)}" if problem.path else ""
        raise BadInput(
            f"{where}, line {marked.line(problem.path)}{field}: {problem.sentence}"
        ) from None


def load_hierarchies(
    asset: Asset, folder: PathLike, original: Sequence[Column]
) -> dict[str, Hierarchy]:
    """The hierarchies that an asset names, files beside it, over the values of the original."""
    columns = {column.name: column for column in original}
    found = {}
    for name, form in asset.relation.attributes.items():
        if form.hierarchy is None or name not in columns:
            continue
        named = PurePath(form.hierarchy)
        if named.is_absolute() or ".." in named.parts:
            raise BadInput(f"The hierarchy of {name!r} is a file beside the asset, not elsewhere.")
        content = open_source(Path(folder) / named).content.decode("utf-8", "replace")
        labels = [label for label in columns[name].labels if label is not None]
        values = tuple(label for label in labels if label not in asset.relation.nulls)
        found[name] = parse_hierarchy(content, Assortment(values))
    return found


@dataclass(frozen=True)
class _Reader:
    """Plain values made into the structs of the document, the place always at hand."""

    marked: MarkedText

    def struct(self, form: type[Any], value: Any, path: Place) -> Any:
        """A struct from names with values."""
        if not isinstance(value, Mapping):
            raise BadAsset(path, f"This is {_kind(value)}, and names with values are needed.")
        fields = {field.encode_name: field for field in msgspec.structs.fields(form)}
        types = get_type_hints(form, include_extras=True)
        for name in value:
            if name not in fields:
                raise BadAsset.unknown((*path, name), "field", name, list(fields))
        for name, field in fields.items():
            if field.required and name not in value:
                raise BadAsset(path, f"{name!r} is missing.")
        return form(**{n: self.value(types[n], v, (*path, n)) for n, v in value.items()})

    def value(self, form: Any, value: Any, path: Place) -> Any:
        """A value of this type; lists, mappings and choices are gone into."""
        bare = _bare(form)
        if isinstance(bare, type) and issubclass(bare, msgspec.Struct):
            return self.struct(bare, value, path)
        origin, inner = get_origin(bare), get_args(bare)
        if origin is dict and isinstance(value, Mapping):
            return {n: self.value(inner[1], one, (*path, n)) for n, one in value.items()}
        if origin is tuple and isinstance(value, list) and inner[-1] is Ellipsis:
            return tuple(self.value(inner[0], v, (*path, i)) for i, v in enumerate(value))
        if origin in (Union, UnionType):
            return self._choice(form, inner, value, path)
        if bare is str and path in self.marked.written:
            return self.marked.written[path]  # a name may look like a number
        return self._leaf(form, value, path)

    def _choice(self, form: Any, inner: tuple[Any, ...], value: Any, path: Place) -> Any:
        """The member of a union that a value of this shape can only be."""
        for member in inner:
            bare = _bare(member)
            is_struct = isinstance(bare, type) and issubclass(bare, msgspec.Struct)
            if is_struct and isinstance(value, Mapping):
                return self.struct(bare, value, path)
            if get_origin(bare) is tuple and isinstance(value, list):
                # A list of names is gone into; a list of values is one value.
                names = len(inner) == 2 and get_args(bare)[0] is str
                return self.value(bare, value, path) if names else self._leaf(form, value, path)
        texts_only = {_bare(member) for member in inner} <= {str, type(None)}
        if texts_only and value is not None and path in self.marked.written:
            return self.marked.written[path]
        return self._leaf(form, value, path)

    def _leaf(self, form: Any, value: Any, path: Place) -> Any:
        try:
            return msgspec.convert(value, form)
        except msgspec.ValidationError as problem:
            raise _in_words(str(problem), form, value, path) from None


def _bare(form: Any) -> Any:
    """The type without its annotations."""
    return _bare(get_args(form)[0]) if get_origin(form) is Annotated else form


def _literals(form: Any) -> list[str]:
    bare = _bare(form)
    if get_origin(bare) is Literal:
        return [str(one) for one in get_args(bare)]
    return [name for part in get_args(bare) for name in _literals(part)]


def _in_words(problem: str, form: Any, value: Any, path: Place) -> BadAsset:
    """What msgspec found wrong with a value, as a sentence of ours."""
    choices = _literals(form)
    if choices and isinstance(value, str):
        advice = str(UnknownName("choice", value, choices)).split("; ", 1)[1]
        return BadAsset(path, f"{value!r} is not possible here; {advice}")
    if "length" in problem:
        return BadAsset(path, "The number of values in this list is not the one needed.")
    if ">=" in problem:
        return BadAsset(path, f"This is a number of at least 0, not {value!r}.")
    asked = re.search(r"Expected `([^`]+)`", problem)
    parts = asked[1].split(" | ") if asked else ["str"]
    needed = " or ".join(dict.fromkeys(_WORDS[part] for part in parts if part in _WORDS))
    return BadAsset(path, f"This is {_kind(value)}, and {needed} is needed.")


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "true or false"
    kinds = ((str, "text"), (int | float, "a number"), (list, "a list"), (dict, "a mapping"))
    return next((words for kind, words in kinds if isinstance(value, kind)), "nothing")
