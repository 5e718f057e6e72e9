"""The published experiments, rerun: what the papers print beside what halfmask measures."""

from halfmask.experiments.description import DataFile, Experiment, Paper, Printed
from halfmask.experiments.lab import Lab
from halfmask.experiments.result import Compared, Result
from halfmask.experiments.runner import reproduce
from halfmask.experiments.shelf import Shelf

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
