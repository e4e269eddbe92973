# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The roles of docs/gce-permissions: all permissions that the playbooks need in Google Cloud, and no more.

Operations are run in this process, and each call is noted with the permissions that Google asks for it
(tests/support/google/permissions.py).

KOPS_WRITE_POLICIES=1 writes the roles.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.cloud import DNS
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.identifiers import url_of
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.provider import GCEProvider
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.resources.listing import KINDS, REGIONAL, Kind
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.place import Place
from ansible_collections.kubeops.kops.plugins.module_utils.operations.drift.look import DriftOptions, look_for_drift
from ansible_collections.kubeops.kops.plugins.module_utils.operations.dump.dump import DumpOptions, dump
from ansible_collections.kubeops.kops.plugins.module_utils.operations.report.read import ReportOptions, read_report
from ansible_collections.kubeops.kops.plugins.module_utils.operations.status.instances import (
    InstancesOptions,
    read_instances,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.status.validation import (
    CloudExpectation,
    CloudValidator,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import StoreOptions, remove_groups
from ansible_collections.kubeops.kops.plugins.modules import (
    assets_info,
    cluster,
    cluster_info,
    delete_instance,
    instancegroup,
    instancegroup_info,
    keypair,
    keypair_info,
    kubeconfig,
    rolling_update,
    secret,
    ssh_public_key,
    upgrade_cluster,
)
from ansible_collections.kubeops.kops.plugins.plugin_utils.local import run_here
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.integration.conftest import PUBLIC_KEY
from ansible_collections.kubeops.kops.tests.support.google import account as google_account
from ansible_collections.kubeops.kops.tests.support.google import permissions
from ansible_collections.kubeops.kops.tests.support.google.account import NAME, PROJECT, STORE, ZONES, Account
from ansible_collections.kubeops.kops.tests.support.google.objects import LINK
from ansible_collections.kubeops.kops.tests.support.permissions_page import playbooks_and_documents

pytestmark = pytest.mark.long

PAGE = ROOT / "docs" / "gce-permissions.md"
ROLES = ROOT / "docs" / "gce-permissions"
MODULE_UTILS = ROOT / "plugins" / "module_utils"
# Roles, and whose they are.
PLAYBOOKS = {
    "apply": "create_cluster and update_cluster",
    "delete": "delete_cluster",
    "drift": "drift",
    "dump": "toolbox_dump",
    "instances": "get_instances, get_addons, and the inventory plugin",
    "report": "cluster_report",
    "roll": "rolling_update, delete_instance and repair",
    "store-read": "playbooks that only read the state store",
    "store-write": "playbooks that only write the state store",
    "validate": "validate_cluster",
}
NODES = f"nodes-{ZONES[0]}"
# Between them, they have objects of all kinds.
CLUSTERS: dict[str, dict[str, Any]] = {
    "public": {"zones": ZONES, "api_loadbalancer_type": "public"},
    "private": {"topology": "private", "networking": "gcp"},
    "in a zone": {"dns": "public"},
    "in a network of others": {"network_id": "net", "subnets": ["subnet"]},
}


# What others do to the cluster's objects, by collection.
CHANGES: dict[str, dict[str, Any]] = {
    "addresses": {"labels": {}},
    "backendServices": {"backends": []},
    "disks": {"labels": {}, "sizeGb": "1"},
    "firewalls": {"sourceRanges": ["192.0.2.0/24"], "sourceTags": ["other"]},
    "forwardingRules": {"labels": {}, "target": f"{LINK}{PROJECT}/regions/us-test1/targetPools/other"},
    "httpHealthChecks": {"port": 1},
    "instanceGroupManagers": {"targetPools": [], "targetSize": 9, "updatePolicy": {}},
    "routers": {"nats": []},
    "subnetworks": {"secondaryIpRanges": []},
    "targetPools": {"healthChecks": [f"{LINK}{PROJECT}/global/httpHealthChecks/other"]},
}


class Scenario:
    """What users do with clusters: the permissions by role of docs/gce-permissions."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.asked: defaultdict[str, set[str]] = defaultdict(set)

    def run(self, role: str, step: Callable[[], Any]) -> Any:
        files, before = set[str](), len(self.account.apis.calls)

        def may(_token: str, _bucket: str, permission: str) -> bool:
            files.add(permission)
            return True

        self.account.storage.may = may
        result = step()
        if "storage.objects.create" in files:
            # What is there is written over, and so deleted.
            files.add("storage.objects.delete")
        calls = self.account.apis.calls[before:]
        self.asked[role] |= files.union(*map(permissions.of_call, calls))
        return result

    def module(self, file: str, module: Any, **arguments: Any) -> None:
        result = self.run(file, lambda: run_here(module, {"state_store": STORE, **arguments}, check=False))
        assert not result.get("failed"), result["msg"]

    def prepare(self) -> None:
        """A network, a subnet in it, and a zone of others, the latter with a record of the cluster."""
        cloud = GCEProvider().open(Place(ZONES[0][:-2], PROJECT), "")
        cloud.insert(f"{PROJECT}/global/networks", {"name": "net", "autoCreateSubnetworks": False})
        subnet = {"name": "subnet", "network": url_of(f"{PROJECT}/global/networks/net"), "ipCidrRange": "10.7.0.0/20"}
        cloud.insert(f"{PROJECT}/regions/{cloud.region}/subnetworks", subnet)
        cloud.insert(f"{PROJECT}/global/httpHealthChecks", {"name": "other"})
        cloud.insert(f"{PROJECT}/regions/{cloud.region}/targetPools", {"name": "other"})
        zone = f"{PROJECT}/managedZones"
        cloud.write("POST", DNS, zone, {"name": "zone", "dnsName": "example.com."})
        record = {"name": f"api.{NAME}.", "type": "A", "ttl": 60, "rrdatas": ["192.0.2.1"]}
        cloud.write("POST", DNS, f"{zone}/zone/changes", {"additions": [record]})

    def life(self, kind: str) -> None:
        self.prepare()
        self.run("apply", lambda: self.account.create(**CLUSTERS[kind]))
        self.run("apply", self.account.update)
        self.change_by_others()
        self.run("apply", lambda: self.account.update(prune=True))
        self.look()
        if kind == "public":
            self.write_to_the_store()
            self.roll()
        self.run("delete", self.account.delete)

    def change_by_others(self) -> None:
        """Each object differs from the specification in all that an update brings back."""
        for path, each in self.account.apis.objects.found.items():
            for field, value in CHANGES.get(path.split("/")[-2], {}).items():
                if field in each:
                    each[field] = value
        for each in self.account.apis.identity.accounts.values():
            each["displayName"] = "another one"

    def look(self) -> None:
        self.run("instances", lambda: read_instances(InstancesOptions(STORE, NAME, source="cloud")))
        self.run("validate", lambda: CloudValidator.open(CloudExpectation(STORE, NAME)).look())
        self.run("drift", lambda: look_for_drift(DriftOptions(STORE, NAME, api_server="127.0.0.1:1")))
        self.run("report", lambda: read_report(ReportOptions(STORE, NAME, api_server="127.0.0.1:1")))
        out = os.path.dirname(os.environ["KUBECONFIG"])
        self.run("dump", lambda: dump(DumpOptions(STORE, NAME, out, api_server="127.0.0.1:1")))

    def write_to_the_store(self) -> None:
        for state in ("present", "absent"):
            self.module(
                "store-write", secret, cluster_name=NAME, name="dockerconfig", value='{"auths": {}}', state=state
            )
        self.module("store-write", keypair, cluster_name=NAME, keyset="kubernetes-ca", primary=True)
        self.module("store-write", ssh_public_key, cluster_name=NAME, public_key=PUBLIC_KEY)
        self.module("store-write", cluster, name=NAME, set=["spec.sshAccess=10.0.0.0/8"])
        self.module("store-write", instancegroup, cluster_name=NAME, name=NODES, set=["spec.minSize=1"])
        self.module("store-write", instancegroup, cluster_name=NAME, name="more", role="node")
        self.module("store-write", instancegroup, cluster_name=NAME, name=["more"], state="absent")
        self.module("store-read", cluster_info, name=NAME, full=True)
        self.module("store-read", instancegroup_info, cluster_name=NAME)
        self.module("store-read", keypair_info, cluster_name=NAME)
        self.module("store-read", kubeconfig, cluster_name=NAME, path=os.environ["KUBECONFIG"], api_server="192.0.2.1")
        self.module("store-read", assets_info, name=NAME)
        self.module("apply", upgrade_cluster, name=NAME)

    def roll(self) -> None:
        """Workers of one group, and what is done to them only with an API of Kubernetes."""
        self.account.change_group(NODES, machine_type="e2-standard-8")
        remove_groups(StoreOptions(STORE), NAME, [f"nodes-{ZONES[1]}"])
        self.run("apply", lambda: self.account.update(prune=True))
        provider = GCEProvider()
        cloud = provider.open(Place(ZONES[0][:-2], PROJECT), NAME)
        (control_plane,) = provider.looking.machines(cloud)[f"control-plane-{ZONES[0]}"]
        self.run("roll", lambda: provider.replacing.deregister(cloud, control_plane, 0))
        self.run("roll", lambda: provider.looking.last_line(cloud, control_plane.name))
        machine = self.run("roll", lambda: provider.looking.machines(cloud, why=True))[NODES][0]
        self.run("roll", lambda: provider.replacing.detach(cloud, machine))
        self.module("roll", rolling_update, name=NAME, cloudonly=True, instance_groups=[NODES])
        machine = provider.looking.machines(cloud)[NODES][0]
        self.run("roll", lambda: provider.looking.existing(cloud, [machine.name]))
        self.module("roll", delete_instance, name=NAME, cloudonly=True, instances=[machine.name], replace=False)
        self.run("apply", lambda: self.account.update(prune=True))


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The permissions, by role."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for kind in CLUSTERS:
        directory = tmp_path_factory.mktemp(kind)
        with pytest.MonkeyPatch.context() as monkeypatch, google_account.running(directory) as account:
            for name, value in {**account.environment, "KUBECONFIG": str(directory / "config")}.items():
                monkeypatch.setenv(name, value)
            scenario = Scenario(account)
            scenario.life(kind)
            for role, made in scenario.asked.items():
                found[role] |= made
    return found


def in_the_source(role: str) -> set[str]:
    """What no cluster of the tests makes Google be asked for."""
    if role == "apply":
        # Disks whose performance is set have types of their own.
        return {"compute.disks.update"}
    if role == "delete":
        # Whatever the cluster's own controllers may have made.
        return {f"compute.{collection_of(kind)}.delete" for kind in KINDS}
    return set()


def collection_of(kind: Kind) -> str:
    """As permissions name it."""
    apart = kind.scope == REGIONAL and kind.collection in ("backendServices", "healthChecks")
    return f"region{kind.collection[0].upper()}{kind.collection[1:]}" if apart else kind.collection


def role_of(name: str, permissions_: set[str]) -> str:
    """A file that gcloud takes for a custom role."""
    role = {"title": f"kubeops.kops {name}", "description": f"For {PLAYBOOKS[name]}.", "stage": "GA"}
    head = yaml.safe_dump(role, sort_keys=False, width=120, explicit_start=True)
    # As ansible-lint wants lists: indented.
    return "\n".join([f"{head}includedPermissions:", *(f"  - {each}" for each in sorted(permissions_)), ""])


@pytest.mark.parametrize("name", PLAYBOOKS)
def test_a_role_is_what_is_asked_for(asked: dict[str, set[str]], name: str) -> None:
    needed = role_of(name, asked[name] | in_the_source(name))
    if os.environ.get("KOPS_WRITE_POLICIES"):
        (ROLES / f"{name}.yaml").write_text(needed)
    assert (ROLES / f"{name}.yaml").read_text() == needed


@pytest.mark.parametrize("name", ["drift", "dump", "instances", "report", "store-read", "validate"])
def test_whoever_only_looks_may_change_nothing(asked: dict[str, set[str]], name: str) -> None:
    assert {each for each in asked[name] if not re.search(r"\.(get\w*|list)$", each)} == set()


def test_every_method_of_the_source_is_called(asked: dict[str, set[str]]) -> None:
    """So that a new one is found even if no cluster of the tests needs it."""
    source = "".join(path.read_text() for path in (MODULE_UTILS / "cloud" / "gce").rglob("*.py"))
    words = set(re.findall(r"/((?:set|add|remove|resize|delete|recreate|abandon|attach|detach)[A-Z]?\w*)[\"?]", source))
    assert len(words) >= 8
    known = {each.rpartition(".")[2] for each in set().union(*asked.values())}
    assert words.difference(permissions.OF_MANAGERS, known) == set()


def test_every_playbook_has_its_role() -> None:
    told, linked = playbooks_and_documents(PAGE)
    assert told == sorted(path.stem for path in (ROOT / "playbooks").glob("*.yml"))
    assert linked == set(PLAYBOOKS)
    assert {path.stem for path in ROLES.iterdir()} == set(PLAYBOOKS)
