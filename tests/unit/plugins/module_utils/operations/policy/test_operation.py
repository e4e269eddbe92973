# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules about operations, and about the machines that these drain, replace or delete."""

from __future__ import annotations

import datetime
import pathlib

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.operations.policy.operation import (
    HOST,
    Affected,
    violations_of,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.policy.policy import Policy, PolicyError

FRIDAY = datetime.datetime(2026, 5, 8, 14, 30, tzinfo=datetime.timezone.utc)
WORKER = Affected("i-1", "nodes", "Node", "n1", "it is old")
CONTROL_PLANE = Affected("i-2", "control-plane-a", "ControlPlane", stays=False)


@pytest.fixture()
def ask(tmp_path: pathlib.Path):
    """What violates one rule, without its message: ask(rule, operation, machines)."""

    def asked(rule: str, operation: str = "rolling_update", *machines: Affected) -> list[str]:
        (tmp_path / "rule.yml").write_text(f"rules:\n- {{name: r, message: Ask., {rule}}}\n")
        found = violations_of(Policy.read([str(tmp_path)]), operation, machines, lambda: FRIDAY)
        return [f"{each.object}: {each.what}" for each in found]

    return asked


@pytest.mark.parametrize(
    ("rule", "violated"),
    [
        ("field: instances, max: 1", "instances is 2; at most 1 is allowed"),
        ("field: instances, max: 2", ""),
        ("field: control_planes, max: 0", "control_planes is 1; at most 0 is allowed"),
        ("names: [repair], field: instances, max: 1", ""),
        ("field: 'groups[]', forbidden: [nodes]", "groups[] is nodes, which is forbidden"),
        ("field: time.weekday, allowed: [Sat, Sun]", "time.weekday is Fri; allowed: Sat, Sun"),
        ("field: time.hour, min: 22", "time.hour is 14; at least 22 is allowed"),
        ("must: \"time.date != '2026-05-08'\"", "time.date != '2026-05-08' does not hold"),
        ("when: 'control_planes > `0`', never: true", "it is forbidden"),
    ],
)
def test_rules_about_an_operation(ask, rule: str, violated: str) -> None:
    found = ask(f"about: operation, {rule}", "rolling_update", WORKER, CONTROL_PLANE)
    assert found == ([f"Operation/rolling_update: {violated}"] if violated else [])


class German(datetime.datetime):
    """A time as programs with that locale see it."""

    def strftime(self, fmt: str, /) -> str:
        return super().strftime(fmt.replace("%a", "Fr"))


def test_the_names_of_days_are_the_same_in_all_locales(tmp_path: pathlib.Path) -> None:
    (tmp_path / "rule.yml").write_text(
        "rules:\n- {name: r, message: Ask., about: operation, field: time.weekday, allowed: [Fri]}\n"
    )
    now = German(2026, 5, 8, 14, 30, tzinfo=datetime.timezone.utc)
    assert f"{now:%a}" == "Fr"
    assert violations_of(Policy.read([str(tmp_path)]), "rolling_update", [WORKER], lambda: now) == []


@pytest.mark.parametrize(
    ("rule", "violated"),
    [
        ("actions: [delete], never: true", ["Instance/i-2: delete is forbidden"]),
        ("actions: [update], never: true", ["Instance/i-1: update is forbidden"]),
        ("when: before.role == 'ControlPlane', never: true", ["Instance/i-2: delete is forbidden"]),
        (
            "field: before.instance_group, matches: control-.*",
            ["Instance/i-1: before.instance_group is nodes; it must match control-.*"],
        ),
        ("kinds: [Host], never: true", []),
    ],
)
def test_rules_about_changes(ask, rule: str, violated: list[str]) -> None:
    found = ask(f"about: change, {rule}", "delete_instance", WORKER, CONTROL_PLANE)
    assert found == violated


def test_hosts_have_a_kind_of_their_own(ask) -> None:
    host = Affected("node1", kind=HOST)
    assert ask("about: change, kinds: [Host], never: true", "repair", host) == ["Host/node1: update is forbidden"]


def test_the_specification_is_for_updates(ask) -> None:
    assert ask("about: cluster, field: spec.channel, required: true", "rolling_update", WORKER) == []


def test_fields_that_no_operation_has(ask) -> None:
    with pytest.raises(PolicyError, match="there is no field weekdays; did you mean weekday"):
        ask("about: operation, field: time.weekdays, allowed: [Sat]")
