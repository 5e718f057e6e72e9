"""Deciding: the part of a page that says what came of a release, in the words of the report."""

from __future__ import annotations

import re
from urllib.parse import urlencode

from halfmask.judging.attacks import ATTACKS
from halfmask.judging.dials import DialPoint
from halfmask.publishing.publication import Publication
from halfmask.report.charts import charts
from halfmask.report.html import (
    FamilyDocument,
    environment,
    filters,
    independent_words,
    pictures,
    table_parts,
)

_STYLE = re.compile(r"<style.*?</style>", re.DOTALL)


def decide_part(published: Publication) -> str:
    """Verdict, measures, original beside release, and the trade-off with points to choose."""
    document = published.document
    assert not isinstance(document, FamilyDocument)  # noqa: S101 - the page publishes one table
    drawn = {name: without_style(svg) for name, svg in charts(document, again).items()}
    template = environment(filters(external=False), "halfmask.studio").get_template("part.html.j2")
    return template.render(
        document=document,
        charts=pictures(drawn),
        attack_names=ATTACKS,
        independent=independent_words(document),
        **table_parts(document),
    )


def without_style(svg: str) -> str:
    """A picture without rules of its own: the page's policy allows none, and its sheet has them."""
    return _STYLE.sub("", svg)


def again(point: DialPoint) -> str:
    """Where the settings of a point are taken over."""
    return "again?" + urlencode({"min_support": point.min_support, "calibrate": point.order})
