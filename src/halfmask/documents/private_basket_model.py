"""Models of private baskets as files: noisy counts with their noise, what they cost, and patterns.

Like the file of a private table it holds nothing but what came out of noisy counts. A file from a
stranger is believed only where its noise and its ledger keep the ε that it names.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from halfmask.data import Assortment, Itemset
from halfmask.documents.basket_model import ItemDocument, SetDocument
from halfmask.documents.form import Form, Name
from halfmask.documents.private_document import EntryDocument, Noisy, Numbers, Share, Sigma, Whole
from halfmask.errors import BadInput
from halfmask.methods.private.accounting import BudgetLedger, Entry, check_promise, gaussian_rho
from halfmask.methods.private.promise import spent_epsilon
from halfmask.methods.private_baskets.learn import ITEMS, LENGTHS, PAIRS
from halfmask.methods.private_baskets.log import BasketLog, NoisyCounts
from halfmask.methods.private_baskets.model import NoisyBaskets
from halfmask.patterns.code_table import CodeTable

_MOST_ITEMS = 1_000_000
_ROUNDING = 1e-6
"""What sums of decimals may miss, as a share."""


class NoiseDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """The noise of some counts: its standard deviation, and its exact square as a fraction."""

    sigma: Sigma
    variance: tuple[Whole, Whole]


class NoisyPairDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """Two items, and how many baskets seem to hold both."""

    count: Noisy
    items: tuple[Name, Name]


class PrivateBasketDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """All that the model file of private baskets says."""

    epsilon: Annotated[float, Meta(gt=0, le=1e6)]
    delta: Annotated[float, Meta(gt=0, lt=1)]
    baskets_per_person: Annotated[int, Meta(ge=1, le=1_000_000)]
    items_per_basket: Annotated[int, Meta(ge=1, le=1_000)]
    """So many items of a basket were learnt from, at most."""
    budget: Share
    """ρ of zero-concentrated differential privacy, for one basket."""
    ledger: Annotated[list[EntryDocument], Meta(max_length=1_000)]
    min_support: Annotated[int, Meta(ge=1, le=2**53)]
    key: Annotated[int, Meta(ge=0, le=2**63 - 1)]
    """Of the draws that patterns were found in; it is no secret."""
    length_noise: NoiseDocument
    lengths: Numbers
    """Baskets of each class of lengths."""
    item_noise: NoiseDocument
    items: Annotated[list[tuple[Name, Noisy]], Meta(min_length=1, max_length=_MOST_ITEMS)]
    pair_noise: NoiseDocument
    pairs: Annotated[list[NoisyPairDocument], Meta(max_length=_MOST_ITEMS)]
    """All of them, or of many those that stand out from independent items."""
    rows: Annotated[int, Meta(ge=1, le=2**53)]
    """Baskets that were drawn to find the patterns in."""
    drawn: Annotated[list[ItemDocument], Meta(min_length=1, max_length=_MOST_ITEMS)]
    """The items among these baskets."""
    patterns: Annotated[list[SetDocument], Meta(max_length=_MOST_ITEMS)]
    seeded: bool = False
    """Whether the noise came from a seed: then nothing is promised."""


FORM = Form(
    "halfmask private basket model",
    1,
    "Noisy counts of baskets with differential privacy, to draw new ones from; the ledger says "
    "what they cost.",
    PrivateBasketDocument,
    tuple(PrivateBasketDocument.__struct_fields__),
)


def private_basket_bytes(model: NoisyBaskets) -> bytes:
    """The content of a model file."""
    log, table, names = model.log, model.code_table, model.log.names
    counts = zip(names, table.item_supports.tolist(), table.item_usages.tolist(), strict=True)
    patterns = zip(table.sets, table.usages.tolist(), table.supports.tolist(), strict=True)
    pairs = zip(log.pairs.tolist(), log.together.counts.tolist(), strict=True)
    document = PrivateBasketDocument(
        epsilon=log.epsilon,
        delta=log.delta,
        baskets_per_person=model.rows_per_person,
        items_per_basket=log.most,
        budget=log.ledger.rho,
        ledger=[EntryDocument(e.part, e.rho, e.delta) for e in log.ledger.entries],
        min_support=model.min_support,
        key=log.key,
        length_noise=_noise(log.lengths),
        lengths=log.lengths.counts.tolist(),
        item_noise=_noise(log.items),
        items=list(zip(names, log.items.counts.tolist(), strict=True)),
        pair_noise=_noise(log.together),
        pairs=[NoisyPairDocument(n, (names[a], names[b])) for (a, b), n in pairs],
        rows=table.rows,
        drawn=[ItemDocument(*each) for each in counts],
        patterns=[SetDocument(u, n, [names[i] for i in s]) for s, u, n in patterns],
        seeded=log.seeded,
    )
    return FORM.to_json(document)


def _noise(counts: NoisyCounts) -> NoiseDocument:
    return NoiseDocument(counts.sigma, (counts.variance.numerator, counts.variance.denominator))


def private_basket_of(document: PrivateBasketDocument) -> NoisyBaskets:
    """The model in a document; one whose numbers do not keep its promise is refused."""
    check_promise(document.epsilon, document.delta)
    schema = Assortment(tuple(name for name, _ in document.items))
    if [item.name for item in document.drawn] != list(schema.names):
        raise BadInput("Its patterns are not of the items that it counts.")
    pairs = [[schema.item(name) for name in pair.items] for pair in document.pairs]
    entries = tuple(Entry(e.part, e.rho, e.delta) for e in document.ledger)
    log = BasketLog(
        document.epsilon,
        document.delta,
        BudgetLedger(document.budget, entries),
        schema.names,
        document.items_per_basket,
        _counts(document.lengths, document.length_noise),
        _counts([count for _, count in document.items], document.item_noise),
        np.array(pairs, np.int32).reshape(-1, 2),
        _counts([pair.count for pair in document.pairs], document.pair_noise),
        document.key,
        document.seeded,
    )
    _check_costs(log, document.baskets_per_person)
    table = CodeTable(
        schema,
        [_numbered(pattern.items, schema) for pattern in document.patterns],
        [pattern.usage for pattern in document.patterns],
        [pattern.support for pattern in document.patterns],
        [item.usage for item in document.drawn],
        [item.support for item in document.drawn],
        document.rows,
    )
    return NoisyBaskets(log, document.min_support, document.baskets_per_person, told=table)


def _counts(numbers: list[int], noise: NoiseDocument) -> NoisyCounts:
    exact = Fraction(*noise.variance)
    if abs(float(exact) ** 0.5 - noise.sigma) > _ROUNDING * noise.sigma:
        raise BadInput("The noise of some counts and its variance do not agree.")
    return NoisyCounts(np.array(numbers, np.int64), exact)


def _numbered(items: list[str], schema: Assortment) -> Itemset:
    numbers = tuple(sorted({schema.item(name) for name in items}))
    if len(numbers) < len(items):
        raise BadInput("A pattern holds an item twice.")
    return numbers


def _check_costs(log: BasketLog, baskets_per_person: int) -> None:
    """The ledger must pay for the noise that the counts have, and keep the ε that is named."""
    parts, most = log.ledger.by_part(), log.most
    asked = [(LENGTHS, log.lengths, 1.0), (ITEMS, log.items, float(most))]
    if len(log.pairs):
        asked.append((PAIRS, log.together, most * (most - 1) / 2))
    for part, counts, square in asked:
        if gaussian_rho(counts.sigma, square**0.5) > parts.get(part, 0.0) * (1 + _ROUNDING):
            raise BadInput("Its ledger does not pay for the counts that it lists.")
    if log.ledger.delta >= log.delta:
        raise BadInput("Its ledger takes more of δ than there is.")
    if spent_epsilon(log, baskets_per_person) > log.epsilon * (1 + _ROUNDING):
        raise BadInput(f"Its ledger adds up to more than the ε of {log.epsilon:g} that it names.")
