# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stdout callback: what a run is about, its plan, where it is, its result, and what comes next."""

from __future__ import annotations

DOCUMENTATION = r"""
name: quiet
type: stdout
short_description: Only what a run is about, its plan, its progress, its result, and what comes next
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Shows the name of the playbook and of the cluster, the plan, one line of progress with the time that has passed,
    what has failed, the result, and what comes next. Names of plays and tasks are not shown, nor tasks that have
    nothing to say.
  - In a terminal, the line of progress is written again and again, and nothing is left of it. In pipes, in files and in
    jobs of AWX, where that is impossible, a line of progress is written every half a minute. With C(TERM=dumb), too.
  - A failure is shown once, with its reasons one below the other.
  - With C(--diff) it shows differences as well, and with C(-v) all that P(ansible.builtin.default#callback) shows.
  - It is made for the playbooks of this collection, and takes any other.
extends_documentation_fragment:
  - default_callback
  - result_format_callback
requirements:
  - set as stdout in configuration (C(ANSIBLE_STDOUT_CALLBACK=kubeops.kops.quiet))
"""

EXAMPLES = r"""
ansible.cfg: |
  # Or ANSIBLE_STDOUT_CALLBACK=kubeops.kops.quiet in the environment
  [defaults]
  stdout_callback = kubeops.kops.quiet
"""

import functools
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from ansible import constants, context
from ansible.plugins.callback.default import CallbackModule as DefaultCallback
from ansible_collections.kubeops.kops.plugins.plugin_utils.readers import outlive_readers
from ansible_collections.kubeops.kops.plugins.plugin_utils.shown import NextStep, Passing
from ansible_collections.kubeops.kops.plugins.plugin_utils.status_line import (
    LogLine,
    StatusLine,
    TerminalLine,
    duration,
)

_INDENT = "  "
_LOCALHOST = "localhost"
_PLAYBOOKS = ("ansible_collections", "playbooks")
# What programs and crashed modules say, in the order in which it is looked for, and how much of its end is shown.
_OUTPUTS = ("stderr", "module_stderr", "stdout", "module_stdout")
_OUTPUT_LINES = 10


def _if_quiet(method: Callable[..., None]) -> Callable[..., None]:
    """What is shown in place of Ansible's own method of this name, unless details are asked for."""

    @functools.wraps(method)
    def either(self: CallbackModule, *arguments: Any, **named: Any) -> None:
        if self._display.verbosity:
            getattr(DefaultCallback, method.__name__)(self, *arguments, **named)
        else:
            method(self, *arguments, **named)

    return either


