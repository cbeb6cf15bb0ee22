"""Which kind of incident an episode or a mark is, as the specs of a check say, and its title."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field

from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.model.definitions.incident_definitions import IncidentDefinition
from statemachines.model.definitions.log_definitions import LineKind, LogDefinition
from statemachines.model.definitions.subject_phrases import CALLED_FIELD
from statemachines.model.evidence.instance_names import instance_name
from statemachines.model.evidence.reports import Episode, InstanceKey
from statemachines.model.values import frozen
from statemachines.notation.lines.line_templates import render_template

_EXPLAIN_COMMAND = "statemachines explain"


@frozen
class IncidentKinds:
    """The kinds of incidents of all machines of a check."""

    plan: CheckPlan
    short_names: Mapping[str, str] = field(factory=dict)
    """Names of processes as people read them in titles, where they have shorter ones."""
    remembered: Mapping[tuple[str, str, InstanceKey], InstanceKey] = field(factory=dict)
    """By what instances are known beside their keys: machine, process and key to fields."""
    _by_name: dict[tuple[str, str], IncidentDefinition] = field(init=False, eq=False, repr=False)
    """By machine, and the name of an episode or the words of a mark."""
    _of_many_times: dict[tuple[str, str], tuple[IncidentDefinition, ...]] = field(
        init=False, eq=False, repr=False
    )
    """Likewise: those that a single time is not."""
    _logs: dict[str, LogDefinition] = field(init=False, eq=False, repr=False)

    _with_page: frozenset[str] = field(init=False, eq=False, repr=False)

    @_by_name.default
    def _kinds_by_name(self) -> dict[tuple[str, str], IncidentDefinition]:
        return {
            (owner.name, name): kind
            for owner in self.plan.owners
            for kind in (owner.log.incidents if owner.log else ())
            for name in kind.of
            if not kind.least_times
        }

    @_of_many_times.default
    def _kinds_of_many_times(self) -> dict[tuple[str, str], tuple[IncidentDefinition, ...]]:
        kinds: dict[tuple[str, str], tuple[IncidentDefinition, ...]] = {}
        for owner in self.plan.owners:
            for kind in owner.log.incidents if owner.log else ():
                for name in kind.of if kind.least_times else ():
                    kinds[owner.name, name] = (*kinds.get((owner.name, name), ()), kind)
        return kinds

    @_logs.default
    def _logs_by_machine(self) -> dict[str, LogDefinition]:
        return {owner.name: owner.log for owner in self.plan.owners if owner.log}

    @_with_page.default
    def _kinds_with_page(self) -> frozenset[str]:
        kinds = (kind for log in self._logs.values() for kind in log.incidents)
        return frozenset(kind.kind for kind in kinds if kind.page.means)

    def of_mark(self, machine: str, counter: str) -> tuple[IncidentDefinition, ...]:
        """Return the kinds of incidents that lines of a mark are; none: they are only counted."""
        single = self._by_name.get((machine, counter))
        return (*((single,) if single else ()), *self.of_many_times(machine, counter))

    def of_many_times(self, machine: str, name: str) -> tuple[IncidentDefinition, ...]:
        """Return the kinds of incidents that an episode or a mark is when it happens often enough
        to one subject.
        """
        return self._of_many_times.get((machine, name), ())

    def of_episode(self, machine: str, episode: str) -> IncidentDefinition:
        """Return the kind of incident that an episode is: where its spec says nothing, one of its
        own name.
        """
        own = IncidentDefinition(episode.replace("_", "-"), (episode,))
        return self._by_name.get((machine, episode), own)

    def is_inferred(self, machine: str, episode: str) -> bool:
        """Tell whether an episode follows from lines that do not say so themselves."""
        same = [
            definition for definition in self._logs[machine].episodes if definition.name == episode
        ]
        return any(definition.maybe or definition.grouped_by for definition in same)

    def is_of_failure(self, machine: str, episode: Episode) -> bool:
        """Tell whether a line is to blame for an episode that says that what would end it failed:
        the normal time in which it ends by itself does not count then.
        """
        same = [
            definition
            for definition in self._logs[machine].episodes
            if definition.name == episode.kind
        ]
        return bool(episode.reason) and any(
            LineKind.FAILED in definition.blame for definition in same
        )

    def title(self, machine: str, template: str, subject: InstanceKey, process: str) -> str:
        """Fill in a title.

        Args:
            machine: the machine of the incident.
            template: a text with key fields, `{process}` and `{called}` in it.
            subject: fields with their values.
            process: by its whole name.

        Returns:
            What people read.
        """
        named = {name: str(value) for name, value in subject}
        fields = {"process": self.short_names.get(process, process), "state": "", **named}
        known_by = self.known_by(machine, process, subject)
        known = fields | {name: str(value) for name, value in known_by.items()}
        phrase = next((name for name in self._logs[machine].called if name.fits(known)), None)
        unnamed = f"{machine.rpartition('/')[2]} {instance_name(subject)}".strip()
        called = render_template(phrase.text, known) if phrase else unnamed
        return render_template(template, {**fields, CALLED_FIELD: called})

    def known_by(self, machine: str, process: str, subject: InstanceKey) -> dict[str, int | str]:
        """Return all that a subject is known by: what it remembers, and its key."""
        return dict((*self.remembered.get((machine, process, subject), ()), *subject))

    def is_program(self, machine: str) -> bool:
        """Tell whether the instances of a machine are whole programs."""
        return self._logs[machine].is_program

    def explain_command(self, kind: IncidentDefinition) -> str:
        """Return the command that shows the page of a kind; empty where its spec has none."""
        return f"{_EXPLAIN_COMMAND} {kind.kind}" if kind.kind in self._with_page else ""
