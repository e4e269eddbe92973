# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the callback quiet shows of the events of a run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from ansible import context
from ansible.plugins.callback.default import CallbackModule as DefaultCallback
from ansible_collections.kubeops.kops.plugins.callback import quiet
from ansible_collections.kubeops.kops.plugins.plugin_utils.shown import NextStep, Passing

PLAYBOOK = "/x/ansible_collections/kubeops/kops/playbooks/update_cluster.yml"


class Run:
    """A run whose events a test makes. shown: all lines; status: what the line of progress said."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **arguments: Any) -> None:
        self.shown: list[str] = []
        self.status: list[str] = []
        monkeypatch.setattr(context, "CLIARGS", arguments)
        monkeypatch.setattr(quiet.CallbackModule, "_handle_warnings", lambda _self, data: self._warn(data))
        self.callback = quiet.CallbackModule()
        self.callback._plugin_options = {"display_failed_stderr": False}
        self.callback._written = lambda text, *_arguments, **_named: self.shown.extend(text.split("\n"))
        self.callback._status.say = self.status.append

    def _warn(self, data: dict[str, Any]) -> None:
        self.shown += [f"warning: {each}" for each in data.get("warnings", ())]

    def start(self, path: str = PLAYBOOK, **variables: Any) -> None:
        self.callback.v2_playbook_on_start(SimpleNamespace(_file_name=path))
        manager = SimpleNamespace(extra_vars=variables)
        for _play in range(2):
            self.callback.v2_playbook_on_play_start(SimpleNamespace(get_variable_manager=lambda: manager))

    def task(self, name: str, action: str = "kubeops.kops.update_cluster", **given: Any) -> Any:
        usual = {"loop": None, "ignore_errors": None, "ignore_unreachable": None, "delegate_to": None}
        task = SimpleNamespace(action=action, get_name=lambda: name, _uuid=name, **{**usual, **given})
        self.callback.v2_playbook_on_task_start(task, is_conditional=False)
        return task

    def result(self, task: Any, host: str = "localhost", **data: Any) -> Any:
        return SimpleNamespace(task=task, host=SimpleNamespace(get_name=lambda: host), result=data)

    def end(self, **hosts: dict[str, int]) -> None:
        nothing = {"failures": 0, "unreachable": 0, "changed": 0}
        stats = SimpleNamespace(processed=hosts, summarize=lambda name: {**nothing, **hosts[name]})
        self.callback.v2_playbook_on_stats(stats)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    monkeypatch.delenv("KOPS_CLUSTER_NAME", raising=False)
    monkeypatch.setattr(DefaultCallback, "host_label", staticmethod(lambda result: result.host.get_name()))
    run = Run(monkeypatch)
    yield run
    del run.callback._display.display


def test_a_run_is_header_plan_result_and_what_comes_next(run: Run) -> None:
    run.start(kops_cluster_name="demo.example.com")
    run.callback.v2_runner_on_ok(run.result(run.task("Check the variables"), changed=False))
    task = run.task("Make the cloud equal")
    for line in (Passing("  [1/1] created A"), "  Done: 1 created", NextStep("  Next: kubeops.kops.kubeconfig")):
        run.callback._display.display(line)
    run.callback.v2_runner_on_ok(run.result(task, changed=True, warnings=["careful"]))
    run.end(localhost={"changed": 1})
    assert run.shown == [
        "kubeops.kops.update_cluster: demo.example.com",
        "",
        "  Done: 1 created",
        "warning: careful",
        "",
        "kubeops.kops.update_cluster: changed, done in 0 s",
        "Next: kubeops.kops.kubeconfig",
    ]
    assert run.status == ["  Check the variables", "  Make the cloud equal", "  [1/1] created A"]


@pytest.mark.parametrize(
    ("check", "stats", "told"),
    [
        (False, {}, "nothing changed, done in 0 s"),
        (True, {}, "nothing would change, done in 0 s"),
        (True, {"changed": 1}, "would change something, done in 0 s"),
        (False, {"failures": 1, "changed": 1}, "failed after 0 s"),
        (False, {"unreachable": 1}, "failed after 0 s"),
    ],
)
def test_results(run: Run, check: bool, stats: dict[str, int], told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "CLIARGS", {"check": check})
    run.start("site.yml")
    run.end(localhost=stats)
    head = "site.yml (check mode: nothing is written)" if check else "site.yml"
    assert run.shown == [head, "", f"site.yml: {told}"]


def test_a_run_of_nothing_is_not_green(run: Run) -> None:
    """A limit or a tag that nothing has; the exit code is 0."""
    run.start("site.yml")
    run.end()
    assert run.shown[-1].startswith("site.yml: nothing was run; --limit, --tags or --start-at-task")


def test_hosts_are_named_by_what_became_of_them(run: Run) -> None:
    run.start("site.yml")
    task = run.task("Apply the NodeConfig")
    run.callback.v2_runner_on_ok(run.result(task, "h1", changed=True))
    run.callback.v2_runner_on_ok(run.result(task, "h2", changed=False))
    run.callback.v2_runner_on_unreachable(run.result(task, "h3", msg="no route", unreachable=True))
    assert run.status[-2:] == [f"  Apply the NodeConfig: done on {number} hosts" for number in (2, 3)]
    run.end(h1={"changed": 1}, h2={}, h3={"unreachable": 1}, localhost={})
    assert run.shown[1:] == [
        "",
        "Unreachable: h3: Apply the NodeConfig",
        "  no route",
        "",
        "changed: h1",
        "unchanged: h2",
        "failed: h3",
        "site.yml: failed after 0 s",
    ]


@pytest.mark.parametrize(
    ("data", "reasons"),
    [
        (
            {"msg": "wrong variables", "problems": ["a: is wrong", "b: is wrong"]},
            ["wrong variables", "- a: is wrong", "- b: is wrong"],
        ),
        (
            {"msg": "non-zero return code", "stderr": "out of\nmemory", "rc": 1},
            ["non-zero return code", "  out of", "  memory"],
        ),
        (
            {"msg": "MODULE FAILURE", "module_stdout": "", "module_stderr": "\n".join("abcdefghijkl")},
            ["MODULE FAILURE", *(f"  {each}" for each in "cdefghijkl")],
        ),
        ({"censored": "the output has been hidden"}, ["the output has been hidden"]),
        ({}, ["(no reason given; -v shows all)"]),
    ],
)
def test_a_failure_is_shown_once_with_its_reasons(run: Run, data: dict[str, Any], reasons: list[str]) -> None:
    run.start("site.yml")
    run.callback.v2_runner_on_failed(run.result(run.task("Do it"), failed=True, **data))
    assert run.shown == ["site.yml", "", "Failed: Do it", *(f"  {each}" for each in reasons)]


def test_of_a_loop_the_items_say_what_has_failed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DefaultCallback, "_get_item_label", lambda _self, data: data["item"])
    run.start("site.yml")
    task = run.task("Do it", loop=["a", "b"])
    run.callback.v2_runner_item_on_ok(run.result(task, item="a"))
    run.callback.v2_runner_item_on_failed(run.result(task, item="b", msg="is wrong"))
    run.callback.v2_runner_on_failed(run.result(task, results=[{}, {}], msg="One or more items failed"))
    assert run.shown[2:] == ["Failed: Do it (b)", "  is wrong"]


def test_a_failure_that_is_ignored_is_not_shown(run: Run) -> None:
    run.start("site.yml")
    task = run.task("Do it", ignore_errors=True, ignore_unreachable=True)
    run.callback.v2_runner_on_failed(run.result(task, msg="no"), ignore_errors=True)
    run.callback.v2_runner_item_on_failed(run.result(task, msg="no"))
    run.callback.v2_runner_on_unreachable(run.result(task, msg="no"))
    assert run.shown == ["site.yml"]


def test_messages_for_the_reader_are_shown(run: Run) -> None:
    run.start("site.yml")
    task = run.task("Show", "ansible.builtin.debug")
    run.callback.v2_runner_on_ok(run.result(task, msg="one\ntwo", changed=False))
    run.callback.v2_runner_on_ok(run.result(task, "h1", msg=["three"]))
    run.callback.v2_runner_on_ok(run.result(task, number=4, changed=False, failed=False, _ansible_verbose_always=True))
    assert run.shown[2:] == ["  one", "  two", "  h1: three", "  number: 4"]


def test_with_details_it_is_ansibles_own(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[str] = []
    for name in ("v2_playbook_on_start", "v2_playbook_on_task_start", "v2_runner_on_failed", "v2_playbook_on_stats"):
        monkeypatch.setattr(DefaultCallback, name, lambda *_arguments, _name=name, **_named: called.append(_name))
    monkeypatch.setattr(run.callback._display, "verbosity", 1)
    run.callback.v2_playbook_on_start(None)
    task = run.task("Do it")
    run.callback._display.display(Passing("  [1/1] created A"))
    run.callback._display.display(NextStep("  Next: a"))
    run.callback.v2_runner_on_failed(run.result(task))
    run.callback.v2_playbook_on_stats(None)
    assert called == [
        "v2_playbook_on_start",
        "v2_playbook_on_task_start",
        "v2_runner_on_failed",
        "v2_playbook_on_stats",
    ]
    assert run.shown == ["  [1/1] created A", "  Next: a"]


def test_results_of_older_versions_of_ansible(run: Run) -> None:
    run.start("site.yml")
    task = run.task("Do it")
    old = SimpleNamespace(_task=task, _host=SimpleNamespace(get_name=lambda: "h1"), _result={"msg": "no"})
    old.host = old._host
    run.callback.v2_runner_on_failed(old)
    assert run.shown[2:] == ["Failed: h1: Do it", "  no"]


def test_a_task_sends_its_lines_to_the_process_that_shows_them(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getpid", lambda: -1)
    run.callback._display.display(Passing("  [1/1] created A"))
    assert (run.shown, run.status) == (["  [1/1] created A"], [])


def test_ansible_runner_gets_no_line_that_is_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """It runs jobs in a terminal, and derives a callback from this one."""

    class OfRunner(quiet.CallbackModule):
        CALLBACK_NAME = "awx_display"

    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys.stdout, "fileno", lambda: 1, raising=False)
    for term, kinds in (("xterm", ("TerminalLine", "LogLine")), ("dumb", ("LogLine", "LogLine"))):
        monkeypatch.setenv("TERM", term)
        for callback, kind in zip((quiet.CallbackModule, OfRunner), kinds, strict=True):
            made = callback()
            assert type(made._status).__name__ == kind
            del made._display.display