class CallbackModule(DefaultCallback):  # type: ignore[misc]  # Ansible's bases have no types
    """kubeops.kops.quiet. ansible-runner derives its own callback from it."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "kubeops.kops.quiet"

    def __init__(self) -> None:
        super().__init__()
        outlive_readers()
        self._started = time.monotonic()
        self._process = os.getpid()
        self._playbook = ""
        self._has_header = False
        self._steps: list[str] = []
        self._task: Any = None
        self._ended_hosts = 0
        # Whether the next line stands apart, and whether one that is empty was the last.
        self._is_apart, self._was_empty = False, True
        self._written: Callable[..., None] = self._display.display
        self._status = self._status_line()
        # All that is shown goes through this, also what the processes of tasks send.
        self._display.display = self._show

    def _status_line(self) -> StatusLine:
        # ansible-runner runs jobs in a terminal, and stores what it reads there.
        is_own = self.__class__ is CallbackModule
        if is_own and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb":
            return TerminalLine(sys.stdout.fileno())
        return LogLine(self._write)

    def _show(self, msg: str, *arguments: Any, **named: Any) -> None:
        """In place of Display.display."""
        if os.getpid() != self._process:
            # A task, which sends it to the process that this object is of.
            self._written(msg, *arguments, **named)
        elif isinstance(msg, Passing) and not self._display.verbosity:
            self._status.say(msg)
        elif isinstance(msg, NextStep) and not self._display.verbosity:
            self._steps.append(msg)
        else:
            with self._status.hidden():
                self._write(msg, *arguments, **named)

    def _write(self, msg: str, *arguments: Any, **named: Any) -> None:
        if self._is_apart and not self._was_empty and not named.get("stderr"):
            self._written("")
        self._is_apart, self._was_empty = False, not msg.strip()
        self._written(msg, *arguments, **named)
        # Ansible leaves it to the stream, which would keep some pages of a pipe.
        sys.stdout.flush()

    # What begins.

    @_if_quiet
    def v2_playbook_on_start(self, playbook: Any) -> None:
        """Remember which one it is."""
        self._playbook = _name_of(playbook._file_name)
        self._has_header = False

    @_if_quiet
    def v2_playbook_on_play_start(self, play: Any) -> None:
        """The header, before the first play."""
        self._play = play
        if not self._has_header:
            self._has_header = True
            variables = play.get_variable_manager().extra_vars
            cluster = str(variables.get("kops_cluster_name") or os.environ.get("KOPS_CLUSTER_NAME") or "")
            told = f"{self._playbook}: {cluster}" if cluster else self._playbook
            told += " (check mode: nothing is written)" if context.CLIARGS.get("check") else ""
            self._display.display(told, color=constants.COLOR_HIGHLIGHT)

    @_if_quiet
    def v2_playbook_on_task_start(self, task: Any, is_conditional: bool) -> None:
        """Where the run is."""
        self._begin(task)

    @_if_quiet
    def v2_playbook_on_cleanup_task_start(self, task: Any) -> None:
        """Where the run is."""
        self._begin(task)

    @_if_quiet
    def v2_playbook_on_handler_task_start(self, task: Any) -> None:
        """Where the run is."""
        self._begin(task)

    def _begin(self, task: Any) -> None:
        self._task, self._ended_hosts, self._is_apart = task, 0, True
        # It asks in the terminal.
        self._status.say("" if task.action.rpartition(".")[2] == "pause" else f"{_INDENT}{task.get_name().strip()}")

    # What is not worth a line.

    @_if_quiet
    def v2_playbook_on_include(self, included_file: Any) -> None:
        """Nothing."""

    @_if_quiet
    def v2_playbook_on_no_hosts_matched(self) -> None:
        """Nothing: the plays of a playbook that are not for this cluster have no hosts."""

    @_if_quiet
    def v2_playbook_on_no_hosts_remaining(self) -> None:
        """Nothing: their failures are shown."""

    @_if_quiet
    def v2_runner_on_start(self, host: Any, task: Any) -> None:
        """Nothing."""

    @_if_quiet
    def v2_runner_on_skipped(self, result: Any) -> None:
        """Nothing."""

    @_if_quiet
    def v2_runner_item_on_skipped(self, result: Any) -> None:
        """Nothing."""

    @_if_quiet
    def v2_runner_retry(self, result: Any) -> None:
        """Where the run is."""
        self._status.say(f"{_INDENT}{_of(result, 'task').get_name().strip()}: trying again")

    # Results.

    @_if_quiet
    def v2_runner_on_ok(self, result: Any) -> None:
        """Its warnings, and what a task says that is there to say it."""
        self._warn(result)
        self._count(result)
        if _of(result, "task").action.rpartition(".")[2] == "debug":
            for line in _message_lines(_of(result, "result")):
                self._display.display(f"{_INDENT}{self._on_host(result)}{line}")

    @_if_quiet
    def v2_runner_item_on_ok(self, result: Any) -> None:
        """Its warnings, and what a task says that is there to say it."""
        self.v2_runner_on_ok(result)

    @_if_quiet
    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        """Why, unless the playbook goes on, or its items have said it."""
        self._warn(result)
        self._count(result)
        if not ignore_errors and not (_of(result, "task").loop and "results" in _of(result, "result")):
            self._fail("Failed", result)

    @_if_quiet
    def v2_runner_item_on_failed(self, result: Any) -> None:
        """Why."""
        self._warn(result)
        if not _of(result, "task").ignore_errors:
            self._fail("Failed", result)

    @_if_quiet
    def v2_runner_on_unreachable(self, result: Any) -> None:
        """Why."""
        self._count(result)
        if not _of(result, "task").ignore_unreachable:
            self._fail("Unreachable", result)

    def _warn(self, result: Any) -> None:
        self._handle_warnings(_of(result, "result"))

    def _count(self, result: Any) -> None:
        """How many hosts are done with the task that all of them have begun."""
        task = _of(result, "task")
        if task is self._task or (self._task and task._uuid == self._task._uuid):
            self._ended_hosts += 1
            if _of(result, "host").get_name() != _LOCALHOST:
                self._status.say(f"{_INDENT}{task.get_name().strip()}: done on {self._ended_hosts} hosts")

    def _on_host(self, result: Any) -> str:
        host = self.host_label(result)
        return "" if host == _LOCALHOST else f"{host}: "

    def _fail(self, verb: str, result: Any) -> None:
        data = _of(result, "result")
        what = _of(result, "task").get_name().strip()
        label = self._get_item_label(data) if "item" in data else None
        item = f" ({label})" if label else ""
        lines = [f"{verb}: {self._on_host(result)}{what}{item}", *(f"{_INDENT}{each}" for each in _reasons(data))]
        stderr = bool(self.get_option("display_failed_stderr"))
        self._is_apart = True
        self._display.display("\n".join(lines), color=constants.COLOR_ERROR, stderr=stderr)

    def _print_task_banner(self, task: Any) -> None:
        """Before a difference, which is Ansible's own."""
        if self._display.verbosity:
            super()._print_task_banner(task)
        else:
            self._last_task_banner = task._uuid
            self._display.display(f"{_INDENT}{task.get_name().strip()}:")

    # The end.

    def v2_playbook_on_stats(self, stats: Any) -> None:
        """The result and what comes next."""
        self._status.close()
        if self._display.verbosity:
            super().v2_playbook_on_stats(stats)
            return
        hosts = {name: stats.summarize(name) for name in sorted(stats.processed)}
        failed = [name for name, each in hosts.items() if each["failures"] or each["unreachable"]]
        changed = [name for name, each in hosts.items() if each["changed"] and name not in failed]
        passed = duration(time.monotonic() - self._started)
        self._is_apart = True
        for verb, names in (
            ("changed", changed),
            ("unchanged", [name for name in hosts if name not in (*failed, *changed)]),
            ("failed", failed),
        ):
            names = [name for name in names if name != _LOCALHOST]
            if names:
                self._display.display(f"{verb}: {', '.join(names)}")
        if failed:
            self._display.display(f"{self._playbook}: failed after {passed}", color=constants.COLOR_ERROR)
        elif not hosts:
            told = f"{self._playbook}: nothing was run; --limit, --tags or --start-at-task may leave out everything"
            self._display.display(told, color=constants.COLOR_WARN)
        else:
            checked = bool(context.CLIARGS.get("check"))
            # Not that nothing had to be: a run may only show something, such as a difference.
            verbs = ("would change something", "nothing would change") if checked else ("changed", "nothing changed")
            verb = verbs[0 if changed else 1]
            color = constants.COLOR_CHANGED if changed else constants.COLOR_OK
            self._display.display(f"{self._playbook}: {verb}, done in {passed}", color=color)
        for step in self._steps:
            self._display.display(step.strip())
        self._steps.clear()


