"""What people call the instances of a report: by the phrases of their specs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from statemachines.model.definitions.subject_phrases import SubjectPhrase
from statemachines.model.evidence.instance_names import short_process_names
from statemachines.model.evidence.reports import CurrentState, InstanceKey, Report
from statemachines.model.values import frozen
from statemachines.notation.lines.line_templates import render_template
from statemachines.report.sections.display_names import instance_name, machine_name, subject_name


@frozen(slots=False)
class SubjectNames:
    """Calls the instances of one report as its specs do."""

    report: Report

    @cached_property
    def _short_processes(self) -> Mapping[str, str]:
        return short_process_names([row.process for row in self.report.releases])

    def process(self, name: str) -> str:
        """Call a process by what tells it from the others.

        Args:
            name: its whole name.

        Returns:
            A part of the name.
        """
        return self._short_processes.get(name, name)

    def name(self, machine: str, key: InstanceKey, process: str = "") -> str:
        """Call an instance.

        Args:
            machine: the machine's catalogue name.
            key: the instance's key, or the part of it that stays the same thing for a person.
            process: the process that tells of it; empty: none does, or several.

        Returns:
            The first phrase of its spec that fits; the machine and the values of the key where it
            has none.
        """
        phrase, fields = self._phrase(machine, key, process)
        return (
            instance_name(machine, key) if phrase is None else render_template(phrase.text, fields)
        )

    def name_below(self, machine: str, key: InstanceKey, process: str = "") -> str:
        """Call an instance where its machine stands above it already.

        Args:
            machine: its catalogue name.
            key: fields with their values.
            process: by its whole name.

        Returns:
            A name without the machine.
        """
        phrase, _ = self._phrase(machine, key, process)
        return subject_name(key) if phrase is None else self.name(machine, key, process)

    def name_within(self, machine: str, key: InstanceKey, process: str) -> str:
        """Call an instance of which several processes have one, with its process.

        Args:
            machine: its catalogue name.
            key: fields with their values.
            process: by its whole name.

        Returns:
            A name.
        """
        phrase, _ = self._phrase(machine, key, process)
        name = self.name(machine, key, process)
        has_process = phrase is not None and "process" in phrase.fields
        return name if has_process else f"{name} in {self.process(process)}"

    def name_of_many(self, first: CurrentState, count: int) -> str:
        """Call several instances of one machine by the first of them.

        Args:
            first: its state at the end of the log.
            count: how many they are.

        Returns:
            A name and how many more there are; the machine's where its spec has no phrase for it.
        """
        if first.machine not in self.report.called:
            return machine_name(first.machine)
        more = f" and {count - 1:,} more" if count > 1 else ""
        return self.name(first.machine, first.subject, first.process) + more

    def _phrase(
        self, machine: str, key: InstanceKey, process: str
    ) -> tuple[SubjectPhrase | None, dict[str, str]]:
        remembered = self.report.remembered.get((machine, process, key), ())
        fields = {name: str(value) for name, value in (*remembered, *key)}
        if process:
            fields["process"] = self.process(process)
        phrases = self.report.called.get(machine, ())
        return next((phrase for phrase in phrases if phrase.fits(fields)), None), fields
