# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Google Cloud answers, as facts; and what can be known without it."""

from __future__ import annotations

import builtins

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.facts import CloudDNSZone, CloudSubnet
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.errors import NoLogin
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.cloud import GCECloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.facts import GCEFacts

COMPUTE = "https://www.googleapis.com/compute/v1/projects/my-project"
REGION = "my-project/regions/us-east1"


@pytest.fixture(name="facts")
def make_facts(cloud):
    return GCEFacts(cloud)


def test_zones_of_the_region_are_read_once(google, facts):
    google.answers[REGION] = {"zones": [f"{COMPUTE}/zones/us-east1-c", f"{COMPUTE}/zones/us-east1-b"]}
    assert facts.zones() == facts.zones() == ["us-east1-b", "us-east1-c"]
    assert google.asked == [REGION]


def test_unknown_region_is_an_error(facts):
    with pytest.raises(KopsError, match="no region us-east1"):
        facts.zones()


def test_machine_type_is_that_of_the_region(google, facts):
    google.answers["my-project/aggregated/machineTypes"] = [
        {"items": {"zones/us-west1-a": {"machineTypes": [{"name": "t2a-standard-1", "guestCpus": 9}]}}},
        {
            "items": {
                "zones/us-east1-b": {
                    "machineTypes": [
                        {"name": "t2a-standard-1", "guestCpus": 1, "memoryMb": 4096, "architecture": "ARM64"}
                    ]
                },
                "zones/us-east1-c": {"warning": {"code": "NO_RESULTS_ON_PAGE"}},
            }
        },
    ]
    found = facts.instance_type("t2a-standard-1")
    assert (found.architectures, found.vcpus, found.memory_mib, found.gpu) == (("arm64",), 1, 4096, False)


def test_machine_type_that_no_zone_has(google, facts):
    google.answers["my-project/aggregated/machineTypes"] = {"items": {}}
    assert facts.instance_type("n0-tiny") is None
    assert facts.default_instance_type("Bastion", ["us-east1-b"]) == "e2-micro"


def test_image_is_found_in_its_own_project_or_the_clusters(google, facts):
    google.answers["ubuntu-os-cloud/global/images/noble"] = {"selfLink": "https://image", "architecture": "X86_64"}
    found = facts.image("ubuntu-os-cloud/noble")
    assert (found.id, found.name, found.architecture) == ("https://image", "noble", "amd64")
    assert facts.image("mine") is None
    assert google.asked[-1] == "my-project/global/images/mine"


def test_network_has_all_ranges_that_are_taken(google, facts):
    network = f"{COMPUTE}/global/networks/net"
    google.answers["my-project/global/networks/net"] = {"name": "net"}
    google.answers["my-project/aggregated/subnetworks"] = {
        "items": {
            "regions/us-east1": {
                "subnetworks": [
                    {
                        "name": "a",
                        "network": network,
                        "region": f"{COMPUTE}/regions/us-east1",
                        "ipCidrRange": "10.0.16.0/20",
                        "secondaryIpRanges": [{"rangeName": "pods", "ipCidrRange": "10.4.0.0/14"}],
                    },
                    {"name": "b", "network": f"{network}-2", "region": "us-east1", "ipCidrRange": "10.9.0.0/20"},
                ]
            }
        }
    }
    google.answers[f"{REGION}/subnetworks/a"] = {"network": network}
    found = facts.network("net")
    assert found.subnets == (CloudSubnet("a", "us-east1", "10.0.16.0/20"),)
    assert found.additional_cidrs == ("10.4.0.0/14",)
    assert facts.network_of_subnet("a") == found
    assert facts.network_of_subnet("z") is None
    assert google.asked.count("my-project/aggregated/subnetworks") == 1


def test_network_of_another_project_is_asked_for_there(google, facts):
    assert facts.network("host/net") is None
    assert google.asked == ["host/global/networks/net"]


def test_managed_zones(google, facts):
    google.answers["my-project/managedZones"] = [
        {"managedZones": [{"id": "1", "dnsName": "example.com.", "visibility": "public"}]},
        {"managedZones": [{"id": "2", "dnsName": "inside.", "visibility": "private"}]},
    ]
    assert facts.dns_zones() == [CloudDNSZone("1", "example.com"), CloudDNSZone("2", "inside", private=True)]


def test_refusal_says_what_was_asked_and_what_to_do(google, facts):
    google.answers[REGION] = (403, {"error": {"message": "Compute Engine API has not been used"}})
    with pytest.raises(
        KopsError, match="my-project, us-east1, reading the zones: .*not switched on.*has not been used"
    ):
        facts.zones()


def test_server_that_does_not_answer_is_explained(monkeypatch, cloud, google):
    monkeypatch.setenv("CLOUDSDK_API_ENDPOINT_OVERRIDES_DNS", "http://127.0.0.1:9/dns/v1/")
    with pytest.raises(KopsError, match="managed zones.*cannot be reached"):
        GCEFacts(cloud).dns_zones()


def test_without_credentials_only_the_clusters_own_network_is_taken_for_new(offline):
    facts = GCEFacts(offline)
    assert facts.network("demo-example-com") is None
    assert facts.zones() == []
    for question in (lambda: facts.network("theirs"), facts.dns_zones, lambda: facts.instance_type("e2-medium")):
        with pytest.raises(NoLogin, match="application-default login"):
            question()


def test_credentials_that_are_named_and_missing_are_an_error(monkeypatch, offline, tmp_path):
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "none.json"))
    with pytest.raises(KopsError, match="GOOGLE_APPLICATION_CREDENTIALS") as caught:
        GCEFacts(offline).zones()
    assert not isinstance(caught.value, NoLogin)


def test_missing_library_is_named(monkeypatch, offline):
    real = builtins.__import__

    def without_google(name, *arguments, **more):
        if name.startswith("google"):
            raise ImportError("No module named 'google'", name="google")
        return real(name, *arguments, **more)

    monkeypatch.setattr(builtins, "__import__", without_google)
    with pytest.raises(NoLogin, match="pip install google-auth"):
        GCEFacts(offline).dns_zones()


def test_project_comes_from_the_environment_when_none_is_given(monkeypatch):
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "second")
    assert GCECloud("us-east1").project == "second"
    monkeypatch.setenv("CLOUDSDK_CORE_PROJECT", "first")
    assert GCECloud("us-east1").project == "first"
    assert GCECloud("us-east1", project="given").project == "given"
