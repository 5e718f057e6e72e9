"""Table I of the article on multi-dimension anatomy: ten rows of the items a to h."""

from __future__ import annotations

from halfmask.data import Baskets

ROWS = ["abcdefgh", "abdeh", "abcfh", "abfh", "abcd", "abce", "aefg", "bfh", "fh", "dg"]
BASKETS = Baskets.of(ROWS, names="abcdefgh")
TWO_COLUMNS = ("defh", "abcg")
THREE_COLUMNS = ("dfh", "beg", "ac")


def items(names):
    return tuple(sorted(BASKETS.schema.item(name) for name in names))
