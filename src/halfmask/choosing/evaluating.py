"""Evaluating: an asset as a document that a worker can read, and the lacks it finds."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

import msgspec

from halfmask.assets.asset import Asset
from halfmask.assets.document import AssetDocument
from halfmask.assets.evaluation import evaluate
from halfmask.assets.lacks import Form
from halfmask.assets.resolving import resolve
from halfmask.choosing.making import Database
from halfmask.choosing.trial import Lacks
from halfmask.methods.suppression import Hierarchy


@dataclass(frozen=True, slots=True)
class AssetBundle:
    """An asset with the hierarchies it names, in plain types."""

    document: AssetDocument
    hierarchies: dict[str, Hierarchy] = field(default_factory=dict)

    @classmethod
    def of(cls, asset: Asset, hierarchies: dict[str, Hierarchy]) -> AssetBundle:
        """The bundle of a resolved asset, without its key: drawn rows are known by their place."""
        relation = asset.document.relation
        kept = {n: f for n, f in relation.attributes.items() if n not in relation.key}
        return cls(
            msgspec.structs.replace(
                asset.document,
                relation=msgspec.structs.replace(relation, key=(), attributes=kept),
            ),
            hierarchies,
        )

    def encoded(self) -> bytes:
        """The bundle as JSON."""
        return msgspec.json.encode(self, order="deterministic")

    @property
    def digest(self) -> str:
        """By what a trial names it."""
        return hashlib.blake2b(self.encoded(), digest_size=16).hexdigest()


@dataclass(frozen=True, eq=False)
class AssetEvaluation:
    """The evaluation that a bundle asks for."""

    asset: Asset
    hierarchies: dict[str, Hierarchy]

    def __call__(self, original: Database, release: Any, form: Form) -> Lacks:
        """What a release lacks."""
        found = evaluate(
            self.asset,
            original,
            release,
            alignment="position" if form == "aligned" else "none",
            hierarchies=self.hierarchies,
        )
        return Lacks(
            found.accuracy_lack,
            found.completeness_lack,
            found.consistency_lack,
            {
                one.information: (one.accuracy.raw, one.completeness.raw, one.consistency.raw)
                for one in found.informations
            },
        )


def evaluation_of(encoded: bytes) -> AssetEvaluation:
    """The evaluation of a bundle in JSON."""
    bundle = msgspec.json.decode(encoded, type=AssetBundle)
    from halfmask.documents.sql_constraints import compile_sql  # brings Arrow along

    return AssetEvaluation(resolve(bundle.document, compile_sql=compile_sql), bundle.hierarchies)
