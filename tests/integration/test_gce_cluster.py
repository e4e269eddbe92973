# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kops' cases of Google Cloud made directly: what is there then is what Terraform would make, and is made once."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import requests
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import GCE
from ansible_collections.kubeops.kops.plugins.module_utils.api.terraform_providers import PROVIDERS
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.errors import Exists
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.cloud import GCECloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks._compute import ComputeTask
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks._google import GoogleTask
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.instance_template import InstanceTemplate
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.removed_instance_groups import (
    RemovedInstanceGroups,
)
from ansible_collections.kubeops.kops.plugins.module_utils.engine import graph
from ansible_collections.kubeops.kops.plugins.module_utils.engine.executor import apply_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan import Plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import PlanError, make_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.hcl import Block, Literal
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.imports import imports_of
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.rendering import FOUND, renderers
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.terraform import NAME, TerraformTarget
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Task
from ansible_collections.kubeops.kops.plugins.module_utils.model.gce.builders import build
from ansible_collections.kubeops.kops.tests.support.google.compute import DEFAULTS
from ansible_collections.kubeops.kops.tests.support.google.project import Project

from tests.golden import completed, terraform

PROJECT, REGION = "testproject", "us-test1"
CASES = (
    "addons-gce-cilium",
    "ha_gce",
    "many-addons-gce",
    "minimal_gce",
    "minimal_gce_ilb",
    "minimal_gce_plb_apiserver",
    "minimal_gce_private",
)

# Of an update that changes nothing, without those to the state store. One for each kind, and for each policy.
MOST_CALLS = 15

# Type in Terraform -> the collection of the API.
COLLECTIONS = {
    "google_compute_address": "addresses",
    "google_compute_disk": "disks",
    "google_compute_firewall": "firewalls",
    "google_compute_forwarding_rule": "forwardingRules",
    "google_compute_http_health_check": "httpHealthChecks",
    "google_compute_instance_group_manager": "instanceGroupManagers",
    "google_compute_instance_template": "instanceTemplates",
    "google_compute_network": "networks",
    "google_compute_region_backend_service": "backendServices",
    "google_compute_region_health_check": "healthChecks",
    "google_compute_router": "routers",
    "google_compute_router_nat": "routers",
    "google_compute_subnetwork": "subnetworks",
    "google_compute_target_pool": "targetPools",
}
# Arguments of Terraform whose names in the API are not the same ones in other letters. A path leads into an object.
NAMES = {
    "access_config": "accessConfigs",
    "allow": "allowed",
    "backend": "backends",
    "disk": "disks",
    "guest_accelerator": "guestAccelerators",
    "count": "acceleratorCount",
    "disk_size_gb": "initializeParams.diskSizeGb",
    "disk_type": "initializeParams.diskType",
    "ip_address": "IPAddress",
    "ip_protocol": "IPProtocol",
    "network_interface": "networkInterfaces",
    "secondary_ip_range": "secondaryIpRanges",
    "service_account": "serviceAccounts",
    "size": "sizeGb",
    "source_image": "initializeParams.sourceImage",
    "version": "",
}
# Arguments that the API has as a list, although there is one of them.
LISTS = ("access_config", "disk", "guest_accelerator", "network_interface", "service_account")
# What the documentation of Terraform's provider says under "Import", in its first form.
GLOBAL, REGIONAL, ZONAL = (
    rf"projects/{PROJECT}/{scope}/%s/[a-z0-9-]+" for scope in ("global", f"regions/{REGION}", rf"zones/{REGION}-\w")
)
IMPORT_IDS = {
    "google_compute_address": REGIONAL % "addresses",
    "google_compute_disk": ZONAL % "disks",
    "google_compute_firewall": GLOBAL % "firewalls",
    "google_compute_forwarding_rule": REGIONAL % "forwardingRules",
    "google_compute_http_health_check": GLOBAL % "httpHealthChecks",
    "google_compute_instance_group_manager": ZONAL % "instanceGroupManagers",
    "google_compute_network": GLOBAL % "networks",
    "google_compute_region_backend_service": REGIONAL % "backendServices",
    "google_compute_region_health_check": REGIONAL % "healthChecks",
    "google_compute_router": REGIONAL % "routers",
    "google_compute_router_nat": REGIONAL % "routers" + "/[a-z0-9-]+",
    "google_compute_subnetwork": REGIONAL % "subnetworks",
    "google_compute_target_pool": REGIONAL % "targetPools",
    "google_project_iam_binding": rf"{PROJECT} roles/[\w.]+",
    "google_service_account": rf"projects/{PROJECT}/serviceAccounts/[a-z0-9-]+@{PROJECT}\.iam\.gserviceaccount\.com",
    "google_storage_bucket_iam_member": r"b/[\w.-]+ roles/[\w.]+ serviceAccount:\S+@\S+",
}
NOT_IMPORTED = {
    "google_compute_instance_template": "Terraform would destroy one whose name it has not made of a name_prefix",
}
# What only Terraform is told, and why.
ONLY_IN_TERRAFORM = {
    "lifecycle": "how Terraform goes about it",
    "name_prefix": "Terraform chooses the rest of a name, and direct templates are named by their content",
    "disk_name": "empty is what the provider has for a name that Google chooses",
    "interface": "empty is what the provider has for the usual interface",
    "source": "empty is what the provider has for a disk that is made of an image",
}
# What only an object that was made directly has, and why.
ONLY_DIRECTLY = {
    "description": "whose the object is; Terraform knows it by its own state",
    "aliasIpRanges": "kops forgets the ranges of pods in Terraform, and so do we, to be equal",
    "networkTier": "said as kops says it, and what Terraform gets where nothing is said",
    "type": "of access and of health checks: the provider's blocks are named by it",
    "name": "of templates: Terraform is told how it begins",
    "nats": "a resource of its own in Terraform",
    "region": "Terraform's provider knows it, where it is not said",
}
# What Google itself writes.
OUTPUT = (
    "address",
    "creationTimestamp",
    "fingerprint",
    "id",
    "instanceGroup",
    "instances",
    "kind",
    "labelFingerprint",
    "selfLink",
)


