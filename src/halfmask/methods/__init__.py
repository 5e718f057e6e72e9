"""The methods: each turns an original into a release, and declares itself in its own folder."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from halfmask.methods.anatomy.method import Anatomy, TableAnatomy
from halfmask.methods.baskets.method import BasketGenerator
from halfmask.methods.distortion.method import Distortion
from halfmask.methods.generator.method import GeneratorMethod
from halfmask.methods.hiding.method import Hiding
from halfmask.methods.method import Made, Method
from halfmask.methods.private.method import Private
from halfmask.methods.private_baskets.method import PrivateBaskets
from halfmask.methods.suppression.method import Coherent, KAnonymous, KmAnonymous

__all__ = ["METHODS", "Made", "Method"]

METHODS: Mapping[str, type[Method]] = MappingProxyType(
    {
        method.name: method
        for method in (
            GeneratorMethod,
            Private,
            BasketGenerator,
            PrivateBaskets,
            Anatomy,
            TableAnatomy,
            Distortion,
            Hiding,
            Coherent,
            KmAnonymous,
            KAnonymous,
        )
    }
)
"""Every method by its name; to add one, write it in its own folder and list it here."""
