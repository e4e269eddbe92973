# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An SSH key: an account has it once, whatever it is called."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean import names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.cloud import DigitalOceanCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.kinds import SSH_KEY
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.tasks.ssh_key import SSHKey
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import Account
from ansible_collections.kubeops.kops.tests.support.digitalocean.applying import applied, changes
from ansible_collections.kubeops.kops.tests.support.digitalocean.keys import fingerprint_of
from ansible_collections.kubeops.kops.tests.support.digitalocean.wanted import public_key
from ansible_collections.kubeops.kops.tests.support.rest_server import LOST, RESET, RestServer

NAME = "demo.example.com"
KEY = public_key(NAME)


def wanted(key: str = KEY) -> SSHKey:
    return SSHKey(names.ssh_key(fingerprint_of(key), NAME), public_key=key)


@pytest.mark.parametrize("spoiled", [None, LOST, RESET, 500])
def test_it_is_made_once(
    cloud: DigitalOceanCloud, client, account: Account, server: RestServer, spoiled: int | str | None
) -> None:
    if spoiled is not None:
        server.spoil(1, spoiled)
    applied(cloud, [wanted()])
    (made,) = account.keys.objects.values()
    assert made["name"] == f"kubernetes.{NAME}-{made['fingerprint']}"
    again = wanted(f"{' '.join(KEY.split()[:2])} another comment")
    assert changes(applied(client(), [again])) == []
    assert again.id == str(made["id"])


def test_one_that_is_there_by_another_name_is_used(cloud: DigitalOceanCloud, client, server: RestServer) -> None:
    made = cloud.make(SSH_KEY, {"name": "mine", "public_key": KEY})
    task = wanted()
    assert changes(applied(client(), [task])) == []
    assert task.id == str(made["id"])
    assert len(server.writes) == 1
