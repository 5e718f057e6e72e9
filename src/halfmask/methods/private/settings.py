"""What is asked of every private release: the promise, and the ledger it is entered in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from halfmask.methods.method import Method
from halfmask.methods.private import accounting
from halfmask.methods.settings import Setting, setting


@dataclass(kw_only=True, eq=False)
class PrivateSettings(Method):
    """The promise of a method with differential privacy."""

    epsilon: float = setting(
        help="Promise differential privacy with this ε: no release becomes more than e^ε times as "
        "probable by one person's data. 1 is strong, 10 says little.",
        form="number", above=0, group="privacy",
    )  # fmt: skip
    delta: float = setting(
        1e-9,
        "The probability with which the bound of --epsilon may fail; it must be far below 1 / "
        "rows.",
        form="number", above=0, most=1, group="privacy",
    )  # fmt: skip
    rows_per_person: int = setting(
        1,
        "The most rows, or baskets, that one person has; the noise grows with it.",
        form="whole", least=1, group="privacy",
    )  # fmt: skip
    epsilon_in_all: float | None = setting(
        None,
        "Refuse a release with which all those in the ledger of this table would come to more.",
        form="number", above=0, group="privacy",
    )  # fmt: skip
    ledger: Any = setting(
        None,
        "Where the releases of this table are entered and added up; NAME.ledger.json beside the "
        "input by default.",
        form="file", group="files",
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        accounting.check_promise(self.epsilon, self.delta)

    @classmethod
    def declared(cls) -> dict[str, Setting]:
        """What may be said; what few hold are no question here."""
        return {name: one for name, one in super().declared().items() if name != "rare_values"}

    @property
    def has_model(self) -> bool:
        """Its model can draw more of the same anywhere, at no cost to anyone."""
        return True
