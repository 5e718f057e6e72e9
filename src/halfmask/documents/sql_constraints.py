"""SQL constraints: a boolean expression, read before it is run, by a database that sees no file.

Two fences. The expression is parsed first, and whatever is not on the lists below (a subquery, a
table, a function that could read) is refused. It is then evaluated by an embedded DuckDB in memory
with external access off, extensions off and its configuration locked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from halfmask.assets.constraints import FALSE, TRUE, UNKNOWN, Truth
from halfmask.assets.document import Kind
from halfmask.assets.values import Values
from halfmask.errors import BadInput, UnknownName

_OPERATORS = (
    "+ - * / // % ** ^ || ~~ !~~ ~~* !~~* like_escape not_like_escape ilike_escape not_ilike_escape"
)
_NUMBERS = (
    "abs ceil ceiling floor round trunc sign sqrt mod pow power ln log log10 exp greatest least"
)
_TEXTS = (
    "length len char_length character_length lower upper trim ltrim rtrim left right substr "
    "substring starts_with prefix ends_with suffix contains strpos instr concat replace "
    "regexp_matches regexp_full_match"
)
_DATES = (
    "year month day quarter week dayofweek isodow date_part datepart date_diff datediff "
    "date_trunc datetrunc date_add to_days to_weeks to_months to_years"
)
_OTHERS = "nullif ifnull list_contains list_has array_contains array_has list_has_any list_has_all"
FUNCTIONS = frozenset(f"{_OPERATORS} {_NUMBERS} {_TEXTS} {_DATES} {_OTHERS}".split())
"""What an expression may call: arithmetic, text and dates; nothing that reads, waits or grows."""

_CLASSES = {
    "COMPARISON", "CONJUNCTION", "OPERATOR", "BETWEEN", "COLUMN_REF", "CONSTANT", "CASE", "CAST",
    "FUNCTION", "TYPE",
}  # fmt: skip
_TYPES: dict[Kind, pa.DataType] = {
    "int": pa.int64(),
    "float": pa.float64(),
    "str": pa.string(),
    "bool": pa.bool_(),
    "date": pa.timestamp("us"),
    "set": pa.list_(pa.string()),
}
_SETTINGS = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "memory_limit": "1GB",
    "threads": "1",
    "lock_configuration": "true",
}
_TABLE = "halfmask_rows"


@dataclass(frozen=True, slots=True)
class SqlExpression:
    """A checked expression over some attributes."""

    text: str
    attributes: tuple[str, ...]

    def __call__(self, columns: Mapping[str, Values]) -> Truth:
        """The truth of the expression in every row; each combination of values is tried once."""
        parts = [columns[name] for name in self.attributes]
        joint = np.zeros(len(parts[0]), np.int64)
        for part in parts:
            joint = np.unique(joint * len(part.labels) + part.index, return_inverse=True)[1]
        _, first, place = np.unique(joint, return_index=True, return_inverse=True)
        table = pa.table([_array(p).take(pa.array(p.index[first])) for p in parts], self.attributes)
        answers = _run(self.text, table)
        of_answer = {True: TRUE, False: FALSE, None: UNKNOWN}
        return np.array([of_answer[answer] for answer in answers], np.uint8)[place]


def compile_sql(text: str, kinds: Mapping[str, Kind]) -> SqlExpression:
    """Check an expression over attributes of these types; refused with the reason.

    >>> compile_sql("dose <= 100 OR drug <> 'insulin'", {"dose": "float", "drug": "str"}).attributes
    ('dose', 'drug')
    """
    if not text.strip():
        raise BadInput("The SQL expression is empty.")
    expression = _parsed(text)
    by_lower = {name.lower(): name for name in kinds}
    names = dict.fromkeys(_named(node, by_lower) for node in _checked(expression))
    attributes = tuple(name for name in names if name is not None)
    if not attributes:
        raise BadInput("The SQL expression reads no attribute, so it does not test a row.")
    empty = pa.table([pa.array([], _TYPES[kinds[name]]) for name in attributes], attributes)
    _run(text, empty)
    return SqlExpression(text, attributes)


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        raise BadInput(
            "An SQL expression needs DuckDB, which is not installed; pip install 'halfmask[sql]', "
            "or write the constraint as a test of attributes."
        ) from None
    return duckdb


@cache
def _database() -> Any:
    """The fenced-off database; a cursor of it is ten times quicker than a database of its own.

    Nothing stays in it: the rows of an expression are known to one cursor only.
    """
    return _duckdb().connect(":memory:", config=_SETTINGS)


def _statement(text: str) -> str:
    """The expression as a statement; the line break ends a comment at its end."""
    return f"SELECT ({text}\n) FROM {_TABLE}"  # noqa: S608 - it is parsed and checked first


def _parsed(text: str) -> Any:
    """The expression's tree; anything but one expression over the rows is refused."""
    duckdb = _duckdb()
    try:
        with _database().cursor() as database:
            asked = database.execute("SELECT json_serialize_sql(?)", [_statement(text)])
            answer = msgspec.json.decode(asked.fetchone()[0])
    except duckdb.Error as problem:
        raise BadInput(f"The SQL expression cannot be parsed: {_first_line(problem)}") from None
    if answer.get("error"):
        said = str(answer.get("error_message", "it is not an expression")).splitlines()[0]
        raise BadInput(f"The SQL expression cannot be parsed: {said}.")
    statements = answer["statements"]
    node = statements[0]["node"] if len(statements) == 1 else {}
    listed = node.get("select_list", [])
    plain = (
        node.get("type") == "SELECT_NODE"
        and len(listed) == 1
        and node["from_table"].get("type") == "BASE_TABLE"
        and node["from_table"].get("table_name") == _TABLE
        and not any(node.get(part) for part in _CLAUSES)
        and not node.get("cte_map", {}).get("map")
    )
    if not plain:
        raise BadInput("An SQL constraint is one expression, not a statement or a list of them.")
    return listed[0]