class Recorder(TerraformTarget):
    """Keeps what Terraform would be told, in the place of files."""

    def __init__(self) -> None:
        super().__init__(PROVIDERS[GCE], {})
        self.told: dict[tuple[str, str], Mapping[str, Any]] = {}

    def resource(self, resource_type: str, name: str, attributes: Mapping[str, Any]) -> None:
        self.told[resource_type, name] = attributes

    def file(self, resource_type: str, name: str, key: str, content: str | bytes, base64: bool = False) -> Any:
        return content


@functools.cache
def context_of(golden: Path, name: str) -> Any:
    (case,) = [each for each in terraform.cases(golden) if each.name == name and not each.phase]
    return case, completed.complete(case.source)


def tasks_of(golden: Path, name: str, groups: int = 0) -> dict[str, Task[Any]]:
    """The objects of Google Cloud of a case, and what they need of the state store. groups: so many more of workers."""
    case, done = context_of(golden, name)
    workers = next(group for group in done.groups if group.spec.role == "Node")
    more = [
        dataclasses.replace(workers, metadata=dataclasses.replace(workers.metadata, name=f"more-{number}"))
        for number in range(groups)
    ]
    done = dataclasses.replace(done, groups=[*done.groups, *more])
    everything = build(dataclasses.replace(terraform.model_context(case, done), target=FOUND))
    chosen: dict[str, Task[Any]] = {}
    waiting = [task for task in everything.values() if isinstance(task, GoogleTask)]
    while waiting:
        task = waiting.pop()
        if task.key not in chosen:
            chosen[task.key] = task
            waiting += task.dependencies()
    return chosen


@pytest.fixture(name="project")
def make_project() -> Project:
    return Project(PROJECT)


def opened(project: Project, tasks: Mapping[str, Task[Any]]) -> GCECloud:
    """A client that has read nothing yet, of the cluster of these tasks."""
    (name,) = [task.name for task in tasks.values() if isinstance(task, RemovedInstanceGroups)]
    session: Any = project
    return GCECloud(REGION, name, PROJECT, session)


def planned(project: Project, tasks: Mapping[str, Task[Any]]) -> Plan:
    return make_plan(tasks, opened(project, tasks))


def made(project: Project, tasks: Mapping[str, Task[Any]]) -> Mapping[str, Task[Any]]:
    """Make the objects of tasks."""
    cloud = opened(project, tasks)
    apply_plan(make_plan(tasks, cloud), cloud, is_conflict=lambda error: isinstance(error, Exists), deadline=2)
    return tasks


def test_every_case_of_google_cloud_is_here(golden: Path) -> None:
    assert tuple(sorted(case.name for case in terraform.cases(golden) if case.provider == "google")) == CASES


