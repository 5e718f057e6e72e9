"""A worker: one trial a line comes in, one outcome a line goes out.

It is a process of its own, so that a trial that takes too long can be ended and one that needs too
much memory takes nothing down with it. It reads drawn databases from the trials folder; the target
is never given to it.

Evaluating: an asset as a document that a worker can read, and the lacks it finds.
"""

from __future__ import annotations

import hashlib
import os
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

import msgspec

from halfmask.assets.asset import Asset
from halfmask.assets.document import AssetDocument
from halfmask.assets.evaluation import evaluate
from halfmask.assets.lacks import Form
from halfmask.assets.resolving import resolve
from halfmask.choosing.folder import TrialsFolder
from halfmask.choosing.making import Database
from halfmask.choosing.trial import Evaluate, Lacks, Trial, TrialOutcome, run_trial
from halfmask.methods.suppression.hierarchy import Hierarchy


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
        return Lacks(found.accuracy.raw, found.completeness.raw, found.consistency.raw)


def evaluation_of(encoded: bytes) -> AssetEvaluation:
    """The evaluation of a bundle in JSON."""
    bundle = msgspec.json.decode(encoded, type=AssetBundle)
    from halfmask.documents.sql_constraints import compile_sql  # brings Arrow along

    return AssetEvaluation(resolve(bundle.document, compile_sql=compile_sql), bundle.hierarchies)


TOO_MUCH = "It needs more memory than a trial may use."


def serve(folder: TrialsFolder, asked: IO[bytes], answers: IO[bytes]) -> None:
    """Run trials until there are no more."""

    @lru_cache(maxsize=2)
    def database(digest: str) -> Database:
        return folder.database(digest)

    @lru_cache(maxsize=1)
    def evaluation(digest: str) -> Evaluate:
        return evaluation_of(folder.text(f"asset-{digest}.json"))

    for line in asked:
        trial = msgspec.json.decode(line, type=Trial)
        # Made before the trial: when memory is short there may be none for a sentence.
        answer = msgspec.json.encode(TrialOutcome(trial.key, failed=TOO_MUCH))
        with suppress(MemoryError):
            judge = None if trial.asset is None else evaluation(trial.asset)
            answer = msgspec.json.encode(run_trial(trial, database(trial.database), judge))
        answers.write(answer + b"\n")
        answers.flush()


def limit_memory(most: int) -> None:
    """Let this process take so many bytes and no more, where the system can promise that."""
    try:
        import resource
    except ImportError:  # not a Unix system
        return
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def main() -> None:
    """`python -m halfmask.choosing.worker FOLDER BYTES`."""
    limit_memory(int(sys.argv[2]))
    # What a library prints must not stand among the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(TrialsFolder(Path(sys.argv[1])), sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