_CLAUSES = ("where_clause", "group_expressions", "group_sets", "having", "qualify", "modifiers",
            "sample")  # fmt: skip


def _checked(node: Any) -> Iterator[Mapping[str, Any]]:
    """Every part of the tree, each on the list of what an expression may hold."""
    if isinstance(node, Sequence) and not isinstance(node, str):
        for part in node:
            yield from _checked(part)
    if not isinstance(node, Mapping):
        return
    kind = node.get("class")
    if kind is not None and kind not in _CLASSES:
        words = "a subquery" if kind == "SUBQUERY" else str(kind).lower().replace("_", " ")
        raise BadInput(
            f"An SQL constraint may compare, compute and decide within one row; {words} is not "
            "allowed."
        )
    if kind == "FUNCTION" and _is_foreign(node):
        name = str(node.get("function_name"))
        raise BadInput(f"An SQL constraint may not call {name!r}; {_nearest(name)}")
    yield node
    for part in node.values():
        yield from _checked(part)


def _is_foreign(node: Mapping[str, Any]) -> bool:
    path = node.get("qualified_name", {}).get("path", ())
    qualified = node.get("schema") or node.get("catalog") or len(path) > 1
    name = str(node.get("function_name")).lower()
    return bool(qualified) or name not in FUNCTIONS or bool(node.get("filter"))


def _nearest(name: str) -> str:
    known = sorted(one for one in FUNCTIONS if one[0].isalpha())
    return str(UnknownName("allowed function", name, known)).split("; ", 1)[1]


def _named(node: Mapping[str, Any], by_lower: Mapping[str, str]) -> str | None:
    """The attribute that a part of the tree names, if it names one."""
    if node.get("class") != "COLUMN_REF":
        return None
    names = node["column_names"]
    if len(names) != 1 or names[0].lower() not in by_lower:
        problem = UnknownName("attribute", ".".join(names), list(by_lower.values()))
        raise BadInput(f"{problem} (In SQL, text is written in single quotes.)")
    return by_lower[names[0].lower()]


def _run(text: str, table: pa.Table) -> list[bool | None]:
    """The expression in every row of a table that nothing else can be reached from."""
    duckdb = _duckdb()
    try:
        with _database().cursor() as database:
            database.register(_TABLE, table)
            found = database.execute(_statement(text))
            kind = str(found.description[0][1]).upper()
            if kind not in ("BOOL", "BOOLEAN"):
                raise BadInput(
                    "An SQL constraint is true or false in each row; this one is a value."
                )
            return [row[0] for row in found.fetchall()]
    except (duckdb.ConversionException, duckdb.OutOfRangeException):
        # What the database says here may quote a value of the data.
        raise BadInput(
            "The SQL expression fails on some value: it cannot be converted, or grows too large; "
            "TRY_CAST gives NULL instead."
        ) from None
    except duckdb.Error as problem:
        raise BadInput(f"The SQL expression cannot be used: {_first_line(problem)}") from None


def _first_line(problem: Exception) -> str:
    said = str(problem).strip().splitlines()
    return f"{said[0].rstrip('.')}." if said else "DuckDB refuses it."


def _array(values: Values) -> pa.Array:
    """The distinct values of an attribute as Arrow knows them."""
    type_ = _TYPES[values.kind]
    cells = [None if v is None else _plain(values.kind, v) for v in values.values]
    try:
        return pa.array(cells, type_)
    except (pa.ArrowException, OverflowError):
        raise BadInput(
            f"Attribute {values.name!r} holds a number too large for SQL constraints."
        ) from None


def _plain(kind: Kind, value: Any) -> Any:
    if kind == "int":
        return int(value)
    if kind == "float":
        return float(value)
    return sorted(value) if kind == "set" else value
