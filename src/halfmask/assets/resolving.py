"""Resolving: from what stands in an asset file to an asset; what cannot be meant is refused."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from halfmask.assets.asset import Asset, BadAsset, Constraint, Information, Path, Relation, Weights
from halfmask.assets.constraints import Expression, Joined, SqlCompiler
from halfmask.assets.document import (
    Arguments,
    AssetDocument,
    AttributeForm,
    InformationForm,
    Nested,
    Operator,
)
from halfmask.assets.expressions import read_expression

_ARITY: dict[Operator, tuple[int, int | None, str]] = {
    "not": (1, 1, "one argument"),
    "implies": (2, 2, "two arguments"),
    "xor": (2, 2, "two arguments"),
    "iff": (2, 2, "two arguments"),
    "and": (1, None, "at least one argument"),
    "or": (1, None, "at least one argument"),
}


def resolve(document: AssetDocument, *, compile_sql: SqlCompiler | None = None) -> Asset:
    """The asset that a document describes; a `BadAsset` says what is wrong and where.

    `compile_sql` makes SQL expressions ready; without it they are refused.
    """
    relation = _relation(document)
    if not document.asset:
        raise BadAsset(("asset",), "The asset lists no information; list what matters.")
    names: set[str] = set()
    informations = []
    for place, form in enumerate(document.asset):
        path: Path = ("asset", place)
        if form.name in names:
            raise BadAsset((*path, "name"), f"Two informations are called {form.name!r}.")
        names.add(form.name)
        informations.append(_Resolver(form, path, relation, compile_sql).information())
    if not sum(one.weight for one in informations):
        raise BadAsset(("asset",), "All weights are 0, so nothing matters.")
    return Asset(relation, tuple(informations), document)


def _relation(document: AssetDocument) -> Relation:
    form = document.relation
    if not form.attributes:
        raise BadAsset(("relation", "attributes"), "The relation lists no attributes.")
    for place, name in enumerate(form.key):
        if name in form.key[:place]:
            raise BadAsset(("relation", "key", place), f"The key names {name!r} twice.")
    for name, attribute in form.attributes.items():
        _check_equality(attribute, ("relation", "attributes", name))
    tokens = {str(t).lower() if isinstance(t, bool) else str(t) for t in form.null_tokens}
    return Relation(form.key, form.attributes, frozenset(tokens))


def _check_equality(form: AttributeForm, path: Path) -> None:
    if (form.equal == "tolerance") != (form.tolerance is not None):
        raise BadAsset(path, "'equal: tolerance' and a 'tolerance' go together.")
    if form.equal == "tolerance" and form.type not in ("int", "float"):
        raise BadAsset(path, f"A tolerance is for numbers, and the type is {form.type!r}.")
    if form.equal == "ancestor" and form.hierarchy is None:
        raise BadAsset(path, "'equal: ancestor' needs a 'hierarchy', the name of its file.")
    if form.tolerance is not None:
        _check_weight(form.tolerance, (*path, "tolerance"), "tolerance")


def _check_weight(weight: float, path: Path, what: str = "weight") -> None:
    if not math.isfinite(weight) or weight < 0:
        raise BadAsset(path, f"A {what} is a number of at least 0, not {weight:g}.")


@dataclass(frozen=True)
class _Resolver:
    """One information of the document, and what it may refer to."""

    form: InformationForm
    path: Path
    relation: Relation
    compile_sql: SqlCompiler | None

    def information(self) -> Information:
        """The information, every reference followed."""
        form = self.form
        _check_weight(form.weight, (*self.path, "weight"))
        weights = tuple(self._weights())
        self._check_names()
        simple = {
            name: read_expression(
                one.expr, self.relation, self._at("simple", name, "expr"), self.compile_sql
            )
            for name, one in form.simple.items()
        }
        joined = {name: self._complex(name, simple, ()) for name in form.complex}
        constraints = (*self._simple_ones(simple), *self._complex_ones(joined))
        for constraint in constraints:
            self._check_listed(constraint)
        self._check_slinks(simple)
        return Information(form.name, form.weight, weights, constraints)

    def _at(self, *rest: str | int) -> Path:
        return (*self.path, *rest)

    def _weights(self) -> Iterator[Weights]:
        if not self.form.attributes:
            raise BadAsset(self._at("attributes"), "The information lists no attributes.")
        for name, one in self.form.attributes.items():
            at = self._at("attributes", name)
            if name in self.relation.key:
                raise BadAsset(at, f"{name!r} is part of the key, which no release may change.")
            if name not in self.relation.attributes:
                raise BadAsset.unknown(at, "attribute", name, list(self.relation.attributes))
            _check_weight(one.aw, (*at, "aw"))
            _check_weight(one.cw, (*at, "cw"))
            yield Weights(name, one.aw, one.cw)

    def _check_names(self) -> None:
        for name in self.form.complex:
            if name in self.form.simple:
                raise BadAsset(
                    self._at("complex", name),
                    f"{name!r} is also the name of a simple constraint; every constraint needs "
                    "its own name.",
                )

    def _simple_ones(self, simple: dict[str, Expression]) -> Iterator[Constraint]:
        for name, expression in simple.items():
            one = self.form.simple[name]
            users = [c for c, form in self.form.complex.items() if name in _named(form.args)]
            self._check_link(one.clink, users, self._at("simple", name, "clink"), "complex", name)
            tested = one.standalone or not users
            weight = float(tested) if one.weight is None else one.weight
            _check_weight(weight, self._at("simple", name, "weight"))
            if weight and not tested:
                raise BadAsset(
                    self._at("simple", name, "weight"),
                    f"{name!r} is a building block of {users[0]!r} and not tested by itself; "
                    "say 'standalone: true', or leave the weight out.",
                )
            yield Constraint(name, "simple", expression, weight, tested)

    def _complex_ones(self, joined: dict[str, Joined]) -> Iterator[Constraint]:
        for name, expression in joined.items():
            one = self.form.complex[name]
            _check_weight(one.weight, self._at("complex", name, "weight"))
            parts = tuple(dict.fromkeys(_named(one.args)))
            yield Constraint(name, "complex", expression, one.weight, parts=parts)

    def _complex(self, name: str, simple: dict[str, Expression], above: tuple[str, ...]) -> Joined:
        if name in above:
            circle = " -> ".join((*above[above.index(name) :], name))
            raise BadAsset(
                self._at("complex", above[0]), f"The constraints are circular: {circle}."
            )
        form = self.form.complex[name]
        at = self._at("complex", name)
        return self._joined(form.op, form.args, at, simple, (*above, name))

    def _joined(
        self,
        op: Operator,
        args: Arguments,
        at: Path,
        simple: dict[str, Expression],
        above: tuple[str, ...],
    ) -> Joined:
        least, most, words = _ARITY[op]
        if len(args) < least or (most is not None and len(args) > most):
            raise BadAsset((*at, "args"), f"{op!r} takes {words}; given: {len(args)}.")
        parts: list[Expression] = []
        for place, one in enumerate(args):
            here = (*at, "args", place)
            if isinstance(one, Nested):
                parts.append(self._joined(one.op, one.args, here, simple, above))
            elif one in simple:
                parts.append(simple[one])
            elif one in self.form.complex:
                parts.append(self._complex(one, simple, above))
            else:
                known = [*simple, *self.form.complex]
                raise BadAsset.unknown(here, "constraint", one, known)
        return Joined(op, tuple(parts))

    def _check_listed(self, constraint: Constraint) -> None:
        for name in constraint.attributes:
            if name not in self.form.attributes:
                section = "simple" if constraint.kind == "simple" else "complex"
                raise BadAsset(
                    self._at(section, constraint.name),
                    f"The constraint reads attribute {name!r}, which information "
                    f"{self.form.name!r} does not list; list it, with weights of 0 if its own "
                    "values do not matter.",
                )

    def _check_slinks(self, simple: dict[str, Expression]) -> None:
        for name, one in self.form.attributes.items():
            reading = [c for c, expression in simple.items() if name in expression.attributes]
            at = self._at("attributes", name, "slink")
            self._check_link(one.slink, reading, at, "simple", name)

    def _check_link(
        self, given: tuple[str, ...] | None, found: list[str], at: Path, section: str, of: str
    ) -> None:
        """A link that is given must say what the expressions say."""
        known = list(self.form.simple if section == "simple" else self.form.complex)
        for place, name in enumerate(given or ()):
            if name not in known:
                raise BadAsset.unknown((*at, place), f"{section} constraint", name, known)
            if name not in found:
                raise BadAsset(
                    (*at, place),
                    f"The link names {name!r}, which does not involve {of!r}.",
                )
        lacking = [name for name in found if given is not None and name not in given]
        if lacking:
            raise BadAsset(at, f"{lacking[0]!r} reads {of!r}; the link to it is missing.")


def _named(args: Iterable[str | Nested]) -> Iterator[str]:
    """All names in nested arguments."""
    for one in args:
        if isinstance(one, Nested):
            yield from _named(one.args)
        else:
            yield one