def _of(result: Any, name: str) -> Any:
    """A part of a task's result: result, host or task. Before ansible-core 2.19 their names began with _."""
    return getattr(result, name) if hasattr(result, name) else getattr(result, f"_{name}")


def _name_of(path: str) -> str:
    """What a user calls a playbook: of a collection by its full name, else as its file."""
    parts = os.path.normpath(path).split(os.sep)
    name = os.path.splitext(parts[-1])[0]
    if len(parts) > 4 and (parts[-5], parts[-2]) == _PLAYBOOKS:
        return ".".join([*parts[-4:-2], name])
    return parts[-1]


def _message_lines(data: Mapping[str, Any]) -> list[str]:
    """What ansible.builtin.debug shows: a message, or a variable."""
    if "msg" in data:
        messages = data["msg"] if isinstance(data["msg"], list) else [data["msg"]]
        return [line for each in messages for line in str(each).splitlines()]
    shown = {
        name: each for name, each in data.items() if not name.startswith("_") and name not in ("changed", "failed")
    }
    return [f"{name}: {each}" for name, each in shown.items()]


def _reasons(data: Mapping[str, Any]) -> list[str]:
    """Why a task has failed, one reason a line."""
    lines = str(data.get("censored") or data.get("msg") or "").splitlines()
    lines += [f"- {each}" for each in data.get("problems") or ()]
    output = next((str(data[name]) for name in _OUTPUTS if data.get(name)), "")
    told = output.splitlines()[-_OUTPUT_LINES:]
    return (
        lines + [f"{_INDENT}{each}" for each in told] + ([] if lines or told else ["(no reason given; -v shows all)"])
    )
