"""Models: a learnt generator as a file that a person can read and a stranger can be sent."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from halfmask.documents.basket_model import FORM as OF_BASKETS
from halfmask.documents.basket_model import (
    BasketModelDocument,
    basket_model_bytes,
    basket_model_of,
)
from halfmask.documents.form import MAX_BYTES, format_of
from halfmask.documents.model_document import (
    FORM,
    CalibrationDocument,
    ModelDocument,
    RoundedDocument,
    SettingsDocument,
)
from halfmask.documents.model_parts import (
    documents_of_margins,
    documents_of_trees,
    margins_of,
)
from halfmask.documents.model_ranks import documents_of_ranks
from halfmask.documents.model_tables import code_table_of, document_of
from halfmask.documents.private_basket_model import FORM as PRIVATE_BASKETS
from halfmask.documents.private_basket_model import (
    PrivateBasketDocument,
    private_basket_bytes,
    private_basket_of,
)
from halfmask.documents.private_document import FORM as PRIVATE
from halfmask.documents.private_document import PrivateModelDocument
from halfmask.documents.private_model import private_model_bytes, private_model_of
from halfmask.errors import BadInput
from halfmask.io.forms import STANDARD, PathLike
from halfmask.io.sources import read_bytes
from halfmask.io.writing import write_bytes
from halfmask.methods.baskets.model import BasketModel
from halfmask.methods.calibration.settings import CalibrationSettings
from halfmask.methods.generator.derivable import derivable
from halfmask.methods.generator.model import GeneratorModel
from halfmask.methods.generator.settings import GeneratorSettings
from halfmask.methods.names import items_named
from halfmask.methods.private.noisy_model import NoisyModel
from halfmask.methods.private_baskets.model import NoisyBaskets
from halfmask.patterns.mining import DEFAULT_LIMIT

_MOST_PAIRS = 10_000_000
"""So many pairs of values may be hidden together; a file that asks for more is an attack."""
_MOST_STEPS = 100_000_000
"""So many steps may looking up the names in the settings take: about a second."""


def model_bytes(model: GeneratorModel) -> bytes:
    """The content of a model file; a model that would tell of too few rows is refused.

    What one of several sites tells follows from the files of the sites, which were checked.
    """
    if not model.of_sites and (found := derivable(model)).count:
        raise BadInput(
            f"The model discloses small groups: {found.count:,} groups of fewer than "
            f"{model.min_support:,} follow from its counts by arithmetic. Write the model that "
            "a release was drawn from, whose counts are rounded."
        )
    document = document_of(
        model.code_table,
        model.schema,
        _settings_document(model),
        RoundedDocument(model.base, model.code_table.off_by)
        if model.code_table.off_by
        else msgspec.UNSET,
    )
    margins = documents_of_margins(model.margins, model.schema)
    whole = msgspec.structs.replace(
        document,
        complete=model.complete,
        margins=margins,
        ranks=documents_of_ranks(model.schema),
        trees=documents_of_trees(model.margins, model.schema),
        estimated=True if model.margins is not None and model.margins.estimated else msgspec.UNSET,
    )
    return FORM.to_json(whole)


def _settings_document(model: GeneratorModel) -> SettingsDocument:
    """How the model was learnt; what stands at its default is left out."""
    settings = model.settings
    return SettingsDocument(
        min_support=model.min_support,
        laplace=settings.laplace,
        rare_values=settings.rare_values,
        prune=settings.prune,
        candidates=settings.candidates,
        search=settings.search,
        max_candidates=settings.max_candidates
        if settings.max_candidates != DEFAULT_LIMIT
        else msgspec.UNSET,
        effort=settings.effort if settings.effort != GeneratorSettings.effort else msgspec.UNSET,
        search_rows=settings.search_rows or msgspec.UNSET,
        pattern_support=settings.pattern_support or msgspec.UNSET,
        max_pattern_length=settings.max_pattern_length,
        hide_together=[(one, other) for one, other in settings.hide_together],
        laplace_for=dict(settings.laplace_for),
        order=settings.order if isinstance(settings.order, str) else list(settings.order),
        value_support=settings.value_support,
        calibration=CalibrationDocument(**asdict(settings.calibration))
        if settings.calibration.order
        else msgspec.UNSET,
    )


AnyModel: TypeAlias = GeneratorModel | BasketModel | NoisyModel | NoisyBaskets


def any_model_bytes(model: AnyModel) -> bytes:
    """The content of the file of a model of any kind."""
    if isinstance(model, NoisyModel):
        return private_model_bytes(model)
    if isinstance(model, NoisyBaskets):
        return private_basket_bytes(model)
    return basket_model_bytes(model) if isinstance(model, BasketModel) else model_bytes(model)


def save(model: AnyModel, path: PathLike, *, force: bool = False) -> None:
    """Write a model file, whole or not at all."""
    write_bytes(path, any_model_bytes(model), force=force)


def load(path: PathLike) -> GeneratorModel:
    """Read the model of a table; one that is damaged, newer or at odds with itself is refused."""
    model, name = _read(path)
    if isinstance(model, BasketModel | NoisyBaskets):
        raise BadInput(f"{name} is a model of baskets, and the model of a table is needed here.")
    if isinstance(model, NoisyModel):
        raise BadInput(
            f"{name} is the model of a private release; this needs one of a table's patterns."
        )
    return model


def load_any(path: PathLike) -> AnyModel:
    """Read a model file, of a table, of baskets or of a private release of either."""
    return _read(path)[0]


def _read(path: PathLike) -> tuple[AnyModel, str]:
    content, name = _content(path)
    if len(content) > MAX_BYTES:
        raise BadInput(f"{name} is not a halfmask model: it has more than {MAX_BYTES:,} bytes.")
    if not content:
        raise BadInput(f"{name} is empty.")
    forms: dict[str, Any] = {
        form.format: form for form in (FORM, OF_BASKETS, PRIVATE, PRIVATE_BASKETS)
    }
    document = forms.get(format_of(content, name), FORM).from_json(content, name)
    try:
        if isinstance(document, PrivateModelDocument):
            return private_model_of(document), name
        if isinstance(document, PrivateBasketDocument):
            return private_basket_of(document), name
        if isinstance(document, BasketModelDocument):
            return basket_model_of(document), name
        return _model(document), name
    except BadInput as reason:
        raise BadInput(f"{name} is not a valid halfmask model: {reason}") from None


def _content(path: PathLike) -> tuple[bytes, str]:
    if str(path) == STANDARD:
        return sys.stdin.buffer.read(MAX_BYTES + 1), "Standard input"
    return read_bytes(path, MAX_BYTES + 1), repr(Path(path).name)


def _model(document: ModelDocument) -> GeneratorModel:
    table, schema = code_table_of(document)
    given = document.settings
    names = [*given.laplace_for, *(name for pair in given.hide_together for name in pair)]
    # A name is cut at each "=" to see whether a column stands before it.
    if sum((1 + name.count("=")) * (schema.n_items + len(name)) for name in names) > _MOST_STEPS:
        raise BadInput("Its settings name too many values.")
    pairs = sum(
        len(items_named(schema, one)) * len(items_named(schema, other))
        for one, other in given.hide_together
    )
    if pairs > _MOST_PAIRS:
        raise BadInput(f"It hides {pairs:,} pairs of values; at most {_MOST_PAIRS:,} are allowed.")
    settings = {
        name: value
        for name, value in msgspec.structs.asdict(given).items()
        if value is not msgspec.UNSET
    }
    if given.calibration is not msgspec.UNSET:
        settings["calibration"] = CalibrationSettings(**msgspec.structs.asdict(given.calibration))
    if isinstance(given.order, list):
        settings["order"] = tuple(given.order)
    return GeneratorModel(
        table,
        GeneratorSettings(**settings),
        complete=document.complete,
        margins=margins_of(document, schema),
        base=document.base,
    )
