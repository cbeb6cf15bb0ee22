"""Programs written by hand for the textbook machines, right ones and ones with one planted fault each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import frozen

from statemachines.model.definitions.machine_definitions import MachineDefinition
from tests.planted import bank, counts, listeners, panel, shop, van, worker


@frozen
class Planted:
    """A program, and what is wrong with it."""

    name: str
    machine: MachineDefinition
    make: Callable[[], Callable[..., Any]]
    """A fresh `make_subject`."""


def _planted(name: str, of: MachineDefinition, kind: Callable[..., Any]) -> Planted:
    return Planted(name, of, lambda: kind)


RIGHT = (
    _planted("a bank account", bank.BANK, bank.Bank),
    _planted("a shop", shop.ORDERS, shop.Shop),
    _planted("a worker (async)", worker.WORKER, worker.Worker),
    _planted("a van", van.VAN, van.Van),
    _planted("a van (async)", van.VAN, van.AwaitedVan),
    _planted("a panel of 441 keys", panel.PANEL, panel.Panel),
    _planted("a buffer", panel.BUFFER, panel.Buffer),
    _planted("a registry", panel.REGISTRY, panel.Registry),
    _planted("a gate", counts.GATE, counts.Gate),
    _planted("a handle", counts.HANDLE, counts.Handle),
    _planted("a ring", counts.RING, counts.Ring),
    _planted("a packer", counts.PACKER, counts.Packer),
    _planted("a bell", listeners.BELL, listeners.Bell),
    _planted("a shelf", listeners.SHELF, listeners.Shelf),
    _planted("a service", listeners.SERVICE, listeners.Service),
    _planted("a timer", listeners.TIMER, listeners.Timer),
)
FAULTS = (
    _planted("wrong target", bank.BANK, bank.ThawsToClosed),
    _planted("lost task", shop.ORDERS, shop.LosesAnOrder),
    _planted("index not cleaned", shop.ORDERS, shop.IndexNotCleaned),
    _planted("event accepted too early", bank.BANK, bank.ThawsEarly),
    _planted("event accepted too late", bank.BANK, bank.DepositsWhenClosed),
    _planted("error swallowed", bank.BANK, bank.SwallowsTheError),
    _planted("another error", bank.BANK, bank.WrongError),
    _planted("result off by one", bank.BANK, bank.ResultOffByOne),
    _planted("guard off by one", bank.BANK, bank.OwesOne),
    _planted("state kept after an exception", bank.BANK, bank.KeepsAfterTheError),
    _planted("works only once", bank.BANK, bank.FreezesOnce),
    _planted("one booking forgotten", bank.BANK, bank.ForgetsTheSecond),
    _planted("wrong value given out", bank.BANK, bank.GivesOutWrong),
    _planted("closed, not emptied", bank.BANK, bank.CloseKeepsTheMoney),
    _planted("wrong at the bound only", bank.BANK, bank.BreaksAtTheBound),
    _planted("stock not given back", shop.ORDERS, shop.StockNotGivenBack),
    _planted("empty batch accepted", shop.ORDERS, shop.ShipsNothing),
    _planted("last case never taken", shop.ORDERS, shop.SellsTooMuch),
    _planted("shipped and cancelled", shop.ORDERS, shop.CancelsShipped),
    Planted("first life leaks into the second", shop.ORDERS, shop.forgetful),
    _planted("a result that no choice explains", worker.WORKER, worker.TakesAnother),
    _planted("lost in a crash, whatever was chosen", worker.WORKER, worker.LosesOnCrash),
    _planted("wrong at the greatest number only", van.VAN, van.WrongAtTheGreatest),
    _planted("wrong at a limit far out", van.VAN, van.WrongAtTheLimit),
    _planted("works the first ten times", van.VAN, van.ComesBackTenTimes),
    _planted("refuses the first ten times", van.VAN, van.RefusesTenTimes),
    _planted("raises the first ten times", van.VAN, van.ComplainsTenTimes),
    _planted("wrong where two sets overlap", van.VAN, van.WrongWhereSetsOverlap),
    _planted("lost where two sets overlap", van.VAN, van.TogglesWhereSetsOverlap),
    _planted("two swapped", van.VAN, van.SwapsTwo),
    _planted("its own list given away", van.VAN, van.GivesItselfAway),
    _planted("the same list given again", van.VAN, van.GivesTheSameAgain),
    _planted("wrong in what one outcome does", van.VAN, van.ForgetsInOneOutcome),
    _planted("goes on after its end", van.VAN, van.ScrappedGoesOn),
    _planted("answered before it is done (async)", van.VAN, van.AnswersTooSoon),
    Planted("the class remembers", van.VAN, van.remembering),
    _planted("one key of 441 is dead", panel.PANEL, panel.DeadKey),
    _planted("wrong the second time in a row", panel.RATE, panel.RefillsLess),
    Planted("two share one list", panel.BUFFER, panel.sharing),
    _planted("the last one takes all along, with a scope of one", panel.REGISTRY, panel.DropsAll),
    _planted("mistakes of before are not forgotten", counts.GATE, counts.CountsAllMistakes),
    _planted("unlocked twice, half locked", counts.GATE, counts.UnlocksWithTheCount),
    _planted("a counter that stays at 15", counts.HANDLE, counts.SaturatesAtFifteen),
    _planted("a counter that begins anew at 32", counts.HANDLE, counts.WrapsAtThirtyTwo),
    _planted("full, and the head in the last place", counts.RING, counts.ForgetsToGoRound),
    _planted("half of a batch stays", counts.PACKER, counts.KeepsTheFirstHalf),
    _planted("stays busy after an error", counts.PACKER, counts.StaysBusy),
    _planted("back in the old place", listeners.BELL, listeners.KeepsThePlace),
    _planted("three in another order", listeners.BELL, listeners.TellsByName),
    _planted("found only if it is the very object", listeners.BELL, listeners.DropsByIdentity),
    _planted("the same of records", listeners.SHELF, listeners.TakesByIdentity),
    _planted("a crash with two leaves one", listeners.SERVICE, listeners.RemembersWhomItKnew),
    _planted("goes on counting after a crash", listeners.SERVICE, listeners.ServesOn),
    _planted("due at once, in the order of arming", listeners.TIMER, listeners.FiresAsArmed),
    _planted("three due at once, one lost", listeners.TIMER, listeners.FiresOne),
)
