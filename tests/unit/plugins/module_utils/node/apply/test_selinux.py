# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is written gets the labels of the policy. Both SELinux and restorecon are imitated."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.host import NOT_FOUND, CommandOutcome
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.assets import Assets
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.conftest import Node

SCRIPT = {"path": "/opt/app/bin/script", "content": "#!/bin/sh\n", "mode": "0755"}


@pytest.fixture
def labelled(node: Node, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What restorecon was asked for, and what was running then."""
    node.file("/sys/fs/selinux").mkdir(parents=True)
    node.file("/sys/fs/selinux/enforce").write_text("1")
    asked: list[list[str]] = []
    run = node.host.run

    def watched(*command: str, **options: Any) -> CommandOutcome:
        if command[0] != "restorecon":
            return run(*command, **options)
        asked.append([path.removeprefix(str(node.root)) for path in command[2:]])
        return CommandOutcome(0)

    monkeypatch.setattr(node.host, "run", watched)
    return asked


def test_new_files_and_their_directories_are_labelled_once(node: Node, labelled: list[list[str]]) -> None:
    link = {"path": "/opt/app/link", "target": "bin"}
    node.converge(files=[SCRIPT], links=[link])
    assert labelled == [["/opt", "/opt/app", "/opt/app/bin", "/opt/app/bin/script", "/opt/app/link"]]
    node.converge(files=[SCRIPT], links=[link])
    assert len(labelled) == 1, "a run that changes nothing labels nothing"
    node.converge(files=[{**SCRIPT, "content": "#!/bin/bash\n"}], links=[link])
    assert labelled[1:] == [["/opt/app/bin/script"]]


def test_programs_are_labelled_before_units_start_them(
    node: Node, labelled: list[list[str]], assets: Assets, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = {**assets.add("/program", b"#!/bin/true\n"), "name": "program", "dest": "/opt/app/program"}
    unit = {"name": "app.service", "content": "[Service]\nExecStart=/opt/app/program\n"}
    started: list[int] = []
    run = node.host.run

    def watched(*command: str, **options: Any) -> CommandOutcome:
        if command[:2] == ("systemctl", "start"):
            started.append(len(labelled))
        return run(*command, **options)

    monkeypatch.setattr(node.host, "run", watched)
    node.converge(downloads=[program], units=[unit])
    assert labelled[0] == ["/opt", "/opt/app", "/opt/app/program"]
    assert started == [1]


def test_without_selinux_nothing_is_asked(node: Node) -> None:
    node.host.fail["restorecon"] = CommandOutcome(1, "", "must not be run")
    assert node.converge(files=[SCRIPT]).warnings == []


@pytest.mark.parametrize(
    ("outcome", "warning"),
    [
        (CommandOutcome(NOT_FOUND), "there is no restorecon (package policycoreutils)"),
        (CommandOutcome(255, "", "Operation not permitted"), "Operation not permitted"),
    ],
)
def test_labels_that_cannot_be_set_are_a_warning(node: Node, outcome: CommandOutcome, warning: str) -> None:
    node.file("/sys/fs/selinux").mkdir(parents=True)
    node.file("/sys/fs/selinux/enforce").write_text("0")
    node.host.fail["restorecon"] = outcome
    (said,) = node.converge(files=[SCRIPT]).warnings
    assert warning in said
