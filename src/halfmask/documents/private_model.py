"""Models of private releases as files: noisy tables with their noise, what they cost, and patterns.

Everything in the file comes out of noisy counts, so whoever has it knows no more than the promise
allows; it may be published with the release. A file from a stranger is believed only where its
noise and its ledger keep the ε that it names.
"""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from math import prod
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET

from halfmask.data import Schema
from halfmask.documents.model_tables import (
    check_lengths,
    column_documents,
    counts_of,
    key_documents,
    pattern_documents,
    schema_of,
)
from halfmask.documents.private_document import (
    FORM,
    EntryDocument,
    LeafTableDocument,
    NoisyTableDocument,
    PrivateModelDocument,
)
from halfmask.errors import BadInput
from halfmask.methods.private.accounting import BudgetLedger, Entry, check_promise, gaussian_rho
from halfmask.methods.private.log import LeafNode, LeafTable, Measurement, NoisyLog, PoolSettings
from halfmask.methods.private.noisy_model import NoisyModel
from halfmask.methods.private.promise import spent_epsilon
from halfmask.methods.private.select import CHOOSING, MEASURING, SINGLES
from halfmask.methods.private.trees import LEAVES

_MOST_POOL = 2_000_000
_ROUNDING = 1e-6
"""What sums of decimals may miss, as a share."""


def private_model_bytes(model: NoisyModel) -> bytes:
    """The content of a model file."""
    log, schema, table = model.log, model.schema, model.code_table
    document = PrivateModelDocument(
        epsilon=log.epsilon,
        delta=log.delta,
        rows_per_person=model.rows_per_person,
        budget=log.ledger.rho,
        ledger=[EntryDocument(e.part, e.rho, e.delta) for e in log.ledger.entries],
        rows=table.rows,
        min_support=model.min_support,
        key=log.key,
        pool={one.name: getattr(log.pool, one.name) for one in _pool_fields()},
        columns=column_documents(table, schema),
        tables=[
            _table(each, schema, step) for step, tables in enumerate(log.steps) for each in tables
        ],
        patterns=pattern_documents(table, schema),
        guessed=list(model.guessed),
        target=model.target,
        tree=UNSET if log.leaves is None else _tree(log.leaves, schema),
        keys=key_documents(schema) or UNSET,
        seeded=log.seeded,
        person=model.person or UNSET,
    )
    return FORM.to_json(document)


def _pool_fields() -> list[Any]:
    return [one for one in fields(PoolSettings) if one.name != "threads"]


def _table(table: Measurement, schema: Schema, step: int) -> NoisyTableDocument:
    return NoisyTableDocument(
        [schema.names[column] for column in table.columns],
        float(table.variance) ** 0.5,
        (table.variance.numerator, table.variance.denominator),
        step,
        table.counts.tolist(),
    )


def _tree(leaves: LeafTable, schema: Schema) -> LeafTableDocument:
    names = schema.names
    return LeafTableDocument(
        names[leaves.target],
        float(leaves.variance) ** 0.5,
        (leaves.variance.numerator, leaves.variance.denominator),
        [
            (None if node.column is None else names[node.column], list(node.children))
            for node in leaves.nodes
        ],
        leaves.counts.tolist(),
    )


def private_model_of(document: PrivateModelDocument) -> NoisyModel:
    """The model in a document; one whose numbers do not keep its promise is refused."""
    check_promise(document.epsilon, document.delta)
    schema = schema_of(document.columns, document.keys)
    log = NoisyLog(
        tuple(attribute.size for attribute in schema),
        document.epsilon,
        document.delta,
        BudgetLedger(
            document.budget, tuple(Entry(e.part, e.rho, e.delta) for e in document.ledger)
        ),
        _pool(document.pool),
        document.key,
        _steps(document, schema),
        leaves=None if document.tree is UNSET else _leaves(document.tree, schema),
        seeded=document.seeded,
    )
    _check_costs(log, document.rows_per_person)
    check_lengths(document.columns)
    return NoisyModel(
        schema,
        log,
        document.min_support,
        rows_per_person=document.rows_per_person,
        guessed=tuple(document.guessed),
        target=document.target,
        told=counts_of(document, schema),
        person="" if document.person is UNSET else document.person,
    )


