"""Model branches: what is told of a target along branches as the lines of a document, and back."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from halfmask.data import Margins, Schema
from halfmask.data.target_trees import Branch, Branches, Question, Tree
from halfmask.documents.form import Value
from halfmask.documents.model_document import BranchDocument, ModelDocument, TreeDocument
from halfmask.errors import BadInput

_MOST_COUNTS = 1 << 22
"""Branches times values of the target; a file that asks for more is an attack."""


def documents_of_branches(
    margins: Margins | None, schema: Schema
) -> list[TreeDocument] | UnsetType:
    """Each tree with its values written out; unset where there are none."""
    if margins is None or margins.branches is None:
        return UNSET
    values = schema[margins.branches.target].values

    def document(branch: Branch) -> BranchDocument:
        return BranchDocument(
            where=[
                (name, _SIGNS[equal], schema[name].values[code]) for name, code, equal in branch.way
            ],
            counts=[(values[code], count) for code, count in branch.counts],
            others=branch.rest,
        )

    return [
        TreeDocument(few=tree.few, branches=[document(branch) for branch in tree.branches])
        for tree in margins.branches.trees
    ]


_SIGNS: dict[bool, Literal["=", "≠"]] = {True: "=", False: "≠"}


def branches_of(document: ModelDocument, schema: Schema) -> Branches | None:
    """The branches in a document; those that tell of too few rows are refused."""
    if document.trees is UNSET:
        return None
    calibration = document.settings.calibration
    if calibration is UNSET or calibration.target is None:
        raise BadInput("Its trees tell of a target, and it names none.")
    target, least = calibration.target, document.settings.min_support - calibration.base // 2
    leaves = sum(len(tree.branches) for tree in document.trees)
    if leaves * schema[target].size > _MOST_COUNTS:
        raise BadInput("Its trees have too many branches.")
    trees = tuple(
        Tree(tuple(_branch(given, schema, target, least) for given in tree.branches), tree.few)
        for tree in document.trees
    )
    branches = Branches(target, trees)
    rounding = calibration.base * (1 + sum(1 + len(tree.branches) for tree in trees))
    for tree in trees:
        if tree.rows > document.rows + rounding + calibration.base * len(branches.counts):
            raise BadInput("The branches of a tree lead to more rows than there are.")
        if 0 < tree.few < least:
            raise BadInput("The rests of a tree are held by fewer rows than the floor.")
    return branches


def _branch(given: BranchDocument, schema: Schema, target: str, least: int) -> Branch:
    if given.others is not None and 0 < given.others < least:
        raise BadInput("The rest of a branch is held by fewer rows than the floor.")
    counts = {_code(schema, target, value): count for value, count in given.counts}
    if len(counts) != len(given.counts):
        raise BadInput("A branch tells a value twice.")
    way: list[Question] = [
        (name, _code(schema, name, value), sign == "=") for name, sign, value in given.where
    ]
    if any(name == target for name, _, _ in way):
        raise BadInput("A branch asks about the target itself.")
    return Branch(tuple(way), tuple(counts.items()), given.others)


def _code(schema: Schema, name: str, value: Value) -> int:
    values = schema[name].values
    if value not in values:
        raise BadInput("A branch of the model has a value that its column does not list.")
    return values.index(value)
