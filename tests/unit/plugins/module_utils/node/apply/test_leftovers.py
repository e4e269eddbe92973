# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules with secrets that Ansible left behind on a host when it was killed."""

from __future__ import annotations

import pathlib

import pytest
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.conftest import Node, changed


def left(node: Node, home: str, name: str = "AnsiballZ_node_converge.py", tmp: str = ".ansible/tmp") -> pathlib.Path:
    """A module in a directory of Ansible's, as a killed run leaves it."""
    path = node.file(f"{home}/{tmp}/ansible-tmp-1763798400.5-4711-81985529216486895/{name}")
    path.parent.mkdir(parents=True)
    path.write_text("secret")
    return path


def account(node: Node, name: str, home: str) -> None:
    with node.file("/etc/passwd").open("a") as stream:
        stream.write(f"{name}:x:1000:1000::{home}:/bin/sh\n")


def test_they_are_removed_whichever_user_connected(node: Node) -> None:
    account(node, "ann", "/home/ann")
    account(node, "bob", "/srv/bob")
    paths = [left(node, "/home/ann"), left(node, "/srv/bob", "AnsiballZ_addons.py"), left(node, "/root")]
    before = node.tree()
    predicted = node.converge(check=True)
    assert node.tree() == before
    report = node.converge()
    assert changed(report) == changed(predicted)
    assert {f"file:/{path.relative_to(node.root)}" for path in paths} <= set(changed(report))
    assert [path for path in paths if path.parent.exists()] == []
    assert not node.converge().changed


def test_they_are_removed_with_the_node(node: Node) -> None:
    node.converge()
    account(node, "ann", "/home/ann")
    path = left(node, "/home/ann")
    assert f"file:/{path.relative_to(node.root)}" in changed(node.remove_node())
    assert not path.parent.exists()


@pytest.mark.parametrize(
    ("remote_tmp", "place"), [("~/.cache/ansible", "/home/ann/.cache/ansible"), ("/var/lib/tmp", "/var/lib/tmp")]
)
def test_where_the_user_has_set_another_directory(node: Node, remote_tmp: str, place: str) -> None:
    account(node, "ann", "/home/ann")
    path = left(node, place, tmp="")
    node.converge()
    assert path.exists()
    node.remote_tmp = remote_tmp
    node.converge()
    assert not path.exists()


def test_files_of_others_stay(node: Node) -> None:
    account(node, "ann", "/home/ann")
    path = left(node, "/home/ann", "AnsiballZ_command.py")
    both = left(node, "/root")
    beside = both.with_name("source")
    beside.write_text("")
    node.converge()
    assert path.exists()
    assert beside.exists()
    assert not both.exists()


def test_they_do_not_wait_for_a_rolling_update(node: Node) -> None:
    """Changes that would interrupt a node are deferred; this is not one of them."""
    pod = {"name": "kube-proxy", "content": "kind: Pod\n"}
    node.converge(staticPods=[pod])
    path = left(node, "/root")
    node.defer = True
    report = node.converge(staticPods=[])
    assert report.deferred
    assert not path.exists()
