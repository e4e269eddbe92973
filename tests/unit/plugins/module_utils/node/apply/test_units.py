# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Units: files, enabled, running; restarted for a reason, and for none other."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import CommandError, ConfigError, KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.apply.volumes import unit_name
from ansible_collections.kubeops.kops.plugins.module_utils.node.system import servers
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.host import CommandOutcome
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.conftest import Node, changed

APP = {"name": "app.service", "content": "[Service]\nExecStart=app\n", "restartOn": ["file:/etc/app/", "sysctl"]}


def parts(**changes: Any) -> dict[str, Any]:
    return {
        "sysctls": [{"key": "net.ipv4.ip_forward", "value": "1"}],
        "files": [{"path": "/etc/app/a", "content": "a"}, {"path": "/etc/other", "content": "a"}],
        "units": [dict(APP)],
        **changes,
    }


def calls(node: Node, given: dict[str, Any]) -> list[str]:
    """The commands of another run, which is the last that has anything to do."""
    node.host.forget_calls()
    node.converge(**given)
    made = node.host.calls
    assert not node.converge(**given).changed
    return made


def test_a_new_unit_is_enabled_and_started(node: Node) -> None:
    assert calls(node, parts()) == [
        "systemctl enable --no-reload --quiet app.service",
        "systemctl daemon-reload",
        "systemctl start app.service",
    ]