@pytest.mark.parametrize("name", CASES)
def test_a_plan_writes_nothing(golden: Path, project: Project, name: str) -> None:
    assert planned(project, tasks_of(golden, name)).changed
    assert not project.writes


@pytest.mark.parametrize("name", CASES)
def test_a_second_run_writes_nothing(golden: Path, project: Project, name: str) -> None:
    made(project, tasks_of(golden, name))
    project.forget()
    again = planned(project, tasks_of(golden, name))
    assert {step.task.key: step.changes for step in again.active()} == {}
    assert not again.due_deletions()
    assert not project.writes


@pytest.mark.parametrize("name", CASES)
def test_what_is_made_is_what_terraform_would_make(golden: Path, project: Project, name: str) -> None:
    tasks = made(project, tasks_of(golden, name))
    unlike, compared = [], set()
    for (kind, named), attributes in told_of(tasks).items():
        path, found = object_of(project, tasks, kind, named, attributes)
        compared.add(path)
        wanted = as_in_api(attributes, tasks)
        unlike += [
            f"{kind}.{named}: {each}"
            for each in unlike_in(wanted, plain(found), plain(DEFAULTS.get(COLLECTIONS.get(kind, ""), {})))
        ]
    assert not unlike, "\n".join(unlike)
    made_here = {
        path for path in project.objects if path.split("/")[-2] not in ("instanceGroups", "instances")
    } | project.accounts.keys()
    assert made_here <= compared


@pytest.mark.parametrize("name", CASES)
def test_terraform_takes_over_all_that_it_can_import(golden: Path, project: Project, name: str) -> None:
    made(project, tasks_of(golden, name))
    tasks = tasks_of(golden, name)
    assert imports_of(task for task in tasks.values() if isinstance(task, ComputeTask)) == []
    planned(project, tasks)
    found = {(each.resource, each.name): each for each in imports_of(tasks.values())}
    told = {address for address in told_of(tasks) if address[0] not in NOT_IMPORTED}
    assert {address: each.id for address, each in found.items() if address not in told} == {}
    assert told - found.keys() == set()
    wrong = [each for each in found.values() if not re.fullmatch(IMPORT_IDS[each.resource], each.id)]
    assert not wrong
    (cluster,) = [task.name for task in tasks.values() if isinstance(task, RemovedInstanceGroups)]
    for each in found.values():
        # A NAT is a part of its router, which is marked.
        marked = each.resource in COLLECTIONS and each.resource != "google_compute_router_nat"
        assert each.kept == ({"description": f"kubeops.kops cluster {cluster}"} if marked else {})


def test_a_router_without_the_clusters_nat_is_imported_without_it(golden: Path, project: Project) -> None:
    made(project, tasks_of(golden, "minimal_gce_private"))
    (router,) = [found for path, found in project.objects.items() if "/routers/" in path]
    router["nats"][0]["name"] = "theirs"
    tasks = tasks_of(golden, "minimal_gce_private")
    planned(project, tasks)
    kinds = {each.resource for each in imports_of(tasks.values())}
    assert "google_compute_router" in kinds
    assert "google_compute_router_nat" not in kinds


@pytest.mark.parametrize("field", ["canIpForward", "machineType"])
def test_a_difference_would_be_seen(golden: Path, project: Project, field: str) -> None:
    tasks = made(project, tasks_of(golden, "minimal_gce"))
    told = told_of(tasks)
    address, attributes = next(pair for pair in told.items() if pair[0][0] == "google_compute_instance_template")
    _path, found = object_of(project, tasks, *address, attributes)
    found = {**found, field: "other", "more": 1}
    wanted = as_in_api(attributes, tasks)
    seen = [each.partition(":")[0] for each in unlike_in(wanted, plain(found), {})]
    assert sorted(seen) == sorted([field, "more"])


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("minimal_gce_ilb", (0, 4, 50)),
        *(pytest.param(name, (0, 4, 50), marks=pytest.mark.long) for name in CASES if name != "minimal_gce_ilb"),
        pytest.param("minimal_gce", (298,), marks=pytest.mark.long),
    ],
)
def test_calls_grow_with_kinds_and_not_with_groups(golden: Path, name: str, more: tuple[int, ...]) -> None:
    """Of clusters with 2, 6, 52 and 300 groups."""
    calls = []
    for groups in more:
        project = Project(PROJECT)
        made(project, tasks_of(golden, name, groups))
        project.forget()
        assert not planned(project, tasks_of(golden, name, groups)).changed
        calls.append(len(project.asked))
    assert len({*calls}) == 1
    assert calls[0] <= MOST_CALLS


