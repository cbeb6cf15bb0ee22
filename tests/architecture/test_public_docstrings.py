"""What users call says what it takes, what it gives and how it fails."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType

import pytest

from tests.architecture.parsed import code_of

DOORS = (
    "statemachines",
    "statemachines.conform.spark",
    "statemachines.draw",
    "statemachines.testing",
)
"""Packages whose `__all__` is what users import."""
GIVEN = {
    "statemachines.embed.binding": ("Binding",),
    "statemachines.embed.acting_instances": ("ActingInstance",),
    "statemachines.embed.async_instances": ("AsyncInstance",),
    "statemachines.embed.systems.system_binding": ("SystemBinding",),
    "statemachines.embed.systems.async_systems": ("AsyncSystem",),
    "statemachines.embed.systems.part_handles": ("PartHandle",),
    "statemachines.api.step_logs": ("LogLine", "StepLog"),
}
"""Classes that users are given by what they call."""
WHOLE_ROOMS = tuple(
    f"statemachines.{room}"
    for room in (
        "api",
        "cli.arguments",
        "cli.console",
        "cli.outcomes",
        "compare",
        "draw",
        "embed",
        "explore.checkpoints",
        "explore.resources",
        "explore.results",
        "explore.rows",
        "explore.symmetry",
        "explore.walks",
        "interop",
        "logs",
        "mining",
        "model",
        "mutate",
        "notation",
        "report",
        "semantics",
        "testing",
    )
)
"""Packages in which every public function is what users, the command line for them, or all other
packages call. Of the others (`conform`, `explore`) what is called from outside is public."""
PACKAGE = Path(__file__).parents[2] / "statemachines"
SECTION = re.compile(r"^(Args|Returns|Yields|Raises|Limits|Complexity|Source):$", re.MULTILINE)
GIVES_NOTHING = {"None", "NoReturn"}
Public = tuple[str, FunctionType]
"""A name as users write it, and what it calls."""


def public_functions() -> Iterator[Public]:
    """Each function of the doors, and each public method of their classes that this package wrote."""
    named = {door: importlib.import_module(door).__all__ for door in DOORS}
    for door, names in {**named, **GIVEN}.items():
        package = importlib.import_module(door)
        for name in names:
            value = getattr(package, name)
            if inspect.isfunction(value):
                yield f"{door}.{name}", inspect.unwrap(value)
            elif inspect.isclass(value):
                yield from ((f"{door}.{name}.{m}", f) for m, f in methods(value))


def functions_of_rooms() -> Iterator[Public]:
    """Each public function and method that a module of the whole rooms defines."""
    for room in WHOLE_ROOMS:
        for found in pkgutil.walk_packages(importlib.import_module(room).__path__, f"{room}."):
            module = importlib.import_module(found.name)
            for name, value in vars(module).items():
                if name.startswith("_") or getattr(value, "__module__", "") != found.name:
                    continue
                if inspect.isfunction(value):
                    yield f"{found.name}.{name}", inspect.unwrap(value)
                elif inspect.isclass(value):
                    yield from ((f"{found.name}.{name}.{m}", f) for m, f in methods(value))


def functions_called_from_outside() -> Iterator[Public]:
    """Each public function and method of what a module imports from another package."""
    for name in sorted(names_imported_from_outside()):
        module, _, imported = name.rpartition(".")
        value = getattr(importlib.import_module(module), imported, None)
        if imported.startswith("_") or getattr(value, "__module__", "") != module:
            continue
        if inspect.isfunction(value):
            yield name, inspect.unwrap(value)
        elif inspect.isclass(value):
            yield from ((f"{name}.{m}", f) for m, f in methods(value) if f.__module__ == module)


def names_imported_from_outside() -> Iterator[str]:
    """What stands in a module of one package and is imported by name in one of another."""
    for path in PACKAGE.rglob("*.py"):
        own = f"statemachines.{path.relative_to(PACKAGE).parts[0]}."
        for node in code_of(path.read_text("utf-8")).imports:
            home = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            if home.startswith("statemachines.") and not f"{home}.".startswith(own):
                yield from (f"{home}.{alias.name}" for alias in node.names)


def methods(owner: type) -> Iterator[Public]:
    """The public methods and properties of a class and of what it inherits of this package."""
    ours = [base for base in inspect.getmro(owner) if base.__module__.startswith("statemachines")]
    known = {name: value for base in reversed(ours) for name, value in vars(base).items()}
    for name, value in known.items():
        found = unwrapped(value)
        if found is not None and not name.startswith("_") and is_written_here(found):
            yield name, where_it_is_said(found, name, ours)


def where_it_is_said(function: FunctionType, name: str, classes: list[type]) -> FunctionType:
    """The method of a class further up that says all of it, where a docstring ends with its name."""
    named = re.search(r"; see `(\w+)`\.$", inspect.getdoc(function) or "")
    if named is None:
        return function
    above = [one for one in classes if one.__name__ == named[1] and name in vars(one)]
    found = unwrapped(vars(above[0])[name]) if above else None
    return function if found is None else found


def unwrapped(value: object) -> FunctionType | None:
    """The function behind a method, a property or a class method."""
    if isinstance(value, property):
        value = value.fget
    elif isinstance(value, classmethod | staticmethod):
        value = value.__func__
    else:
        value = getattr(value, "func", value)  # a cached property
    return inspect.unwrap(value) if isinstance(value, FunctionType) else None


def is_written_here(function: Callable[..., object]) -> bool:
    """Not what attrs generates."""
    return not function.__code__.co_filename.startswith("<")


def sections(docstring: str) -> dict[str, str]:
    """The sections of a docstring in Google's style, by name."""
    pieces = SECTION.split(docstring)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def faults(function: FunctionType) -> list[str]:
    """What a docstring leaves out."""
    doc = inspect.getdoc(function) or ""
    found, said = list[str](), sections(doc)
    if not doc:
        return ["no docstring"]
    arguments = [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if name not in ("self", "cls") and not name.startswith("_")
    ]
    told = set(re.findall(r"^ {4}\**(\w+)(?: \(.*\))?:", said.get("Args", ""), re.MULTILINE))
    found += [f"Args lacks `{name}`" for name in arguments if name not in told]
    found += [f"Args has `{name}`, which it does not take" for name in told - {*arguments}]
    given = str(function.__annotations__.get("return", "None"))
    is_asked = bool(arguments) and given not in GIVES_NOTHING
    if is_asked and not said.keys() & {"Returns", "Yields"}:
        found.append("no Returns")
    if re.search(r"^\s+raise \w", inspect.getsource(function), re.MULTILINE) and (
        "Raises" not in said
    ):
        found.append("no Raises")
    return found


