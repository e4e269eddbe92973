# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbooks as a user runs them: exact in check mode, nothing left to do the second time, no secret shown.

Every variable that a playbook knows is given in every run, as empty text where it is not wanted: survey forms do so.
"""

from __future__ import annotations

import base64
import json
import pathlib
import re
import stat
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, STORE, Account

ZONE = "us-east-1a"
NODES = f"nodes-{ZONE}"
# What every private key begins with, as PEM, and in a kubeconfig or a keyset.
SECRET_MARKS = ("PRIVATE KEY", base64.b64encode(b"-----BEGIN RSA PRIV").decode(), "client-key-data: LS0")
# Holding the lease is the only write of an operation that has nothing else to write.
LEASE_WRITES = {"s3.Put"}


def variables_of(playbook: str) -> dict[str, str]:
    """Every variable that a playbook looks at, empty; not what it registers itself."""
    (content,) = yaml.safe_load((ROOT / "playbooks" / f"{playbook}.yml").read_text())
    registered = {task["register"] for task in content["tasks"] if "register" in task}
    used = {name for text in texts_in(content) for name in re.findall(r"\bkops_\w+", text)}
    return dict.fromkeys(used - registered, "")


def texts_in(content: Any) -> Iterator[str]:
    """All text values, but not keys, of plain data."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, (dict, list)):
        for value in content.values() if isinstance(content, dict) else content:
            yield from texts_in(value)


def play(account: Account, playbook: str, *options: str, changed: int, **variables: str) -> str:
    """Run a playbook; its output, in which so many tasks have changed something and no secret is to be seen."""
    given = json.dumps({**variables_of(playbook), **variables})
    output = account.ansible("ansible-playbook", f"kubeops.kops.{playbook}", "-e", given, *options)
    recap = re.search(r"^localhost +: ok=\d+ +changed=(\d+) +unreachable=0 +failed=0", output, re.MULTILINE)
    assert recap, output
    assert int(recap[1]) == changed, output
    for mark in SECRET_MARKS:
        assert mark not in output
    return output


def play_reading(account: Account, playbook: str, *options: str, changed: int = 0, **variables: str) -> str:
    """Run a playbook that may only read."""
    with account.server.recorded() as calls:
        output = play(account, playbook, *options, changed=changed, **variables)
    assert calls, "the playbook has looked at nothing"
    assert account.writes(calls) == []
    return output


def play_idly(account: Account, playbook: str, *options: str, **variables: str) -> str:
    """Run a playbook that has nothing to do."""
    with account.server.recorded() as calls:
        output = play(account, playbook, *options, changed=0, **variables)
    assert set(account.writes(calls)) <= LEASE_WRITES
    return output


def progress(output: str, what: str) -> bool:
    """Whether a line has told of something when it was done."""
    return re.search(rf"^ +\[\d+/\d+\] {re.escape(what)}$", output, re.MULTILINE) is not None


def test_create_cluster(account: Account) -> None:
    before = account.inventory()
    planned = play_reading(account, "create_cluster", "--check", "--diff", changed=2, kops_zones=ZONE)
    assert f"VPC/{NAME}" in planned
    assert account.inventory() == before

    created = play(account, "create_cluster", "-vvv", "--diff", changed=2, kops_zones=ZONE)
    assert progress(created, f"created VPC/{NAME}")
    assert len(account.inventory()["scaling groups"]) == 2

    play_idly(account, "create_cluster", kops_zones=ZONE)
    play_reading(account, "create_cluster", "--check", kops_zones=ZONE)


def test_replace_and_update_cluster(account: Account, tmp_path: pathlib.Path) -> None:
    account.create(zones=[ZONE])
    account.update()
    cluster, groups = ClusterStore.open(STORE, NAME).read()
    for group in groups:
        if group.metadata.name == NODES:
            group.spec.min_size, group.spec.max_size = 2, 3
    file = tmp_path / "cluster.yaml"
    file.write_text(manifest.dump_all([cluster, *groups]))

    planned = play_reading(account, "replace", "--check", "--diff", changed=1, kops_manifest=str(file))
    assert "+  maxSize: 3" in planned
    play(account, "replace", changed=1, kops_manifest=str(file))
    play_reading(account, "replace", kops_manifest=str(file))

    planned = play_reading(account, "update_cluster", "--check", "--diff", changed=1)
    assert f"AutoscalingGroup/{NODES}.{NAME}" in planned
    updated = play(account, "update_cluster", "-vvv", changed=1)
    assert progress(updated, f"updated AutoscalingGroup/{NODES}.{NAME}")
    play_idly(account, "update_cluster")


def test_get_and_kubeconfig(account: Account, tmp_path: pathlib.Path) -> None:
    account.create(zones=[ZONE])
    account.update()
    shown = play_reading(account, "get", "-vvv")
    assert NAME in shown
    assert NODES in shown

    file = tmp_path / "own" / "kubeconfig"
    play_reading(account, "kubeconfig", "--check", "--diff", changed=1, kops_kubeconfig=str(file))
    assert not file.exists()
    play_reading(account, "kubeconfig", "-vvv", "--diff", changed=1, kops_kubeconfig=str(file))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert yaml.safe_load(file.read_text())["current-context"] == NAME
    play_reading(account, "kubeconfig", kops_kubeconfig=str(file))


def test_delete_cluster(account: Account) -> None:
    before = account.inventory()
    account.create(zones=[ZONE])
    account.update()
    existing = account.inventory()
    listed = play_reading(account, "delete_cluster", "--check", changed=1)
    assert re.search(r"^ +Would delete \d+ cloud objects", listed, re.MULTILINE)
    assert re.search(r"^ +1 vpc$", listed, re.MULTILINE)
    assert account.inventory() == existing

    deleted = play(account, "delete_cluster", "-vvv", changed=1)
    assert progress(deleted, f"deleted vpc {NAME}")
    before["stored files"] = []
    assert account.inventory() == before
    play_reading(account, "delete_cluster")


@pytest.mark.parametrize("playbook", sorted(path.stem for path in (ROOT / "playbooks").glob("*.yml")))
def test_every_variable_is_documented(playbook: str) -> None:
    text = (ROOT / "playbooks" / f"{playbook}.yml").read_text()
    comment = text.partition("\n- name:")[0]
    missing = [name for name in variables_of(playbook) if not re.search(rf"^#   {name}\b", comment, re.MULTILINE)]
    assert missing == []
