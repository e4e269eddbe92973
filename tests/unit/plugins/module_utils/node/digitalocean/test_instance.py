# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""node/digitalocean/instance.py: what a droplet knows of itself, and what it has for others."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud import challenge, given
from ansible_collections.kubeops.kops.plugins.module_utils.node.digitalocean import instance as instances
from ansible_collections.kubeops.kops.plugins.module_utils.node.digitalocean import load
from ansible_collections.kubeops.kops.plugins.module_utils.node.digitalocean.instance import Droplet
from ansible_collections.kubeops.kops.plugins.module_utils.node.digitalocean.verification import SCHEME

from .metadata_server import answering, droplet


def test_a_node_is_called_after_its_droplet(monkeypatch: pytest.MonkeyPatch) -> None:
    told = droplet(address="")
    with answering(told) as place:
        monkeypatch.setenv("DIGITALOCEAN_METADATA_HOST", place)
        found = Droplet()
        with pytest.raises(KopsError, match="no private address of this droplet yet"):
            found.facts()
        told.update(droplet())
        assert found.facts() == {
            "NODE_NAME": "nodes-0a1b2c3d",
            "INTERNAL_IP": "10.20.0.7",
            "PROVIDER_ID": "digitalocean://4711",
        }
        disks, machines = found.cluster_disks("demo.example.com"), found.cluster_instances("demo.example.com")
        assert (disks.instance, disks.zone, machines.own_id()) == ("4711", "tor1", "nodes-0a1b2c3d")


def test_its_proof_says_which_droplet_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    class Listener(challenge.Listener):
        def __init__(self, scheme: str, address: str) -> None:
            opened.append((scheme, address))
            super().__init__(scheme, "127.0.0.1", 0)

    monkeypatch.setattr(instances, "Listener", Listener)
    with answering(droplet()) as place:
        monkeypatch.setenv("DIGITALOCEAN_METADATA_HOST", place)
        said = challenge.read_header(SCHEME, Droplet().proof(b"{}"))
    assert said is not None
    assert (said[0], opened) == ("4711", [(SCHEME, "10.20.0.7")])


def test_stores_are_read_by_the_key_that_was_given(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    place = f"{tmp_path}/credentials.json"
    with open(place, "w", encoding="utf-8") as stream:
        stream.write('{"token": "t", "store": {"accessKey": "AKEY", "secretKey": "secret"}}')
    monkeypatch.setattr(given, "CREDENTIALS_FILE", place)
    for scheme in ("do", "s3"):
        credentials = Droplet().access_to(scheme).credentials()
        assert (credentials.access_key_id, credentials.secret_access_key) == ("AKEY", "secret")
    with pytest.raises(KopsError, match="swift"):
        Droplet().access_to("swift")
    with pytest.raises(KopsError, match="take no role"):
        Droplet().records("example.com", private=False, role="arn", token=str)


def test_no_other_store_is_read_for_the_program() -> None:
    boot = {"store": "gs://store/demo", "program": {"location": "a.pyz", "sha256": ""}}
    with pytest.raises(OSError, match="do:// and s3:// only"):
        load.fetch(boot)
