"""The tiny named machines that tests use: a turnstile, a counter with an end, a dead end, an order with every manner of `otherwise`."""

from __future__ import annotations

from statemachines.model.definitions.machine_definitions import (
    Event,
    FallbackKind,
    MachineDefinition,
    Otherwise,
    Predicate,
    State,
    Transition,
)

TURNSTILE = MachineDefinition(
    name="turnstile",
    release="",
    states=(State("LOCKED", initial=True), State("OPEN")),
    transitions=(
        Transition("LOCKED", "OPEN", "coin"),
        Transition("OPEN", "OPEN", "coin"),
        Transition("OPEN", "LOCKED", "push"),
    ),
    predicates=(Predicate("lets_through", ("OPEN",)),),
    events=(Event("coin"), Event("push")),
    doc="One coin, one person.",
)
"""Two events with names; a push at the locked arm is refused by default."""

COUNTER = MachineDefinition(
    name="counter",
    release="",
    states=(State("ZERO", initial=True), State("ONE"), State("TWO", final=True)),
    transitions=(
        Transition("ZERO", "ONE", "to_ONE"),
        Transition("ONE", "TWO", "to_TWO"),
        Transition("ONE", "ZERO", "to_ZERO"),
    ),
    otherwise=(Otherwise(FallbackKind.RAISE, "OverflowException"),),
    events=(Event("to_ONE"), Event("to_TWO"), Event("to_ZERO")),
)
"""A bounded counter, a table of moves; what it does not allow raises."""

DEAD_END = MachineDefinition(
    name="dead end",
    release="",
    states=(State("START", initial=True), State("STUCK")),
    transitions=(Transition("START", "STUCK", "to_STUCK"),),
    events=(Event("to_STUCK"),),
)
"""Nothing leads out of STUCK, and it is not final."""

ORDER = MachineDefinition(
    name="shop/Order",
    release="2.0",
    states=(
        State("NEW", initial=True),
        State("DRAFT", initial=True),
        State("PAID"),
        State("SHIPPED"),
        State("CLOSED", final=True),
    ),
    transitions=(
        Transition("NEW", "PAID", "pay"),
        Transition("DRAFT", "NEW", "to_NEW"),
        Transition("PAID", "SHIPPED", "ship"),
        Transition("SHIPPED", "CLOSED", "to_CLOSED"),
        Transition("NEW", "CLOSED", "to_CLOSED", taken=False),
    ),
    otherwise=(
        Otherwise(FallbackKind.IGNORE, sources=("CLOSED",), targets=("CLOSED",)),
        Otherwise(FallbackKind.FORCE, targets=("SHIPPED",)),
        Otherwise(FallbackKind.RAISE, "TooLate", sources=("SHIPPED", "CLOSED"), event="pay"),
        Otherwise(FallbackKind.FORCE, sources=("DRAFT",), event="ship"),
        Otherwise(FallbackKind.IGNORE, event="pay"),
        Otherwise(FallbackKind.REFUSE),
    ),
    predicates=(
        Predicate("open", ("NEW", "DRAFT", "PAID", "SHIPPED")),
        Predicate("done", ("CLOSED",)),
    ),
    events=(Event("pay"), Event("to_NEW"), Event("ship"), Event("to_CLOSED")),
)
"""Every manner of `otherwise`, two beginnings, and an arrow that is never taken."""

TINY = (TURNSTILE, COUNTER, DEAD_END, ORDER)