@pytest.fixture(scope="module")
def functions() -> dict[str, FunctionType]:
    """All that users, the command line or other packages call, by name."""
    return {
        **dict(public_functions()),
        **dict(functions_of_rooms()),
        **dict(functions_called_from_outside()),
    }


def test_what_users_call_says_what_it_takes_and_gives(functions: dict[str, FunctionType]) -> None:
    """A user reads this instead of the code."""
    found = {name: faults(function) for name, function in functions.items()}
    assert {name: faults for name, faults in found.items() if faults} == {}
    assert len(found) > 2000


def of_a_door(first: int, second: int = 0) -> int:
    """Add two numbers.

    Args:
        first: a number.
        third: a number.
    """
    if first < second:
        raise ValueError("the first is less")
    return first + second


class Said:
    """What others are made of."""

    def half(self, number: int) -> int:
        """Halve a number.

        Args:
            number: any.

        Returns:
            Half of it.
        """
        return number // 2


class Unsaid(Said):
    """One of them."""

    def half(self, number: int) -> int:
        """Halve a number by shifting; see `Said`."""
        return number >> 1

    def whole(self, number: int) -> int:
        """Keep a number; see `Said`."""
        return number


def test_what_a_class_further_up_says_is_said() -> None:
    """Once; a name that it does not have says nothing."""
    classes = [Unsaid, Said]
    assert where_it_is_said(Unsaid.half, "half", classes) is Said.half
    assert where_it_is_said(Unsaid.whole, "whole", classes) is Unsaid.whole


def test_what_a_docstring_leaves_out_is_seen() -> None:
    """A check that was never seen to fail is untested."""
    assert faults(of_a_door) == [
        "Args lacks `second`",
        "Args has `third`, which it does not take",
        "no Returns",
        "no Raises",
    ]
