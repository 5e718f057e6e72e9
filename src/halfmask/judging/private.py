"""The verdict on a private release: its promise first, then what the internal measures say.

No attack on one release can prove or refute differential privacy, so measures are read for what
they can show: a broken set-up, and a release from which nothing can be learnt.
"""

from __future__ import annotations

from collections.abc import Iterator

from halfmask.data.release import Check
from halfmask.judging.verdict import Targets, Verdict, decide
from halfmask.methods.private.promise import PromisedModel, likelier

STRONG, WEAK = 1.0, 10.0
"""An ε up to the first is what the literature calls strong; above the second it says little."""
NOT_ASKED = ("How rows are made",)
"""Checks of how patterns make rows; here patterns are read off rows that were drawn before."""


def judge_private(model: PromisedModel, measured: Verdict, targets: Targets) -> Verdict:
    """Hold a private release against its promise, and what was measured of it in its context."""
    asked = (check for check in measured.checks if _name(check) not in NOT_ASKED)
    checks = (*_promise(model), *(_in_context(check, model.advice) for check in asked))
    return decide(checks, targets)


def promise_verdict(model: PromisedModel) -> Verdict:
    """The verdict as far as it rests on the promise alone, which tells nothing of the original."""
    checks = tuple(_promise(model))
    found = decide(checks, Targets())
    kept = tuple(check.sentence for check in checks if check.outcome == "passed")
    return Verdict("publish", kept, checks) if found.word == "publish" else found


def _promise(model: PromisedModel) -> Iterator[Check]:
    log = model.account
    even = f"from even odds to {likelier(log.epsilon):.0%} at most"
    what = "Promise"
    if log.seeded:
        sentence = (
            "The noise was drawn from a seed, so nothing is promised: whoever knows the seed can "
            "take the noise off. Publish again without --seed."
        )
        yield Check(what, "review", sentence)
    elif log.epsilon > WEAK:
        sentence = (
            f"An ε of {log.epsilon:g} promises little: it lets somebody come {even} about a person "
            f"in the table. Up to {WEAK:g} is usual, {STRONG:g} is strong."
        )
        yield Check(what, "review", sentence)
    else:
        sentence = (
            f"Differential privacy with ε = {log.epsilon:g} and δ = {log.delta:g}; nobody's data "
            f"lets somebody come further than {even}. Spent: ε = {model.epsilon_spent:.4g}."
        )
        yield Check(what, "passed", sentence)
    if model.guessed:
        named = ", ".join(map(repr, model.guessed[:5])) + (", …" if model.guessed[5:] else "")
        sentence = (
            f"The kinds of {len(model.guessed):,} columns ({named}) were read off the data, which "
            "the promise does not cover; declare them (`halfmask schema init --public`), or make "
            "sure that they are no secret."
        )
        yield Check("Kinds of columns", "review", sentence)


def _name(check: Check) -> str:
    """What is checked, without the table of a family."""
    return check.what.rpartition(": ")[2]


def _in_context(check: Check, advice: str) -> Check:
    """Rows that reappear without memory are rows that many people could have."""
    if _name(check) == "Rows that reappear" and check.outcome == "review":
        start = check.sentence.partition("; raise the minimum support")[0].rstrip(".")
        return Check(
            check.what,
            "passed",
            f"{start}; no row was copied: they are so plausible that noisy counts bring them back.",
        )
    if _name(check) == "Relations preserved" and check.outcome == "review":
        start = check.sentence.partition("; lower the minimum support")[0].rstrip(".")
        return Check(
            check.what,
            "review",
            f"{start}; {advice}.",
        )
    return check