@pytest.mark.long
def test_lost_answers_make_no_twins(golden: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever write of a cluster it is: one more run ends in the same cluster."""
    monkeypatch.setattr(graph, "FIRST_PAUSE", 0.01)
    whole = Project(PROJECT)
    made(whole, tasks_of(golden, "minimal_gce_plb_apiserver"))
    writes = len(whole.writes)
    assert writes > 30
    for lost in range(writes):
        project = Losing(PROJECT, lost)
        with contextlib.suppress(requests.exceptions.ConnectionError, KopsError):
            made(project, tasks_of(golden, "minimal_gce_plb_apiserver"))
        assert project.has_lost
        made(project, tasks_of(golden, "minimal_gce_plb_apiserver"))
        assert not planned(project, tasks_of(golden, "minimal_gce_plb_apiserver")).changed
        assert len(project.objects) == len(whole.objects)
        assert project.accounts == whole.accounts


class Losing(Project):
    """The answer to one write is lost. lost: how many writes there are before it."""

    def __init__(self, name: str, lost: int) -> None:
        super().__init__(name)
        self._lost, self.has_lost = lost, False

    def carry_out(self, method: str, path: str, query: dict[str, str], body: Any) -> Any:
        if not self.has_lost and len(self.writes) > self._lost:
            self.lose = self.has_lost = True
        return super().carry_out(method, path, query, body)


def test_a_cluster_whose_names_are_the_same_is_refused_as_a_whole(golden: Path, project: Project) -> None:
    """Names lose their dots: those of a-b.example.com are those of a.b.example.com."""
    made(project, tasks_of(golden, "minimal_gce_ilb"))
    for found in project.objects.values():
        found["description"] = "kubeops.kops cluster minimal.gce.ilb.example.com"
        for item in (found.get("properties") or {}).get("metadata", {}).get("items", ()):
            if item["key"] == "cluster-name":
                item["value"] = "minimal.gce.ilb.example.com"
    project.forget()
    with pytest.raises(PlanError) as refused:
        planned(project, tasks_of(golden, "minimal_gce_ilb"))
    assert not project.writes
    assert "Network minimal-gce-ilb-example-com: there is one in project testproject already" in str(refused.value)


# -- comparing --------------------------------------------------------------------------------------------------------


def told_of(tasks: Mapping[str, Task[Any]]) -> dict[tuple[str, str], Mapping[str, Any]]:
    """What Terraform is told of the objects that are made here."""
    recorder = Recorder()
    for task in tasks.values():
        if isinstance(task, InstanceTemplate):
            task.labels_in_terraform = None
    for add_to in renderers([task for task in tasks.values() if isinstance(task, GoogleTask)], NAME):
        add_to(recorder)
    return recorder.told


def object_of(
    project: Project, tasks: Mapping[str, Task[Any]], kind: str, named: str, attributes: Mapping[str, Any]
) -> tuple[str, Mapping[str, Any]]:
    """What stands for a resource of Terraform: where it is, and its properties by names of the API."""
    if kind == "google_service_account":
        email = link(f"{kind}.{named}.email", tasks)
        account_id, _at, domain = email.partition("@")
        found = {key: project.accounts[email].get(key) for key in ("description", "displayName")}
        return email, {**found, "accountId": account_id, "project": domain.partition(".")[0]}
    if kind in ("google_project_iam_binding", "google_storage_bucket_iam_member"):
        role = attributes["role"]
        place = f"b/{attributes['bucket']}" if "bucket" in attributes else f"projects/{attributes['project']}"
        wanted = as_in_api(attributes, tasks)
        bindings = project.identity.policies[place]["bindings"]
        members = {member for each in bindings if each["role"] == role for member in each["members"]}
        there = {*wanted.get("members", ()), wanted.get("member")} & members
        # Terraform sets all members of a role; directly, those of others stay.
        return place, {**wanted, "members": sorted(there)} if "members" in wanted else {
            **wanted,
            "member": "".join(map(str, there)),
        }
    name = link(f"{kind}.{named}.id", tasks)
    (path,) = [path for path in project.objects if path.split("/")[-2:] == [COLLECTIONS[kind], name]]
    found = project.objects[path]
    if kind == "google_compute_router_nat":
        (nat,) = found["nats"]
        return path, {**nat, "region": found["region"], "router": name}
    return path, found.get("properties", found)


def as_in_api(attributes: Mapping[str, Any], tasks: Mapping[str, Task[Any]]) -> dict[str, Any]:
    """Arguments of Terraform as the API has them."""
    found: dict[str, Any] = {}
    for argument, value in attributes.items():
        # Zero of what is provisioned is what the provider has for "not set".
        if value is None or value == [] or argument in ONLY_IN_TERRAFORM or (argument.startswith("prov") and not value):
            continue
        if argument in ("metadata", "labels"):
            found[argument] = {key: str(one) for key, one in value.items()}
            continue
        one = converted(value, tasks)
        if argument in LISTS and isinstance(one, dict):
            one = [one]
        if argument == "subnetwork" and isinstance(one, list):
            argument = "subnetworks"
        place, _dot, name = NAMES.get(argument, camel(argument)).rpartition(".")
        if not name:
            found.update(one)
        elif place or argument.startswith("provisioned") and "device_name" in attributes:
            found.setdefault(place or "initializeParams", {})[name] = one
        else:
            found[name] = one
    return found


def converted(value: Any, tasks: Mapping[str, Task[Any]]) -> Any:
    if isinstance(value, Block):
        found = as_in_api(value, tasks)
        # Of a firewall rule; a backend service has a protocol of that name.
        return {"IPProtocol" if key == "protocol" else key: each for key, each in found.items()}
    if isinstance(value, Literal):
        return link(value.text, tasks)
    if isinstance(value, (list, tuple)):
        found = [converted(each, tasks) for each in value]
        return found if any(isinstance(each, dict) for each in found) else sorted(found)
    return plain(value)


def link(text: str, tasks: Mapping[str, Task[Any]]) -> str:
    """What a reference of Terraform means: an address, an email, the name of a template or of anything else."""
    member = re.fullmatch(r'format\("serviceAccount:%s", (.*)\)', text)
    if member:
        return f"serviceAccount:{link(member[1], tasks)}"
    kind, name, attribute = text.split(".")
    name = name[len("prefix_") :] if name.startswith("prefix_") else name
    if kind == "google_compute_instance_template":
        return str(getattr(tasks[f"InstanceTemplate/{name}"], "id", ""))
    if attribute == "address":
        return str(getattr(tasks[f"Address/{name}"], "ip_address", ""))
    if attribute == "email":
        return str(getattr(tasks[f"ServiceAccount/{name}"], "email", ""))
    return name


def plain(value: Any) -> Any:
    """A value of the API: URLs as names, numbers as texts, metadata and tags as what they hold."""
    if isinstance(value, Mapping):
        if value.keys() == {"items"} and value["items"] and isinstance(value["items"][0], Mapping):
            return {each["key"]: each["value"] for each in value["items"]}
        if value.keys() == {"items"}:
            return sorted(value["items"])
        return {key: plain(each) for key, each in value.items() if key not in OUTPUT}
    if isinstance(value, (list, tuple)):
        found = [plain(each) for each in value]
        return found if any(isinstance(each, dict) for each in found) else sorted(found)
    if isinstance(value, str) and value.startswith("https://www.googleapis.com/compute"):
        return value.rpartition("/")[2]
    return value if isinstance(value, bool) else str(value)


def camel(argument: str) -> str:
    first, *others = argument.split("_")
    return first + "".join(each.capitalize() for each in others)


def unlike_in(wanted: Any, found: Any, defaults: Mapping[str, Any], at: str = "") -> Iterator[str]:
    """Where two values differ: what only one has, and the fields in which they are not the same.

    defaults: what Google fills in, for both.
    """
    if isinstance(wanted, dict) and isinstance(found, dict):
        for key in sorted({*wanted, *found}):
            where, default = f"{at}.{key}" if at else key, defaults.get(key)
            if key not in found:
                yield f"{where}: only Terraform is told"
            elif key in wanted:
                yield from unlike_in(wanted[key], found[key], default if isinstance(default, dict) else {}, where)
            elif key not in ONLY_DIRECTLY and (default is None or found[key] != default):
                yield f"{where}: only the API is told"
    elif isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        for number, (one, other) in enumerate(zip(wanted, found)):
            yield from unlike_in(one, other, {}, f"{at}[{number}]")
    elif wanted != found:
        yield f"{at}: {wanted!r} and {found!r}"
