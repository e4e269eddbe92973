# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters in an account of DigitalOcean on loopback: stored, and with droplets that take credentials over SSH."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools import making, over_ssh
from ansible_collections.kubeops.kops.plugins.module_utils.engine import graph
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.server_credentials import read_credentials
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update import upstream_files
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore

from ..rest_server import RestServer
from ..upstream import small_definition
from . import catalog
from .account import TOKEN, Account, environment

NAME = "demo.k8s.local"
NODES, CONTROL_PLANE = f"nodes-{catalog.REGION}", f"control-plane-{catalog.REGION}-1"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f test"
STORE_KEY, STORE_SECRET = "AKEY", "a-secret-of-the-store"


class Handed(list[str]):
    """The droplets that were given credentials, by name. It stands for SSH: a droplet proves itself by its nonce."""

    def __init__(self, account: Account) -> None:
        super().__init__()
        self._account = account

    def hand_over(
        self, address: str, name: str, nonce: bytes, document: bytes, access: over_ssh.Access, known: str = ""
    ) -> str:
        """See over_ssh. Raises KopsError for a droplet that was told another nonce, or has another host key."""
        droplets = self._account.droplets
        (found,) = (each for each in droplets.objects.values() if each["name"] == name)
        public = [each["ip_address"] for each in found["networks"]["v4"] if each["type"] == "public"]
        assert address in public
        assert read_credentials(document) == {
            "token": TOKEN,
            "store": {"accessKey": STORE_KEY, "secretKey": STORE_SECRET},
        }
        host = over_ssh.mark_of_host(f"ssh-ed25519 {name}")
        is_it = known == host if known else nonce.hex() in droplets.user_data[found["id"]]
        if not is_it:
            raise KopsError(f"another server than {name} answers at {address}")
        self.append(name)
        return host


@contextmanager
def account_on_loopback(monkeypatch: pytest.MonkeyPatch, looks: int = 0) -> Iterator[tuple[RestServer, Handed]]:
    """An account with nothing in it, and a controller that has its token, a key of the store, and SSH to droplets."""
    account = Account(looks=looks, burst=100000)
    with RestServer(account) as server:
        of_store = {"S3_ACCESS_KEY_ID": STORE_KEY, "S3_SECRET_ACCESS_KEY": STORE_SECRET}
        for name, value in {**environment(server), **of_store}.items():
            monkeypatch.setenv(name, value)
        handed = Handed(account)
        monkeypatch.setattr(over_ssh, "hand_over", handed.hand_over)
        for name in ("FIRST_PAUSE", "LONGEST_PAUSE"):
            monkeypatch.setattr(graph, name, 0.01)
        monkeypatch.setattr(making, "_PAUSE", 0.01)
        # Of the driver of volumes.
        monkeypatch.setattr(upstream_files, "fetch", small_definition)
        yield server, handed


def stored(store: str, **options: Any) -> str:
    """A state store with a cluster of one control plane and two workers. options: of create_cluster, beside these."""
    given = {
        "name": NAME,
        "state_store": store,
        "cloud": "digitalocean",
        "zones": [catalog.REGION],
        "node_count": 2,
        "ssh_public_key": KEY,
        "networking": "cilium",
        "network_cidr": ["10.20.0.0/16"],
        "kubernetes_version": "1.34.4",
        **options,
    }
    create_cluster(given, check_mode=False)
    return store


def change_group(store: str, name: str, **values: Any) -> None:
    """Change fields of a stored instance group."""
    opened = ClusterStore.open(store, NAME)
    group = next(group for group in opened.read()[1] if group.metadata.name == name)
    for key, value in values.items():
        setattr(group.spec, key, value)
    opened.write_group(group)
