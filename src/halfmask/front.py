"""The doors `halfmask.publish` and `halfmask.measure`: one each for tables and for baskets."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from halfmask.errors import BadInput, UnknownName

if TYPE_CHECKING:
    from halfmask.api.measuring import Measured
    from halfmask.basket_publishing.publication import BasketPublication
    from halfmask.family_publishing.publication import FamilyPublication
    from halfmask.publishing.publication import Publication


def publish(
    source: Any, *, method: Any = None, **options: Any
) -> Publication | BasketPublication | FamilyPublication:
    """Turn an original (a dataframe, baskets or a file) into a release, measured and judged.

    `method` is a `Generator` (the default, for tables; its options are the fields of
    `halfmask.publishing.Request`), or the name of another method: `anatomy`, `distortion`,
    `hiding`, `baskets`, `coherence` and `km` for baskets, `table-anatomy` for tables. Their
    settings are options here, named as in `halfmask.basket_publishing`, beside those of every
    publication: `output`, `external_report`, `seed`, `threads`, `force`, `nas_at_most`,
    `ds_at_most`, `risk_at_most`.

    Several tables, given by name (`{"patients": patients, "visits": visits}`, dataframes or files),
    are a parent table and its child tables: see `halfmask.family_publishing.publish_family`.

    With a file the release and its report are written beside it; with data in memory nothing is
    written unless `output` says where.

    >>> from halfmask.data import Baskets
    >>> rows = Baskets.of([["beer", "crisps"], ["tea"], ["beer"], ["crisps", "tea"]] * 50)
    >>> publish(rows, method="distortion", keep=0.9, seed=1).release.kind
    'distorted'
    """
    from halfmask.api.generator import Generator

    if method is None or method == "generator" or isinstance(method, Generator):
        from halfmask.publishing.request import Request

        generator = method if isinstance(method, Generator) else None
        if isinstance(source, Mapping):
            from halfmask.family_publishing import publish_family

            joined = {name: options.pop(name) for name in ("key", "orphans") if name in options}
            return publish_family(source, Request(**options), method=generator, **joined)
        from halfmask.publishing import publish as publish_table

        return publish_table(source, Request(**options), method=generator)
    from halfmask.basket_publishing import METHODS, publish_baskets

    if not isinstance(method, str):
        return publish_baskets(source, method=method, **options)
    if method not in METHODS:
        raise UnknownName("method", str(method), ["generator", *METHODS])
    known = {field.name for field in fields(METHODS[method])}
    settings = {name: options.pop(name) for name in list(options) if name in known}
    try:
        chosen = METHODS[method](**settings)
    except TypeError:
        required = [f.name for f in fields(METHODS[method]) if f.name not in settings]
        raise BadInput(f"The method {method} needs {required[0]!r}.") from None
    return publish_baskets(source, method=chosen, **options)


def measure(original: Any, release: Any, **options: Any) -> Measured:
    """Say what a release kept of its original and what it gave away.

    Both are dataframes or files of tables (options: see `halfmask.api.measure`), or baskets or
    files of them (see `halfmask.basket_publishing.measure_baskets`). `only` names the measures to
    take; the default set takes seconds.

    >>> from halfmask.data import Baskets
    >>> rows = Baskets.of([["beer", "crisps"], ["tea"], ["beer"], ["crisps", "tea"]] * 50)
    >>> measure(rows, rows, only=["nas"], seed=1)["nas"].value
    1.0
    """
    if holds_baskets(original, options.get("reading")):
        from halfmask.basket_publishing.comparing import measure_baskets

        return measure_baskets(original, release, **options)
    from halfmask.api.measuring import measure as measure_tables

    return measure_tables(original, release, **options)


def holds_baskets(source: Any, reading: Any = None) -> bool:
    """Whether this is baskets, in memory or in a file; most files say it by their name."""
    from halfmask.data import Baskets
    from halfmask.io import files
    from halfmask.io.databases.addresses import is_address
    from halfmask.io.forms import FileOptions, named_form

    if not isinstance(source, str | os.PathLike):
        return isinstance(source, Baskets)
    if is_address(source):
        return False
    options = reading or FileOptions()
    form = named_form(source, options.format)
    if form.format in ("parquet", "arrow"):  # a column of lists is baskets
        return files.holds_lists(source, options)
    return form.holds_baskets