def _pool(given: dict[str, Any]) -> PoolSettings:
    names = {one.name for one in _pool_fields()}
    try:
        found = msgspec.convert(given, PoolSettings) if set(given) == names else None
    except msgspec.ValidationError:
        found = None
    if found is None or not 1 <= found.rows <= _MOST_POOL or not 1 <= found.last_rows <= _MOST_POOL:
        raise BadInput("Its pool has settings that cannot be.")
    if not (0 <= found.rounds <= 100 and 0 <= found.last_rounds <= 1000 and found.priors):
        raise BadInput("Its pool has settings that cannot be.")
    return found


def _steps(document: PrivateModelDocument, schema: Schema) -> tuple[tuple[Measurement, ...], ...]:
    found: dict[int, list[Measurement]] = {}
    for table in document.tables:
        columns = tuple(schema.position(name) for name in table.columns)
        sizes = [schema.attributes[column].size for column in columns]
        if list(columns) != sorted(set(columns)) or prod(sizes) != len(table.counts):
            raise BadInput("A table does not have a count for each combination of its columns.")
        found.setdefault(table.step, []).append(
            Measurement(columns, np.array(table.counts, np.int64), _variance(table))
        )
    if sorted(found) != list(range(len(found))):
        raise BadInput("The steps of its tables are not numbered one after the other.")
    if [table.columns for table in found[0]] != [(c,) for c in range(len(schema))]:
        raise BadInput("Its first tables are not the single columns.")
    return tuple(tuple(found[step]) for step in range(len(found)))


def _variance(table: NoisyTableDocument | LeafTableDocument) -> Fraction:
    exact = Fraction(*table.variance)
    if abs(float(exact) ** 0.5 - table.sigma) > _ROUNDING * table.sigma:
        raise BadInput("The noise of a table and its variance do not agree.")
    return exact


def _leaves(tree: LeafTableDocument, schema: Schema) -> LeafTable:
    nodes = tuple(
        LeafNode(None if name is None else schema.position(name), tuple(children))
        for name, children in tree.nodes
    )
    seen = [child for node in nodes for child in node.children]
    sound = sorted(seen) == list(range(1, len(nodes))) and all(
        len(node.children) == (0 if node.column is None else schema.attributes[node.column].size)
        and all(child > place for child in node.children)
        for place, node in enumerate(nodes)
    )
    leaves = sum(node.column is None for node in nodes)
    classes = schema[tree.target].size
    if not sound or [len(line) for line in tree.counts] != [classes] * leaves:
        raise BadInput("The tree of its target does not hang together.")
    counts = np.array(tree.counts, np.int64)
    return LeafTable(nodes, schema.position(tree.target), counts, _variance(tree))


def _check_costs(log: NoisyLog, rows_per_person: int) -> None:
    """The ledger must pay for the noise that the tables have, and keep the ε that is named."""
    parts = log.ledger.by_part()
    paid = sum(parts.get(part, 0.0) for part in (SINGLES, MEASURING, LEAVES))
    noisy = [each.variance for step in log.steps for each in step]
    noisy += [] if log.leaves is None else [log.leaves.variance]
    cost = sum(gaussian_rho(float(variance) ** 0.5) for variance in noisy)
    if cost > paid * (1 + _ROUNDING):
        raise BadInput("Its ledger does not pay for the counts that it lists.")
    chosen = sum(map(len, log.steps[1:]))
    if chosen and not parts.get(CHOOSING):
        raise BadInput("Its ledger does not pay for the choice of its tables.")
    if log.ledger.delta >= log.delta:
        raise BadInput("Its ledger takes more of δ than there is.")
    if spent_epsilon(log, rows_per_person) > log.epsilon * (1 + _ROUNDING):
        raise BadInput(f"Its ledger adds up to more than the ε of {log.epsilon:g} that it names.")
