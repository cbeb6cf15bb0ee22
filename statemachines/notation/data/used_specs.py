"""`use:`: libraries bring in types, errors and definitions; machines bring in their states and what
they allow.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import attrs
from attrs import frozen

from statemachines.model.definitions.machine_definitions import SpecDefinition, state_moves
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.language.value_types import EnumType
from statemachines.notation.data.data_reader import DataReader
from statemachines.notation.data.refinement_reader import refinement_nodes
from statemachines.notation.document.yaml_nodes import YamlMapping, YamlScalar, node_items
from statemachines.notation.passes.spec_builder import (
    SpecBuilder,
    SpecReading,
    neighbouring_spec,
    why_unusable,
)
from statemachines.notation.typing.name_scope import UsedMachine

_specs_being_read: ContextVar[tuple[str, ...]] = ContextVar("reading", default=())
"""Names of the specs that are being read, the outermost first: they may not use each other in a
circle.
"""


@frozen
class UsedSpecs:
    """What a spec uses."""

    libraries: tuple[YamlMapping, ...] = ()
    """Their documents, those that they use first."""
    machines: tuple[SpecDefinition, ...] = ()
    abstracts: tuple[tuple[str, SpecDefinition], ...] = ()
    """The machines that it refines, by the names that it has for them."""


def read_used_specs(work: SpecBuilder, diagnostics: list[Diagnostic]) -> UsedSpecs:
    """Read the specs that a spec names under `use:`.

    Args:
        work: the spec that is read; what is read is put into it.
        diagnostics: takes what is wrong.

    Returns:
        The machines and libraries, by the names that the spec has for them.
    """
    libraries, machines = list[YamlMapping](), list[SpecDefinition]()
    for name in node_items(work.root.get("use")):
        if isinstance(name, YamlScalar):
            used = _read_used_spec(work, name, diagnostics)
            libraries += [
                library
                for library in used.libraries
                if all(library is not other for other in libraries)
            ]
            machines += used.machines
    return UsedSpecs(tuple(libraries), tuple(machines), tuple(_read_abstracts(work, diagnostics)))


def _read_abstracts(
    work: SpecBuilder, diagnostics: list[Diagnostic]
) -> Iterator[tuple[str, SpecDefinition]]:
    """Yield the machines that a spec names under `refines:`, each once."""
    tried = set[str]()
    for node in refinement_nodes(work.root):
        name = node.get("spec")
        if isinstance(name, YamlScalar) and name.text not in tried:
            tried.add(name.text)
            spec = _read_abstract(work, name, diagnostics)
            if spec is not None:
                yield name.text, spec


def _read_abstract(
    work: SpecBuilder, name: YamlScalar, diagnostics: list[Diagnostic]
) -> SpecDefinition | None:
    target = neighbouring_spec(work, name.text) or name.text
    own = {work.name, str(work.path)}
    if {name.text, str(target)} & {*own, *_specs_being_read.get()}:
        mine = work.name.rsplit("/", 1)[-1]
        message = f"specs refine each other in a circle: `{mine}` refines `{name.text}`"
        diagnostics.append(Diagnostic("SM420", message, name.span))
        return None
    with _reading_spec(*own):
        reading = work.read_other(target, folder=work.specs, families=work.families)
    if reading.spec is not None and not reading.has_errors:
        if not _is_library(reading):
            return reading.spec
        why, hint = "it is a library", "a machine is refined"
    elif reading.system is not None:
        why, hint = "it is a system", "a machine is refined"
    else:
        why, hint = why_unusable(reading, diagnostics)
    diagnostics.append(Diagnostic("SM420", f"cannot refine `{name.text}`: {why}", name.span, hint))
    return None


def _is_library(reading: SpecReading) -> bool:
    return reading.builder is not None and reading.builder.kind == "library"


def _read_used_spec(
    work: SpecBuilder, name: YamlScalar, diagnostics: list[Diagnostic]
) -> UsedSpecs:
    if name.text in _specs_being_read.get():
        circle = " uses ".join(f"`{spec}`" for spec in (*_specs_being_read.get(), name.text))
        diagnostics.append(
            Diagnostic(
                "SM328",
                f"specs use each other in a circle: {circle}",
                name.span,
                "put what both need into a library",
            )
        )
        return UsedSpecs()
    with _reading_spec(work.name):
        reading = work.read_other(name.text, folder=work.specs, families=work.families)
    if reading.has_errors or reading.builder is None:
        why, hint = why_unusable(reading, diagnostics)
        diagnostics.append(Diagnostic("SM328", f"cannot use `{name.text}`: {why}", name.span, hint))
        return UsedSpecs()
    if reading.builder.kind == "library":
        inner = read_used_specs(reading.builder, diagnostics)
        return UsedSpecs((*inner.libraries, reading.builder.root), inner.machines)
    if reading.spec is None:
        diagnostics.append(
            Diagnostic(
                "SM328",
                f"`{name.text}` is a {reading.builder.kind}",
                name.span,
                "libraries and machines can be used",
            )
        )
        return UsedSpecs()
    return UsedSpecs((), (reading.spec,))


@contextmanager
def _reading_spec(*names: str) -> Iterator[None]:
    token = _specs_being_read.set((*_specs_being_read.get(), *names))
    try:
        yield
    finally:
        _specs_being_read.reset(token)


def used_release_masks(used: UsedSpecs) -> Iterator[ReleaseSet]:
    """Yield the releases in which used machines differ.

    Args:
        used: the specs.

    Yields:
        Sets of releases of the family of the spec that uses them.
    """
    for spec in used.machines:
        yield from (state.releases for state in spec.states)
        yield from (transition.releases for transition in spec.transitions)
    for _, spec in used.abstracts:
        if spec.family.name:
            yield spec.releases
            yield from (state.releases for state in spec.states)
            yield from (releases for releases, _ in spec.versions)


def declare_used_machines(reader: DataReader, used: UsedSpecs) -> None:
    """Make `Task.State` a type, and `Task.allows` known.

    Args:
        reader: the scope and the release, and where mistakes go.
        used: the specs.
    """
    for spec in used.machines:
        short = (spec.file or spec.name).rsplit("/", 1)[-1].removesuffix(".yaml")
        states = EnumType(
            f"{short}.State",
            tuple(state.name for state in spec.states if state.releases & reader.bit),
        )
        transitions = tuple(
            transition for transition in spec.transitions if transition.releases & reader.bit
        )
        pairs = frozenset(
            (transition.source, transition.target) for transition in state_moves(transitions)
        )
        scope = reader.scope
        reader.set_scope(
            attrs.evolve(
                scope,
                types={**scope.types, states.name: states},
                used_machines={**scope.used_machines, short: UsedMachine(spec.name, states, pairs)},
            )
        )
