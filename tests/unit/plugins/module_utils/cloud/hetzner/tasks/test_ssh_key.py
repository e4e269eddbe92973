# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An SSH key: a project has each once, so one of the user is used, and neither labelled nor deleted."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.kinds import SSH_KEY
from ansible_collections.kubeops.kops.tests.support.hetzner import applying
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer


def test_made_with_the_name_of_kops(server: HetznerServer) -> None:
    wanted = applying.tasks()
    applying.applied(applying.client(), wanted)
    (found,) = server.project.objects.all("ssh_keys")
    assert found["name"] == f"{applying.NAME}-{found['fingerprint']}"
    (task,) = (each for key, each in wanted.items() if key.startswith("SSHKey/"))
    assert task.id == found["id"]


def test_one_of_the_user_is_used_as_it_is(server: HetznerServer) -> None:
    mine = applying.client().make(SSH_KEY, {"name": "me@example.com", "public_key": f"{applying.KEY} at home"})
    wanted = applying.tasks()
    plan = applying.applied(applying.client(), wanted)
    (task,) = (each for key, each in wanted.items() if key.startswith("SSHKey/"))
    assert task.id == mine["id"]
    assert not any("SSHKey" in each for each in applying.changes(plan))
    applying.remove(applying.client())
    (left,) = server.project.objects.all("ssh_keys")
    assert (left["name"], left["labels"], server.names()) == ("me@example.com", {}, ["ssh_keys me@example.com"])
