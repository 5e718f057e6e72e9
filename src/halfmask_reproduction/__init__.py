"""The published experiments, rerun: what the papers print beside what halfmask measures."""

from halfmask_reproduction.description import DataFile, Experiment, Paper, Printed
from halfmask_reproduction.lab import Lab
from halfmask_reproduction.result import Compared, Result
from halfmask_reproduction.runner import reproduce
from halfmask_reproduction.shelf import Shelf

__all__ = [
    "Compared",
    "DataFile",
    "Experiment",
    "Lab",
    "Paper",
    "Printed",
    "Result",
    "Shelf",
    "reproduce",
]
