# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a cluster that its specification does not have."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean import names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.unknown import unknown
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Task
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import Account
from ansible_collections.kubeops.kops.tests.support.digitalocean.applying import applied
from ansible_collections.kubeops.kops.tests.support.digitalocean.wanted import DOMAIN, add_droplet, tasks

NAME = "demo.example.com"


def test_what_no_task_wants_is_named(client: Any, account: Account) -> None:
    account.names.add_domain(DOMAIN)
    applied(client(), tasks(NAME))
    for group in ("nodes", "gone"):
        add_droplet(account, NAME, group, names.tag(names.NUMBER, "1"))
    add_droplet(account, NAME, "of-kops", marked=False)
    wanted = [*tasks(NAME), Task("nodes-1")]
    assert [(each.kind, each.name) for each in unknown(client(), wanted)] == [("droplet", "gone-1")]
    less = [each for each in wanted if "events" not in each.name and "internal" not in each.name]
    assert [(each.kind, each.name) for each in unknown(client(), less)] == [
        ("droplet", "gone-1"),
        ("record", "api.internal.demo.example.com A"),
        ("volume", "kops-a-etcd-events-demo-example-com"),
    ]
