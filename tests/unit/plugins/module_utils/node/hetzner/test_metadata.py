# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the metadata service of a server says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.hetzner import metadata
from ansible_collections.kubeops.kops.plugins.module_utils.node.hetzner.instance import HetznerServer
from ansible_collections.kubeops.kops.tests.support.hetzner.metadata_service import NETWORKS, serving


@pytest.fixture(name="said")
def of_a_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    said = {
        "instance-id": "4711\n",
        "hostname": "nodes-a-c5a001",
        "availability-zone": "fsn1-dc14",
        "private-networks": NETWORKS,
    }
    with serving(said) as endpoint:
        monkeypatch.setenv("HCLOUD_METADATA_ENDPOINT", endpoint)
        # Nobody else answers for the server.
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
        yield said


def test_a_server_knows_itself(said: dict[str, str]) -> None:
    server = HetznerServer()
    assert server.facts() == {
        "NODE_NAME": "nodes-a-c5a001",
        "INTERNAL_IP": "10.0.0.7",
        "PROVIDER_ID": "hcloud://4711",
    }
    disks = server.cluster_disks("demo.example.com")
    assert (disks.instance, disks.zone) == ("4711", "fsn1")
    assert server.cluster_instances("demo.example.com").own_id() == "nodes-a-c5a001"


@pytest.mark.parametrize("networks", ["", "[]", "null"])
def test_a_server_that_is_in_no_network_yet_asks_again(said: dict[str, str], networks: str) -> None:
    said["private-networks"] = networks
    assert metadata.private_address() == ""
    with pytest.raises(KopsError, match="no address of this server in the cluster's network yet"):
        HetznerServer().facts()


def test_an_id_that_is_none_is_not_believed(said: dict[str, str]) -> None:
    said["instance-id"] = "<html>"
    with pytest.raises(ValueError, match="server's id"):
        metadata.server_id()
