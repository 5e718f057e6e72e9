"""Notices: what was done with the columns of a table, in sentences that the steward reads."""

from __future__ import annotations

from collections.abc import Sequence

from halfmask.data.coding.encoding import Encoding
from halfmask.data.coding.fitting import RareValues
from halfmask.data.coding.kinds import Plan
from halfmask.data.schema import Attribute

_SHOWN = 8
_FEW = 3


def notices(encoding: Encoding, *, drawn: bool = True) -> tuple[str, ...]:
    """What became of columns that are no plain categories; no value of the original is named.

    `drawn` says that the release is filled; otherwise it shows bins as they are, and no keys.

    >>> from halfmask.data import Column
    >>> from halfmask.data.coding.kinds import plan_columns
    >>> from halfmask.data.coding.spec import TableSpec
    >>> columns = [
    ...     Column.of("mail", [f"p{i}@example.org" for i in range(60)]),
    ...     Column.of("sex", ["f", "m"] * 30),
    ... ]
    >>> plans = plan_columns(columns, TableSpec(), floor=10)
    >>> for notice in notices(Encoding.fit(columns, min_support=10, plans=plans)):
    ...     print(notice)
    Column 'mail' was left out: it holds e-mail addresses.
    To keep column 'mail', with new values that mean nothing: kind = "key" in a schema.
    """
    plans = encoding.plans.values()
    found = [f"Column {p.name!r} was left out: {p.reason}." for p in plans if p.fate == "drop"]
    found += _ways_to_keep([p for p in plans if p.fate == "drop"], drawn=drawn)
    keys = [p.name for p in plans if p.fate == "key"]
    if keys and not drawn:
        found += [f"Column {name!r} was left out: it identifies every row." for name in keys]
    elif keys:
        found.append(f"{_named(keys)} received new keys, which cannot be traced back to anyone.")
    binned = [p.name for p in plans if p.fate == "bins"]
    if binned and not drawn:
        found.append(f"{_named(binned)} {_were(binned)} published as ranges.")
    elif binned:
        found.append(
            f"{_named(binned)} {_were(binned)} learnt in bins and drawn from them; values "
            "beyond what enough rows reach are top- or bottom-coded."
        )
    found += [
        _words(p.name, encoding.schema[p.name]) for p in plans if p.fate == "bins" and p.codes
    ]
    found += [
        f"Column {column.name!r} follows from {column.source!r} in every row; it is derived "
        "from it in every row of the release."
        for column in encoding.schema.derived
    ]
    found += [_prefixes(p) for p in plans if p.fate == "codes" and p.prefixes]
    return (*found, *(p.doubt for p in plans if p.doubt is not None))


def rare_accounts(rare: Sequence[RareValues]) -> tuple[str, ...]:
    """What became of rare values, with one sentence for all columns that share a fate.

    >>> one, two = (RareValues(name, 1, 0, 3, None) for name in ("acarbose", "miglitol"))
    >>> rare_accounts([one, two])
    ("The columns 'acarbose', 'miglitol': rare values were left out of the model.",)
    """
    alike: dict[str, list[RareValues]] = {}
    for account in rare:
        alike.setdefault(account.fate, []).append(account)
    return tuple(
        f"{_named([account.attribute for account in accounts])}: {fate}."
        if len(accounts) > 1
        else str(accounts[0])
        for fate, accounts in alike.items()
    )


def _ways_to_keep(left_out: Sequence[Plan], *, drawn: bool) -> list[str]:
    """What would keep columns that were left out by a guess."""
    common = [plan.name for plan in left_out if plan.instead == "category"]
    own = [plan.name for plan in left_out if plan.instead == "key"]
    found = []
    if common:
        found.append(
            f"To keep {_listed(common)}, with the values that enough rows hold: --categorical."
        )
    if own and drawn:
        found.append(
            f'To keep {_listed(own)}, with new values that mean nothing: kind = "key" in a schema.'
        )
    return found


def _were(names: Sequence[str]) -> str:
    return "was" if len(names) == 1 else "were"


def _words(name: str, attribute: Attribute) -> str:
    """Which texts are taken for no value; those that few rows hold are not named."""
    bins = attribute.bins
    named = () if bins is None else bins.codes
    if not named:
        return f"Column {name!r}: texts that are not values are treated as missing."
    return (
        f"Column {name!r}: labels of missing values are kept as they are: "
        f"{', '.join(map(repr, named))}."
    )


def _prefixes(plan: Plan) -> str:
    """Every label named is shared by enough rows."""
    labels = sorted(plan.prefixes)
    more = f" and {len(labels) - _FEW:,} more" if len(labels) > _FEW else ""
    named = ", ".join(map(repr, labels[:_FEW]))
    return (
        f"Column {plan.name!r}: codes that few rows hold were grouped by their prefix, as "
        f"{named}{more}."
    )


def _named(names: Sequence[str]) -> str:
    listed = _listed(names)
    return f"C{listed[1:]}" if len(names) == 1 else f"The {listed}"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:_SHOWN])) + (", …" if len(names) > _SHOWN else "")
    return f"column {shown}" if len(names) == 1 else f"columns {shown}"
