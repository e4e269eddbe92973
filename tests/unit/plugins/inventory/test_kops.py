# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inventory plugin: what is known of instances in, hosts with groups and variables out."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import pytest
from ansible.errors import AnsibleError, AnsibleParserError
from ansible.inventory.data import InventoryData
from ansible.parsing.dataloader import DataLoader
from ansible_collections.kubeops.kops.plugins.inventory import kops
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.status.instances import (
    Instances,
    InstancesOptions,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import StateStore

try:
    from ansible.template import trust_as_template
except ImportError:  # before ansible-core 2.19

    def trust_as_template(value: str) -> str:
        return value


DEMO, OTHER, BROKEN = "demo.example.com", "other.example.com", "broken.example.com"
GATE = "bastion-1.elb.example.com"
EXPRESSIONS = ("hostname", "compose", "groups", "keyed_groups")
DEFAULTS = {
    "state_store": "s3://store",
    "clusters": [],
    "source": "cloud",
    "instance_groups": [],
    "instance_group_roles": [],
    "address": "auto",
    "compose": {},
    "groups": {},
    "keyed_groups": [],
}


def instance(name: str, **values: Any) -> dict[str, Any]:
    return {
        "cluster": DEMO,
        "id": f"i-{name}",
        "node": f"i-{name}",
        "instance_group": "nodes-a",
        "role": "node",
        "status": "UpToDate",
        "reasons": [],
        "state": "",
        "health": "healthy",
        "power": "running",
        "zone": "us-east-1a",
        "machine_type": "t3.medium",
        "private_addresses": ["10.0.0.1", "2600::1"],
        "public_addresses": ["1.2.3.4"],
        "launched": "",
        "kubelet_version": "",
        "labels": {},
        "tags": {},
        **values,
    }


class Answers:
    """What read_instances gives, and how often it was asked."""

    def __init__(self) -> None:
        gate = instance("gate", node="", role="bastion", instance_group="bastions", cluster=OTHER, public_addresses=[])
        inside = instance("inside", cluster=OTHER, public_addresses=[])
        self.clusters: dict[str, Instances | KopsError] = {
            DEMO: Instances([instance("1"), instance("warm", state="WarmPool")], kubernetes_version="1.34.1"),
            OTHER: Instances([gate, inside], GATE),
        }
        self.asked: list[InstancesOptions] = []

    def __call__(self, options: InstancesOptions) -> Instances:
        self.asked.append(options)
        found = self.clusters.get(options.name) or KopsError(f"there is no cluster {options.name}")
        if isinstance(found, KopsError):
            raise found
        return found


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Answers:
    made = Answers()
    monkeypatch.setattr(kops, "read_instances", made)
    monkeypatch.setattr(StateStore, "clusters", lambda self: sorted(made.clusters))
    return made


class Parsed:
    """The inventory of a file with these options. cached: what its cache holds."""

    def __init__(
        self, path: pathlib.Path, *, cached: dict[str, Any] | None = None, fresh: bool = False, **options: Any
    ):
        plugin = kops.InventoryModule()
        expressions = {name: trusted(options[name]) for name in EXPRESSIONS if name in options}
        settings = {**DEFAULTS, **options, **expressions}
        plugin._read_config_data = lambda path: {"plugin": "kubeops.kops.kops", **options}
        plugin._unknown_options = lambda config: []
        plugin.get_option = settings.get
        plugin.get_cache_key = lambda path: "key"
        plugin._cache = {} if cached is None else cached
        self.warnings: list[str] = []
        plugin.display = self
        self.data = InventoryData()
        plugin.parse(self.data, DataLoader(), str(path), cache=not fresh)

    def warning(self, text: str) -> None:
        self.warnings.append(text)

    def groups(self, host: str) -> set[str]:
        return {group.name for group in self.data.get_host(host).get_groups()} - {"all", "ungrouped"}

    def variables(self, host: str) -> dict[str, Any]:
        return dict(self.data.get_host(host).get_vars())


@pytest.fixture
def parse(answers: Answers, tmp_path: pathlib.Path) -> Callable[..., Parsed]:
    return lambda **options: Parsed(tmp_path / "kops.yml", **options)


@pytest.mark.parametrize(
    ("name", "ours"), [("kops.yml", 1), ("a.kops.yaml", 1), ("mykops.yml", 0), ("kops.ini", 0), ("aws.yml", 0)]
)
def test_names_of_files(name: str, ours: int, tmp_path: pathlib.Path) -> None:
    (tmp_path / name).write_text("")
    assert kops.InventoryModule().verify_file(str(tmp_path / name)) == bool(ours)
    assert not kops.InventoryModule().verify_file(str(tmp_path / "none" / name))


def test_hosts_with_their_groups_and_variables(parse: Callable[..., Parsed]) -> None:
    made = parse()
    assert set(made.data.hosts) == {"i-1", "i-gate", "i-inside"}
    assert made.groups("i-1") == {
        "cloud_instances",
        "cluster_demo_example_com",
        "instance_group_nodes_a",
        "role_node",
        "zone_us_east_1a",
        "health_healthy",
        "status_uptodate",
    }
    variables = made.variables("i-1")
    assert variables["kops_kubernetes_version"] == "1.34.1"
    assert (variables["kops_cluster_name"], variables["kops_instance_id"]) == (DEMO, "i-1")
    assert (variables["ansible_host"], "ansible_user" in variables) == ("1.2.3.4", False)


def test_what_a_cloud_says_is_no_template(parse: Callable[..., Parsed], answers: Answers) -> None:
    answers.clusters = {DEMO: Instances([instance("1", tags={"a": "{{ lookup('pipe', 'id') }}", "b": "c"})])}
    tags = parse().variables("i-1")["kops_tags"]
    assert tags == {"a": "{{ lookup('pipe', 'id') }}", "b": "c"}
    assert getattr(tags["a"], "__UNSAFE__", True)


def trusted(value: Any) -> Any:
    """Expressions as they come from a file."""
    if isinstance(value, dict):
        return {key: trusted(each) for key, each in value.items()}
    if isinstance(value, list):
        return [trusted(each) for each in value]
    return trust_as_template(value)


JUMP = {"ansible_host": "10.0.0.1", "ansible_ssh_common_args": f"-o ProxyJump={GATE}"}


@pytest.mark.parametrize(
    ("options", "host", "expected"),
    [
        ({}, "i-inside", JUMP),
        ({}, "i-gate", {"ansible_host": GATE}),
        ({"ssh_user": "ubuntu"}, "i-1", {"ansible_host": "1.2.3.4", "ansible_user": "ubuntu"}),
        (
            {"ssh_user": "ubuntu"},
            "i-inside",
            {**JUMP, "ansible_user": "ubuntu", "ansible_ssh_common_args": f"-o ProxyJump=ubuntu@{GATE}"},
        ),
        ({"address": "private"}, "i-inside", {"ansible_host": "10.0.0.1"}),
        ({"address": "private"}, "i-gate", {"ansible_host": "10.0.0.1"}),
        ({"address": "public"}, "i-1", {"ansible_host": "1.2.3.4"}),
        ({"address": "public"}, "i-inside", {}),
        (
            {"bastion": "me@jump:2222", "ssh_user": "admin"},
            "i-1",
            {
                "ansible_host": "10.0.0.1",
                "ansible_user": "admin",
                "ansible_ssh_common_args": "-o ProxyJump=me@jump:2222",
            },
        ),
    ],
)
def test_addresses(parse: Callable[..., Parsed], options: dict[str, str], host: str, expected: dict[str, str]) -> None:
    variables = parse(**options).variables(host)
    assert {key: value for key, value in variables.items() if key.startswith("ansible_")} == expected


def test_hosts_without_an_address_that_is_asked_for(parse: Callable[..., Parsed]) -> None:
    line = f"cluster {OTHER}: no public address: i-gate, i-inside"
    assert parse(address="public").warnings == [line]
    with pytest.raises(AnsibleParserError, match=line):
        parse(address="public", strict=True)


def test_names_groups_and_variables_of_the_user(parse: Callable[..., Parsed]) -> None:
    made = parse(
        clusters=[DEMO],
        hostname="kops_instance_group ~ '/' ~ kops_instance_id",
        compose={"ansible_host": "kops_private_addresses[1]", "short": "ansible_host[:3]"},
        groups={"large": "kops_machine_type == 't3.medium'", "small": "kops_machine_type == 't3.nano'"},
        keyed_groups=[{"key": "kops_machine_type", "prefix": "type"}],
    )
    assert list(made.data.hosts) == ["nodes-a/i-1"]
    assert made.variables("nodes-a/i-1")["ansible_host"] == "2600::1"
    assert made.variables("nodes-a/i-1")["short"] == "1.2"
    assert {"large", "type_t3_medium"} <= made.groups("nodes-a/i-1")
    assert "small" not in made.groups("nodes-a/i-1")


def test_all_problems_are_told_at_once(parse: Callable[..., Parsed], answers: Answers) -> None:
    with pytest.raises(AnsibleParserError) as error:
        parse(clusters=[DEMO, BROKEN, "none.example.com"], address="bastion")
    assert str(error.value).splitlines()[1:4] == [
        f"- there is no cluster {BROKEN}",
        "- there is no cluster none.example.com",
        f"- cluster {DEMO} has no bastions: give bastion, a host to go through, or another address",
    ]
    with pytest.raises(AnsibleParserError, match="api_server is for one cluster, and there are 2"):
        parse(api_server="1.2.3.4")
    with pytest.raises(AnsibleParserError, match="several instances would be called nodes-a"):
        answers.clusters = {DEMO: Instances([instance("1"), instance("2")])}
        parse(hostname="kops_instance_group")
    with pytest.raises(AnsibleParserError, match="hostname, for instance i-1: .*kops_nam"):
        parse(hostname="kops_nam")
    with pytest.raises(AnsibleParserError, match="hostname, for instance i-2: 7 is no name"):
        parse(hostname="7")
    with pytest.raises(AnsibleError, match="kops_nam"):
        parse(compose={"a": "kops_nam"}, strict=True)


def test_clusters_that_nobody_named_may_fail(parse: Callable[..., Parsed], answers: Answers) -> None:
    answers.clusters[BROKEN] = KopsError("on GCE")
    made = parse()
    assert set(made.data.hosts) == {"i-1", "i-gate", "i-inside"}
    assert made.warnings == [f"cluster {BROKEN} is left out: on GCE"]
    made = parse(clusters=["d*.example.com", OTHER])
    assert (set(made.data.hosts), made.warnings) == ({"i-1", "i-gate", "i-inside"}, [])
    with pytest.raises(AnsibleParserError, match="on GCE"):
        parse(clusters=[BROKEN])


def test_warnings_name_their_cluster(parse: Callable[..., Parsed], answers: Answers) -> None:
    answers.clusters = {DEMO: Instances([], warnings=["the API does not answer"])}
    assert parse(source="both").warnings == [f"{DEMO}: the API does not answer"]
    assert [each.source for each in answers.asked] == ["both"]


def test_the_cache_answers_the_same_question(parse: Callable[..., Parsed], answers: Answers) -> None:
    cached: dict[str, Any] = {}
    asked = []
    for options in (
        {},
        {"address": "private"},
        {"source": "both"},
        {"source": "both", "fresh": True},
        {"source": "both"},
    ):
        before = len(answers.asked)
        assert set(parse(cache=True, cached=cached, **options).data.hosts) == {"i-1", "i-gate", "i-inside"}
        asked.append(len(answers.asked) - before)
    assert asked == [2, 0, 2, 2, 0]
    with pytest.raises(AnsibleParserError):
        parse(cache=True, cached=cached, clusters=[DEMO, BROKEN])
    # What was not read completely is not kept.
    assert cached["key"]["asked"]["clusters"] == []


def test_without_a_library(parse: Callable[..., Parsed], monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(options: InstancesOptions) -> Instances:
        raise ModuleNotFoundError("No module named 'boto3'", name="boto3")

    monkeypatch.setattr(kops, "read_instances", missing)
    with pytest.raises(AnsibleParserError, match="the Python library boto3 is needed on this machine"):
        parse(clusters=[DEMO])
