"""An audit of a whole method, from the columns of a table to its release."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import halfmask as hm
from halfmask.cli.entry import cli
from halfmask.data import Release, Table
from halfmask.data.release import Claim
from halfmask.errors import BadInput, TargetNotMet
from halfmask.measures.audit import Audit
from halfmask.measures.confidence import clopper_pearson
from halfmask.methods.method import DataKind, Made
from halfmask.methods.tables import TableMethod
from halfmask.publishing.audit import MethodAudit, audit_method
from halfmask.run import Run


@dataclass(kw_only=True, eq=False)
class Leaky(TableMethod):
    """Rows drawn from a fixed population, from the table itself, or with one of its rows."""

    name: ClassVar[str] = "leaky"
    summary: ClassVar[str] = "A method with a known leak."
    kinds: ClassVar[tuple[DataKind, ...]] = ("table",)
    listens: ClassVar[frozenset[str]] = frozenset({"rows", "holdout"})
    leak: str = "none"

    def make(self, data: Any, run: Run) -> Made:
        """The release of this leak."""
        table, encoding = self.encode(self.kept(data))
        rng = run.randomness.child("leaky")
        codes = rng.integers(0, 2, (run.rows, len(table.schema))).astype(np.int32)
        if self.leak == "bootstrap":
            codes = table.codes[rng.integers(0, len(table), run.rows)]
        elif self.leak == "planted":
            codes[0] = table.codes[-1]
        rows = Table(table.schema, codes)
        claim = Claim("Nothing is promised", "nobody asks")
        release = Release(rows, "synthetic", "leaky", "synthetic data", claim)
        return Made(release, table, rows, rows, encoding=encoding)


def people(rows: int = 120) -> pl.DataFrame:
    """Sixteen coins for everybody; the last person is all tails, which nobody else is."""
    coins = np.random.default_rng(2).integers(0, 2, (rows, 16))
    coins[-1] = 0
    return pl.DataFrame({f"c{n}": np.array(["no", "yes"])[coins[:, n]] for n in range(16)})


def audited(leak: str, **options) -> MethodAudit:
    method = Leaky(leak=leak, min_support=5)
    return audit_method(people(), method=method, row=120, seed=3, **options)


def test_a_fresh_sample_tells_nothing():
    found = audited("none", fits=200)
    assert found.found.epsilon == 0
    assert abs(found.found.called.value - found.found.alarms.value) < 0.2


@pytest.mark.parametrize(("leak", "least"), [("bootstrap", 0.8), ("planted", 2.0)])
def test_a_known_leak_is_found(leak, least):
    found = audited(leak, fits=200, claimed=0.5)
    assert found.found.epsilon > least
    assert found.refuted
    assert "refuted" in found.sentences[-1]


def test_the_bound_cannot_be_more_than_so_many_fits_allow():
    found = audited("planted", fits=40)
    assert found.found.called.value == 1
    assert found.found.epsilon <= found.found.most
    assert found.found.most == pytest.approx(0.81, abs=0.01)


def test_the_person_who_stands_out_is_audited_unless_another_is_named():
    frame = people().with_columns(c0=pl.Series(["odd"] * 6 + ["yes"] * 114))
    found = audit_method(frame, method=Leaky(min_support=5), fits=40, seed=1)
    assert 1 <= found.row <= 6
    with pytest.raises(BadInput, match="counted from 1 to 120"):
        audit_method(people(), method=Leaky(), row=121, fits=40)


@pytest.mark.parametrize(
    ("source", "options", "sentence"),
    [
        (people(), {"method": "hiding", "sensitive": "c0=yes"}, "keeps rows as they are"),
        ({"a": people(), "b": people()}, {}, "was given several"),
        (people(), {"fits": 42}, "a multiple of 4 runs, 40 or more, not 42"),
        (hm.Baskets.of(["ab", "b"] * 100), {"method": "baskets"}, "these are baskets"),
    ],
)
def test_what_cannot_be_audited_is_refused_in_a_sentence(source, options, sentence):
    with pytest.raises(BadInput, match=sentence):
        audit_method(source, **options)


def test_the_generator_tells_more_about_a_person_the_more_it_calibrates():
    frame = people(200)[:, :6]
    calibrated, plain = (
        audit_method(frame, calibrate=order, fits=40, seed=1).found.called.value for order in (2, 0)
    )
    assert calibrated >= plain


def test_the_command_audits_and_refuses_a_claim(tmp_path):
    path = tmp_path / "people.csv"
    people(200)[:, :6].write_csv(path)
    asked = ["audit", str(path), "--fits", "40", "--seed", "1", "--min-support", "5"]
    ran = CliRunner().invoke(cli, [*asked, "--json"])
    assert ran.exit_code == 0, ran.output
    told = json.loads(ran.stdout)
    assert told["runs"] == 40
    assert told["epsilon"] <= told["most"]
    ran = CliRunner().invoke(cli, [*asked, "--quiet", "--min-suport", "3"])
    assert "did you mean --min-support" in str(ran.exception)
    assert list(tmp_path.iterdir()) == [path], "an audit writes nothing"


def test_a_refuted_claim_is_an_error(monkeypatch, tmp_path):
    share = clopper_pearson(10, 10)
    sure = MethodAudit("generator", 1, Audit(0.8, 0.0, share, clopper_pearson(0, 10), 40), 0.5)
    monkeypatch.setattr("halfmask.publishing.audit.audit_method", lambda *_, **__: sure)
    path = tmp_path / "people.csv"
    people().write_csv(path)
    ran = CliRunner().invoke(cli, ["audit", str(path), "--epsilon", "0.5"])
    assert isinstance(ran.exception, TargetNotMet)
    assert "ε is at least 0.80" in ran.stdout
