"""Request: what a steward asks of a publication of tables, beside the settings of the method."""

from __future__ import annotations

from dataclasses import dataclass

from halfmask.api.generator import Generator
from halfmask.data.coding.spec import TableSpec
from halfmask.io.forms import FileOptions, PathLike
from halfmask.judging.tradeoff import Run
from halfmask.judging.verdict import Targets
from halfmask.memory import Memory
from halfmask.methods.generator.process import Progress
from halfmask.publishing.preparing import told
from halfmask.randomness import Randomness


@dataclass(frozen=True, kw_only=True)
class Request:
    """One field for each thing a steward may say; `halfmask.publish` takes them by these names.

    When a target is missed, `TargetNotMet` is raised, and of all files only the page with the
    reasons is written.

    >>> Request(nas_at_most=0.2, seed=1).targets.given
    ('nas_at_most',)
    """

    nas_at_most: float | None = None
    """A target for the anonymity score: of one table the smallest minimum support that meets it is
    looked for, and of a family it is refused if a table misses it."""
    ds_at_most: float | None = None
    """A bound on the dissimilarity."""
    risk_at_most: float | None = None
    """A bound on what an attack may gain."""
    rows: int | None = None
    """Rows to draw, of the parent in a family; as many as the original has unless told."""
    holdout: float = 0.0
    """This share of the rows (of the parents) is kept away from the method, so that the attacks
    among the measures can tell memory from plausibility."""
    sensitive: str | None = None
    """The column that an attacker would like to learn."""
    output: PathLike | None = None
    """The file of the release, or the folder of a family. Without it everything is written beside
    a file, and nothing of a dataframe."""
    external_report: PathLike | None = None
    """The file of a report that may go out with the release."""
    seed: int | None = None
    force: bool = False
    """Whether files that exist are replaced."""
    reading: FileOptions | None = None
    schema: PathLike | TableSpec | None = None
    """What the columns are where the guesses are wrong: a file that `halfmask schema init` wrote,
    or a `TableSpec`."""
    memory: str | int | None = None
    """What may be used, such as "8GB" (default: most of what the machine has free). Tables that do
    not fit are refused before they are read, and where it is short, patterns and measures look at
    fewer rows, which the report says."""
    progress: Progress | None = None
    """Told of the work; one with a method `stage` of every stage and how long it may still take."""

    @property
    def targets(self) -> Targets:
        """What decides whether the answer is no."""
        return Targets(self.nas_at_most, self.ds_at_most, self.risk_at_most)

    @property
    def allowed(self) -> Memory:
        """The memory in bytes."""
        return Memory.of(self.memory)

    def told(self, method: Generator | None) -> Generator:
        """The method with what the schema says."""
        return told(method or Generator(), self.schema)

    def run(self, method: Generator) -> Run:
        """The randomness and the threads of the work."""
        return Run(Randomness(self.seed), method.threads, self.progress)
