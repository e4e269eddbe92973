# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""systemd units: their files, whether they are enabled, whether they run. Units are restarted only for a reason.

A restart is in the record before anything is changed, and until it was done. So if a run is killed in between, the next
run restarts the unit, although no file is left to change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base.errors import CommandError
from ...base.report import Step
from ...exchange.items import File, Unit
from ..config import names
from ..context import Context, Phase
from ..system import drop_ins, servers
from ..system.last_words import last_words
from ..system.systemd import DIRECTORY, MANAGER_DIRECTORY, UnitStatus, journal, show, state_of
from .files import plan_file

RELOAD = "systemd:reload"
_START, _RESTART, _STOP = "start", "restart", "stop"
# Seconds that a start waits for the server that its unit awaits.
_PATIENCE = 60


class Units:
    """The units of a run. The constructor plans and claims their files, plan() plans the units themselves."""

    def __init__(self, context: Context, units: Sequence[Unit]) -> None:
        self.context = context
        self.units = units
        self.files = [plan_file(context, file) for unit in units for file in _files(unit)]
        context.next.units += [unit.name for unit in units if unit.content is not None]
        self._actions: dict[str, str] = {}
        self._enable: list[str] = []
        self._disable: list[str] = []
        self._reset: list[str] = []
        self._reload: list[Step] = []
        self._steps: list[Step] = []

    def plan(self) -> Phase:
        """Plan the units. Must be called after all parts that restartOn can refer to."""
        found = show(self.context.host, [unit.name for unit in self.units])
        self._steps = [self._plan_unit(unit, found[unit.name]) for unit in self.units]
        read = [f"file:{DIRECTORY}/", f"file:{MANAGER_DIRECTORY}/"]
        rewritten = set(self.context.changes(read, self.files)) - self.context.reloaded
        self.context.reloaded |= rewritten
        if rewritten or self._enable or self._disable or any(each.needs_reload for each in found.values()):
            self._reload = [Step(RELOAD, True, None, "done")]
        return Phase([*self.files, *self._reload, *self._steps], self._act, separable=True)

    def _plan_unit(self, unit: Unit, found: UnitStatus) -> Step:
        step = Step(unit.label)
        self._note_replaced(unit, found)
        if found.file_state.startswith("masked"):
            if unit.state == "started":
                self.context.problems.append(f"{unit.label} is masked; run 'systemctl unmask {unit.name}'")
            return step
        if unit.name in self.context.before.started:
            self.context.next.started.append(unit.name)
        before, after, reasons = state_of(found), state_of(found), self._reasons(unit)
        if unit.state == "stopped":
            after["state"] = "stopped"
            if found.is_running:
                self._actions[unit.name] = _STOP
        elif reasons or not (found.is_running or self._is_done(unit, found)):
            self._actions[unit.name] = _RESTART if found.is_running else _START
            after["state"] = "started"
            if found.is_running:
                after["restarted"] = f"for {', '.join(reasons)}"
            if found.active == "failed":
                self._reset.append(unit.name)
            if reasons:
                self.context.next.restarts.append(unit.name)
        if unit.enabled and (found.can_be_enabled or _was_static(unit, found)):
            self._enable.append(unit.name)
            after["enabled"] = True
        elif not unit.enabled and found.is_enabled:
            self._disable.append(unit.name)
            after["enabled"] = False
        step.changed = unit.name in {*self._actions, *self._enable, *self._disable}
        if step.changed:
            names = [name for name in after if before.get(name) != after[name]]
            step.before, step.after = _only(before, names), _only(after, names)
            action = self._actions.get(unit.name)
            step.interrupts = action == _STOP or (
                action == _RESTART and not all(is_quiet(unit, each) for each in reasons)
            )
        return step

    def _note_replaced(self, unit: Unit, found: UnitStatus) -> None:
        """Record the original state of a unit that was there before: ours replaces it, or only switches it."""
        name, before = unit.name, self.context.before
        if name in before.replaced:
            self.context.next.replaced[name] = before.replaced[name]
        elif name not in before.units and found.file_state:
            self.context.next.replaced[name] = state_of(found)

    def _reasons(self, unit: Unit) -> list[str]:
        reasons = self.context.changes(restart_reasons(unit), self.files)
        if not reasons and unit.name in self.context.before.restarts:
            reasons = ["a run that was interrupted"]
        return reasons

    def _is_done(self, unit: Unit, found: UnitStatus) -> bool:
        """Whether a oneshot unit has run with its present content. Before its first run, its state looks the same."""
        return found.is_done and unit.name in self.context.before.started

    def _act(self) -> None:
        host = self.context.host
        self._leave_out_deferred()
        for step in self.files:
            if step.due and step.act:
                step.act()
        if self._enable:
            host.check_output("systemctl", "enable", "--no-reload", "--quiet", *self._enable)
        if self._disable:
            host.check_output("systemctl", "disable", "--no-reload", "--quiet", *self._disable)
        if any(step.due for step in self._reload):
            host.check_output("systemctl", "daemon-reload")
        if self._reset:
            host.check_output("systemctl", "reset-failed", *self._reset)
        for name, action in sorted(self._actions.items(), key=lambda entry: entry[1] != _STOP):
            self._do(action, name)

    def _leave_out_deferred(self) -> None:
        left = {unit.name for unit, step in zip(self.units, self._steps) if step.deferred}
        self._actions = {name: action for name, action in self._actions.items() if name not in left}
        for listed in (self._enable, self._disable, self._reset):
            listed[:] = [name for name in listed if name not in left]

    def _do(self, action: str, name: str) -> None:
        context = self.context
        awaited = [unit.awaits for unit in self.units if unit.name == name and unit.awaits]
        if action == _START and awaited:
            servers.await_tls(awaited[0], _PATIENCE)
        try:
            context.host.check_output("systemctl", action, name, timeout=300)
        except CommandError as error:
            others = drop_ins.explained(context.machine, name, context.next.files)
            log = journal(context.host, name)
            lines = [str(error), others, f"the last lines of its log:\n{log}" if log else ""]
            told = CommandError("\n".join(filter(None, lines)))
            told.brief = f"{str(error).splitlines()[0]} {name} says: {last_words(log)}" if log else ""
            raise told from error
        if action != _STOP:
            context.restarted.add(name)
            context.next.started = sorted({*context.next.started, name})
            context.then.get(name, lambda: None)()
        if name in (*context.next.restarts, *context.before.restarts):
            for record in (context.next, context.before):
                record.restarts = [other for other in record.restarts if other != name]
            context.save()


def restart_reasons(unit: Unit) -> list[str]:
    """Labels of items whose change restarts a unit, as in restartOn; its own files are among them."""
    own = [f"file:{file.path}" for file in _files(unit)]
    return [*own, f"file:{DIRECTORY}/{unit.name}.d/", *unit.restart_on]


def is_quiet(unit: Unit, label: str) -> bool:
    """Whether a restart of the unit because of an item disturbs no workloads."""
    return any(names(reason, label) for reason in unit.quiet_restart_on)


def _was_static(unit: Unit, found: UnitStatus) -> bool:
    """Whether the unit could not be enabled, but can with its new content."""
    return found.file_state == "static" and "\n[Install]\n" in (unit.content or "")


def _files(unit: Unit) -> list[File]:
    """The files of a unit: its unit file and its drop-ins."""
    contents = {} if unit.content is None else {unit.name: unit.content}
    contents |= {f"{unit.name}.d/{name}": content for name, content in unit.drop_ins.items()}
    return [File(path=f"{DIRECTORY}/{name}", content=content, mode=0o600) for name, content in contents.items()]


def _only(state: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: state[name] for name in names if name in state}
