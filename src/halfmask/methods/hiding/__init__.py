"""Hiding: lower the support of given patterns with few changes, and prove it by recounting."""

from halfmask.methods.hiding.blocked import BlockedBaskets, ConfidenceBounds
from halfmask.methods.hiding.blocking import Block
from halfmask.methods.hiding.edits import Cell, Edits, Marked, log_lines, read_log, undo
from halfmask.methods.hiding.hide import ALGORITHMS, Algorithm, Hidden, hide
from halfmask.methods.hiding.index import Index
from halfmask.methods.hiding.outcome import Outcome, Target, recount
from halfmask.methods.hiding.prediction import predicted_edits
from halfmask.methods.hiding.query import parse_query
from halfmask.methods.hiding.rules import HideRules
from halfmask.methods.hiding.sanitise import Sanitise
from halfmask.methods.hiding.sensitive import Sensitive, SensitiveRule, parse_sensitive
from halfmask.methods.hiding.sliding import SlidingWindow

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "Block",
    "BlockedBaskets",
    "Cell",
    "Edits",
    "Hidden",
    "HideRules",
    "Index",
    "ConfidenceBounds",
    "Marked",
    "Outcome",
    "Sanitise",
    "Sensitive",
    "SensitiveRule",
    "SlidingWindow",
    "Target",
    "hide",
    "log_lines",
    "parse_query",
    "parse_sensitive",
    "predicted_edits",
    "read_log",
    "recount",
    "undo",
]
