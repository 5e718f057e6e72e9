"""A shop's baskets of named items, how they are read back, and what a refusal looks like."""

from __future__ import annotations

from halfmask.io.given import Given

SHOP = (
    [["beer", "crisps"]] * 40
    + [["beer", "crisps", "tea"]] * 20
    + [["tea", "milk"]] * 40
    + [["milk"], ["beer", "milk"]] * 30
    + [["crisps"], ["tea"], []] * 20
)


def baskets_of(path):
    found = Given(path).read().content
    names = found.schema.names
    return [sorted(names[item] for item in row) for row in found.transactions]


def holding(rows, *items):
    return sum(set(items) <= set(row) for row in rows)


def refused(ran, *words):
    assert ran.code == 2, ran.out + ran.err
    assert ran.out == ""
    assert len(ran.err.strip().splitlines()) == 1, ran.err
    for word in words:
        assert word in ran.err
