"""What the logs that are followed are called: a name belongs to the log whose file has it now."""

from __future__ import annotations

from attrs import Factory, define

from statemachines.conform.engines.follow.followed_log import FollowedLog


@define
class LogNames:
    """The logs by the names of their files, those too whose name another one has now."""

    _named: dict[str, list[FollowedLog]] = Factory(dict)

    def give(self, log: FollowedLog, name: str) -> None:
        """Call a log by its file's name; who had it before gets a number behind it.

        Args:
            log: whose file has the name now.
            name: the name.
        """
        namesakes = self._named.setdefault(name, [])
        for other in namesakes:
            if not other.displaced:
                other.displaced = 1 + max(namesake.displaced for namesake in namesakes)
        if log not in namesakes:
            before = self._named.get(log.name, [])
            if log in before:
                before.remove(log)
            namesakes.append(log)
        log.name, log.displaced = name, 0