def test_a_unit_that_awaits_a_server(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its start waits for it, but not for ever; a restart does not, as it would only make the interruption longer."""
    asked: list[tuple[str, float]] = []

    def wait(target: str, seconds: float) -> bool:
        asked.append((target, seconds))
        assert "systemctl start app.service" not in node.host.calls
        return False

    monkeypatch.setattr(servers, "await_tls", wait)
    given = parts(units=[{**APP, "awaits": "api.example.com:443"}])
    assert calls(node, given)[-1] == "systemctl start app.service"
    assert asked == [("api.example.com:443", 60)]
    given["files"][0]["content"] = "b"
    assert calls(node, given)[-1] == "systemctl restart app.service"
    assert len(asked) == 1


def test_many_units_need_one_reload(node: Node) -> None:
    units = [{**APP, "name": f"{name}.service", "dropIns": {"a.conf": "", "b.conf": ""}} for name in "abc"]
    assert calls(node, parts(units=units)).count("systemctl daemon-reload") == 1


@pytest.mark.parametrize(
    ("change", "restarts"),
    [
        ({"files": [{"path": "/etc/app/a", "content": "b"}, {"path": "/etc/other", "content": "a"}]}, True),
        ({"files": [{"path": "/etc/app/a", "content": "a"}, {"path": "/etc/other", "content": "b"}]}, False),
        ({"files": [{"path": "/etc/app/b", "content": "b"}, {"path": "/etc/other", "content": "a"}]}, True),
        ({"files": [{"path": "/etc/app/a", "content": "a", "mode": "0600"}]}, True),
        ({"sysctls": [{"key": "net.ipv4.ip_forward", "value": "0"}]}, True),
        ({"directories": [{"path": "/srv/x"}]}, False),
    ],
)
def test_what_a_restart_depends_on(node: Node, change: dict[str, Any], restarts: bool) -> None:
    node.converge(**parts())
    assert ("systemctl restart app.service" in calls(node, parts(**change))) == restarts


def test_a_file_that_leaves_restarts_too(node: Node) -> None:
    files = [{"path": "/etc/app/a", "content": "a"}, {"path": "/etc/app/gone", "content": "a"}]
    node.converge(**parts(files=files))
    assert calls(node, parts(files=files[:1])) == ["systemctl restart app.service"]


def test_its_own_files_restart_it_after_a_reload(node: Node) -> None:
    node.converge(**parts(units=[{**APP, "dropIns": {"10-a.conf": "[Service]\n"}}]))
    expected = ["systemctl daemon-reload", "systemctl restart app.service"]
    assert calls(node, parts(units=[{**APP, "dropIns": {"10-a.conf": "[Service]\nNice=1\n"}}])) == expected
    assert calls(node, parts(units=[{**APP, "dropIns": {}}])) == expected
    assert calls(node, parts(units=[{**APP, "content": "[Service]\nExecStart=new\n"}])) == expected


def test_settings_of_systemd_itself_are_read_again(node: Node) -> None:
    setting = {"path": "/etc/systemd/system.conf.d/proxy.conf", "content": "[Manager]\nDefaultEnvironment=a=1\n"}
    node.converge(**parts())
    files = parts()["files"]
    assert calls(node, parts(files=[*files, setting])) == ["systemctl daemon-reload"]
    assert calls(node, parts(files=files)) == ["systemctl daemon-reload"]


def test_the_report_says_why(node: Node) -> None:
    node.converge(**parts())
    files = [{"path": "/etc/app/a", "content": "b"}, {"path": "/etc/other", "content": "a"}]
    step = node.converge(**parts(files=files)).steps[-1]
    assert (step.item, step.after) == ("unit:app.service", {"restarted": "for file:/etc/app/a"})


def test_a_unit_that_stopped_is_started(node: Node) -> None:
    node.converge(**parts())
    node.host.run("systemctl", "stop", "app.service")
    assert calls(node, parts()) == ["systemctl start app.service"]


def test_a_unit_that_failed_is_given_another_chance(node: Node) -> None:
    node.host.distribution_units["app.service"] = {"active": "failed"}
    assert "systemctl reset-failed app.service" in calls(node, parts())


def test_a_restart_that_failed_is_not_forgotten(node: Node) -> None:
    node.converge(**parts())
    given = parts(files=[{"path": "/etc/app/a", "content": "b"}])
    node.host.fail["systemctl restart app"] = CommandOutcome(1, "", "Job for app.service failed.")
    node.host.journals["app.service"] = "app: cannot read /etc/app/a\n"
    with pytest.raises(KopsError) as caught:
        node.converge(**given)
    assert str(caught.value) == (
        "'systemctl restart app.service' ended with exit code 1:\nJob for app.service failed.\n"
        "the last lines of its log:\napp: cannot read /etc/app/a"
    )
    node.host.fail.clear()
    assert calls(node, given) == ["systemctl restart app.service"]


def test_a_unit_that_fails_is_explained_by_the_files_of_others(node: Node) -> None:
    """With the names of what they set, and not with its values. Its own drop-ins are none of others."""
    folder = node.file("/etc/systemd/system/app.service.d")
    folder.mkdir(parents=True)
    (folder / "30-pre.conf").write_text("[Service]\nExecStartPre=/bin/false secret\nNice=5\n")
    node.host.fail["systemctl start app"] = CommandOutcome(1, "", "Job for app.service failed.")
    unit = {
        "name": "app.service",
        "content": "[Service]\nExecStart=/bin/app\n",
        "dropIns": {"10-ours.conf": "[Unit]\n"},
    }
    with pytest.raises(KopsError) as caught:
        node.converge(units=[unit])
    assert str(caught.value) == (
        "'systemctl start app.service' ended with exit code 1:\nJob for app.service failed.\n"
        "these files of others change app.service: /etc/systemd/system/app.service.d/30-pre.conf (ExecStartPre)"
    )


def test_a_unit_that_hangs_ends_with_what_it_said(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*command: str, timeout: float = 900, **more: Any) -> CommandOutcome:
        if command[:2] == ("systemctl", "start"):
            assert timeout <= 300
            raise CommandError(f"'{' '.join(command)}' did not end within {timeout:g} s")
        return known(*command, timeout=timeout, **more)

    known = node.host.run
    monkeypatch.setattr(node.host, "run", run)
    node.host.journals["app.service"] = "app: waits for a proxy\n"
    with pytest.raises(
        KopsError, match=r"did not end within 300 s\nthe last lines of its log:\napp: waits for a proxy"
    ):
        node.converge(units=[{"name": "app.service", "content": "[Service]\nExecStart=/bin/app\n"}])


def test_a_reload_that_was_missed_is_made_up_for(node: Node) -> None:
    node.converge(**parts())
    unit = node.file("/etc/systemd/system/app.service.d/theirs.conf")
    unit.parent.mkdir()
    unit.write_text("[Service]\n")
    assert calls(node, parts()) == ["systemctl daemon-reload"]


def test_a_unit_of_the_distribution_is_only_switched(node: Node) -> None:
    node.host.distribution_units["chrony.service"] = {"active": "active", "enabled": "enabled"}
    unit = {"name": "chrony.service"}
    assert calls(node, {"units": [unit]}) == []
    assert calls(node, {"units": [{**unit, "state": "stopped", "enabled": False}]}) == [
        "systemctl disable --no-reload --quiet chrony.service",
        "systemctl daemon-reload",
        "systemctl stop chrony.service",
    ]
    assert calls(node, {}) == ["systemctl enable --quiet chrony.service", "systemctl start chrony.service"]
    assert calls(node, {}) == []


def test_a_unit_that_others_had_stopped_is_stopped_again(node: Node) -> None:
    node.host.distribution_units["chrony.service"] = {"active": "inactive", "enabled": "disabled"}
    started = [
        "systemctl enable --no-reload --quiet chrony.service",
        "systemctl daemon-reload",
        "systemctl start chrony.service",
    ]
    assert calls(node, {"units": [{"name": "chrony.service"}]}) == started
    assert calls(node, {"units": [{"name": "chrony.service"}]}) == []
    assert calls(node, {}) == [
        "systemctl stop chrony.service",
        "systemctl disable --no-reload --quiet chrony.service",
    ]


def test_a_unit_that_is_not_there_may_well_be_stopped(node: Node) -> None:
    assert calls(node, {"units": [{"name": "firewalld.service", "state": "stopped", "enabled": False}]}) == []


def test_a_unit_that_nobody_enables_is_not(node: Node) -> None:
    node.host.distribution_units["a.service"] = {"active": "active", "enabled": "static"}
    assert calls(node, {"units": [{"name": "a.service"}]}) == []


def test_a_unit_that_can_be_enabled_from_now_on_is(node: Node) -> None:
    node.host.distribution_units["a.service"] = {"active": "active", "enabled": "static"}
    unit = {"name": "a.service", "content": "[Service]\nExecStart=app\n\n[Install]\nWantedBy=multi-user.target\n"}
    assert calls(node, {"units": [unit]})[0] == "systemctl enable --no-reload --quiet a.service"


def test_a_masked_unit_is_a_problem(node: Node) -> None:
    node.host.distribution_units["a.service"] = {"enabled": "masked"}
    with pytest.raises(ConfigError, match="unit:a.service is masked; run 'systemctl unmask a.service'"):
        node.converge(units=[{"name": "a.service"}])


def test_a_unit_that_ends_by_itself_runs_once(node: Node) -> None:
    unit = {"name": "hook.service", "content": "[Service]\nType=oneshot\n"}
    assert "systemctl start hook.service" in calls(node, {"units": [unit]})
    assert "systemctl start hook.service" in calls(node, {"units": [{**unit, "content": unit["content"] + "#\n"}]})


def test_a_unit_that_leaves_is_stopped_before_its_file_goes(node: Node) -> None:
    node.converge(**parts())
    node.host.forget_calls()
    report = node.converge(**parts(units=[]))
    assert node.host.calls == [
        "systemctl stop app.service",
        "systemctl disable --no-reload --quiet app.service",
        "systemctl daemon-reload",
    ]
    assert changed(report) == ["unit:app.service", "file:/etc/systemd/system/app.service", "systemd:reload"]


def test_absent_units(node: Node) -> None:
    node.host.distribution_units["docker.service"] = {"active": "active", "enabled": "enabled"}
    assert calls(node, {"absent": {"units": ["docker.service", "none.service"]}}) == [
        "systemctl stop docker.service",
        "systemctl disable --no-reload --quiet docker.service",
    ]


@pytest.mark.parametrize(
    ("mount", "name"),
    [("/mnt/a", "mnt-a.mount"), ("/mnt/a-b c", "mnt-a\\x2db\\x20c.mount"), ("/.x", "\\x2ex.mount")],
)
def test_names_of_mounts(mount: str, name: str) -> None:
    assert unit_name(mount) == name
