"""The nouns everybody knows: what an original is, and what can be counted in it."""

from halfmask.data.anatomised import AnatomisedTables
from halfmask.data.basket_margins import BasketMargins
from halfmask.data.baskets import Assortment, Baskets
from halfmask.data.channel import Channel
from halfmask.data.column import Column
from halfmask.data.countable import Alphabet, Countable, Itemset
from halfmask.data.distorted import DistortedBaskets
from halfmask.data.encoding import Encoding, RareValues
from halfmask.data.generalised import GeneralisedBaskets
from halfmask.data.margins import Margin, Margins
from halfmask.data.release import Claim, Release
from halfmask.data.schema import Attribute, Schema
from halfmask.data.separated import SeparatedTable
from halfmask.data.table import Table
from halfmask.data.transactions import Transactions

__all__ = [
    "Alphabet",
    "AnatomisedTables",
    "Assortment",
    "Attribute",
    "BasketMargins",
    "Baskets",
    "Channel",
    "Claim",
    "Column",
    "Countable",
    "DistortedBaskets",
    "Encoding",
    "GeneralisedBaskets",
    "Itemset",
    "Margin",
    "Margins",
    "RareValues",
    "Release",
    "Schema",
    "SeparatedTable",
    "Table",
    "Transactions",
]
