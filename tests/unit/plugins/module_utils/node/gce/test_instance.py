# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pathlib

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.instance import Instance
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce import cloud as gce
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.instance import GoogleInstance
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.machine import find_machine
from ansible_collections.kubeops.kops.tests.support import software_tpm
from ansible_collections.kubeops.kops.tests.support.google_metadata import CLUSTER, INSTANCE, MetadataServer
from ansible_collections.kubeops.kops.tests.support.software_tpm import SoftwareTPM

# For mypy: what the cloud's module gives.
GIVEN: type[Instance] = GoogleInstance


def test_its_facts(server: type[MetadataServer]) -> None:
    facts = {"NODE_NAME": INSTANCE, "INTERNAL_IP": "10.0.0.7", "PROVIDER_ID": f"gce://project-1/us-test1-a/{INSTANCE}"}
    assert gce.this_instance().facts() == facts
    del server.paths["instance/network-interfaces/0/ip"]
    server.paths["instance/network-interfaces/0/ipv6s"] = "fd20::7\nfd20::8"
    assert GoogleInstance().facts()["INTERNAL_IP"] == "fd20::7"
    del server.paths["instance/network-interfaces/0/ipv6s"]
    with pytest.raises(KopsError, match="knows no address of this instance yet"):
        GoogleInstance().facts()


def test_its_name_is_not_that_of_its_host(server: type[MetadataServer]) -> None:
    """A host name can be chosen; the cloud controller manager finds an instance by its own name."""
    server.paths["instance/hostname"] = "chosen.example.com"
    assert GoogleInstance().facts()["NODE_NAME"] == INSTANCE
    with pytest.raises(KopsError, match="are named by their instances only"):
        GoogleInstance().name_by_address({"NODE_NAME": INSTANCE})


def test_what_it_has_for_stores(server: type[MetadataServer]) -> None:
    instance = GoogleInstance()
    assert instance.access_to("gs").token()[0] in server.tokens
    with pytest.raises(KopsError, match="no credentials for stores of the kind s3://"):
        instance.access_to("s3")


def test_what_its_group_and_nodeconfig_do_not_ask(server: type[MetadataServer], tmp_path: pathlib.Path) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/os-release").write_text("ID=debian\nVERSION_ID=12\n")
    instance = GoogleInstance()
    assert not instance.is_prepared()
    assert not instance.tell_group("group", "hook")
    assert instance.facts_named(["DISK_SDB"], find_machine(str(tmp_path)), check=False) == {}
    with pytest.raises(KopsError, match="take no role"):
        instance.records("example.com", private=False, role="role", token=str)


@software_tpm.needed
def test_its_proof_is_signed_by_its_tpm(server: type[MetadataServer], tpm: SoftwareTPM) -> None:
    instance = GoogleInstance(tpm.connect)
    assert instance.proof(b"{}").startswith("x-gce-tpm ")
    assert instance.proof(b"{}") != instance.proof(b"{}")
    assert "instance/attributes/cluster-name" in server.asked
    assert server.paths["instance/attributes/cluster-name"] == CLUSTER


def test_an_instance_without_a_tpm_says_so(server: type[MetadataServer], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.path.exists", lambda _path: False)
    with pytest.raises(KopsError, match="this instance has no TPM"):
        GoogleInstance().proof(b"{}")
