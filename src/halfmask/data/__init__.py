"""The nouns everybody knows: what an original is, and what can be counted in it."""

from halfmask.data.baskets import Assortment, Baskets
from halfmask.data.coding.encoding import Encoding
from halfmask.data.coding.fitting import RareValues
from halfmask.data.column import Column
from halfmask.data.countable import Alphabet, Countable, Itemset
from halfmask.data.margins import BasketMargins, Margin, Margins
from halfmask.data.published.anatomised import AnatomisedTables
from halfmask.data.published.distorted import Channel, DistortedBaskets
from halfmask.data.published.generalised_table import GeneralisedTable
from halfmask.data.published.separated import GeneralisedBaskets, SeparatedTable
from halfmask.data.release import Claim, Release
from halfmask.data.schema import Attribute, Schema
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
    "GeneralisedTable",
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
