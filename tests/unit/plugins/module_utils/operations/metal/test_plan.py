# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the hosts of an inventory have to be: from a stored cluster, and from what hosts say of themselves."""

from __future__ import annotations

import base64
import pathlib
import re
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import KubeDNSConfig
from ansible_collections.kubeops.kops.plugins.module_utils.api.common import RollingUpdate
from ansible_collections.kubeops.kops.plugins.module_utils.api.networking import EgressProxySpec, HTTPProxy
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.hosts import HostProblems
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.plan import HostOptions, plan_hosts
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.info import read_groups
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.plugins.modules import node_configs
from ansible_collections.kubeops.kops.plugins.plugin_utils.local import run_here

NAME = "metal.example.com"
CONTROL_PLANES = ("control-plane-main-1", "control-plane-main-2", "control-plane-main-3")
READY = {"memoryMiB": 4096, "swap": [], "ports": [22], "python": "3.11.2", "clockSkew": 0.3, "cgroups": 2}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A state store with a cluster of three control planes and its keys."""
    url = f"file://{tmp_path_factory.mktemp('store')}"
    create_cluster(
        {
            "name": NAME,
            "state_store": url,
            "cloud": "metal",
            "zones": ["main"],
            "control_plane_count": 3,
            "networking": "flannel",
            "kubernetes_version": "1.34.2",
        },
        check_mode=False,
    )
    update_cluster(UpdateOptions(url, NAME))
    return url


def said(address: str, *, ready: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """What a fresh host says of itself."""
    plain = {"hash": "", "cluster": "", "architecture": "amd64", "certificates": {}, "etcd": []}
    return {**plain, "facts": {"INTERNAL_IP": address}, "ready": {**READY, **(ready or {})}, **more}


def member(name: str, *, state: str = "new", initial: str = "x=https://x:2380", etcd: str = "main") -> dict[str, Any]:
    """What a host says of a member that it has the data of."""
    return {
        "etcd": etcd,
        "cluster": NAME,
        "member": name,
        "data": True,
        "manifest": True,
        "initial_cluster": initial,
        "initial_state": state,
    }


def inventory(**observed: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Three control planes and a worker; observed: of host cp1, what it says."""
    groups = {"cp1": CONTROL_PLANES[0], "cp2": "control_plane_main_2", "cp3": CONTROL_PLANES[2], "w1": "nodes-main"}
    return {
        host: {"groups": [group, "rack7"], "observed": observed.get(host, said(f"10.0.0.{index}"))}
        for index, (host, group) in enumerate(groups.items(), 1)
    }


def problems(store: str, hosts: dict[str, dict[str, Any]]) -> list[str]:
    with pytest.raises(HostProblems) as raised:
        plan_hosts(HostOptions(store, NAME, hosts))
    return raised.value.problems


def test_fresh_hosts_give_birth_to_etcd_together(store: str) -> None:
    plan = plan_hosts(HostOptions(store, NAME, inventory()))
    assert plan["controlPlane"] == ["cp1", "cp2", "cp3"]
    facts = {host: entry["facts"] for host, entry in plan["hosts"].items()}
    everybody = {facts[host]["ETCD_MAIN_INITIAL_CLUSTER"] for host in ("cp1", "cp2", "cp3")}
    assert len(everybody) == 1
    (text,) = everybody
    members = dict(each.split("=") for each in text.split(","))
    assert sorted(members.values()) == [f"https://10.0.0.{index}:2380" for index in (1, 2, 3)]
    for host, address in (("cp1", "10.0.0.1"), ("cp2", "10.0.0.2"), ("cp3", "10.0.0.3")):
        assert members[facts[host]["ETCD_MAIN_MEMBER"]] == f"https://{address}:2380"
        assert facts[host]["ETCD_EVENTS_INITIAL_STATE"] == "new"
    assert facts["w1"] == {"NODE_NAME": "w1", "INTERNAL_IP": "10.0.0.4"}
    assert [entry["joins"] for entry in plan["hosts"].values()] == [[], [], [], []]
    assert {entry["new"] for entry in plan["hosts"].values()} == {True}
    block = next(item for item in plan["hosts"]["w1"]["config"]["files"] if item["path"] == "/etc/hosts")
    assert [line.split()[0] for line in block["content"].splitlines()] == ["10.0.0.1", "10.0.0.2", "10.0.0.3"]


def test_manifests_of_files_are_planned_with_in_check_mode_only(store: str, tmp_path: pathlib.Path) -> None:
    (group,) = read_groups(store, NAME, ["nodes-main"])["instancegroups"]
    group["spec"]["kubelet"] = {"maxPods": 47}
    (tmp_path / "nodes.yaml").write_text(yaml.safe_dump(group))
    given = {"name": NAME, "state_store": store, "hosts": inventory(), "src": [str(tmp_path)]}

    def configurations(**arguments: Any) -> dict[str, str]:
        planned = run_here(node_configs, arguments, check=True)
        assert not planned.get("failed"), planned
        return {host: str(entry["config"]) for host, entry in planned["hosts"].items()}

    planned, stored = configurations(**given), configurations(**{**given, "src": []})
    assert {host for host in planned if planned[host] != stored[host]} == {"w1"}
    assert "maxPods: 47" in planned["w1"]
    assert "kubelet" not in read_groups(store, NAME, ["nodes-main"])["instancegroups"][0]["spec"]
    assert "src is for check mode" in run_here(node_configs, given, check=False)["msg"]


def test_nodes_have_the_taints_of_their_group(store: str) -> None:
    control_plane = {"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}
    taints = plan_hosts(HostOptions(store, NAME, inventory()))["taints"]
    assert taints == {"cp1": [control_plane], "cp2": [control_plane], "cp3": [control_plane], "w1": []}


def test_only_hosts_that_sign_get_keys_of_authorities(store: str) -> None:
    names = ["kubernetes-ca", "service-account", "etcd-clients-ca", "etcd-peers-ca-main", "apiserver-aggregator-ca"]
    keysets = ClusterStore.open(store, NAME).keysets.find_many(names)
    keys = {name: keyset.signer().private_key.encode() for name, keyset in keysets.items() if keyset}
    assert keys.keys() == set(names)
    hosts = plan_hosts(HostOptions(store, NAME, inventory()))["hosts"]
    for host, wanted in (("cp1", {"kubernetes-ca", "service-account"}), ("w1", set())):
        contents = {base64.b64decode(value) for value in hosts[host]["secrets"].values()}
        assert {name for name, key in keys.items() if key in contents} == wanted
        assert "PRIVATE KEY" not in str(hosts[host]["config"])


def test_a_host_in_a_running_cluster_joins_and_the_others_stay_what_they_were_born_as(store: str) -> None:
    plan = plan_hosts(HostOptions(store, NAME, inventory()))
    names = {host: entry["facts"]["ETCD_MAIN_MEMBER"] for host, entry in plan["hosts"].items() if host != "w1"}
    born = said("10.0.0.1", hash="abc", cluster=NAME, etcd=[member(names["cp1"]), member(names["cp1"], etcd="events")])
    plan = plan_hosts(HostOptions(store, NAME, inventory(cp1=born)))
    assert plan["hosts"]["cp1"]["facts"]["ETCD_MAIN_INITIAL_CLUSTER"] == "x=https://x:2380"
    assert plan["hosts"]["cp1"]["joins"] == []
    assert plan["hosts"]["cp3"]["joins"] == [
        {"etcd": "main", "name": names["cp3"], "peerUrl": "https://10.0.0.3:2380"},
        {"etcd": "events", "name": names["cp3"], "peerUrl": "https://10.0.0.3:2381"},
    ]
    assert "ETCD_MAIN_INITIAL_CLUSTER" not in plan["hosts"]["cp3"]["facts"]
    assert plan["controlPlane"][0] == "cp1"


def test_a_birth_that_broke_off_goes_on(store: str) -> None:
    everybody = plan_hosts(HostOptions(store, NAME, inventory()))["hosts"]["cp1"]["facts"]
    begun = member(everybody["ETCD_MAIN_MEMBER"], initial=everybody["ETCD_MAIN_INITIAL_CLUSTER"])
    plan = plan_hosts(HostOptions(store, NAME, inventory(cp1=said("10.0.0.1", cluster=NAME, etcd=[begun]))))
    assert [entry["joins"] for entry in plan["hosts"].values()] == [[], [], [], []]
    assert plan["hosts"]["cp2"]["facts"]["ETCD_MAIN_INITIAL_CLUSTER"] == everybody["ETCD_MAIN_INITIAL_CLUSTER"]


def test_certificates_that_fit_are_not_issued_again(store: str) -> None:
    first = plan_hosts(HostOptions(store, NAME, inventory()))["hosts"]["w1"]
    held = {
        name.partition("/")[2]: base64.b64decode(value).decode()
        for name, value in first["secrets"].items()
        if name.startswith("certificate/")
    }
    assert held
    again = plan_hosts(HostOptions(store, NAME, inventory(w1=said("10.0.0.4", certificates=held))))["hosts"]["w1"]
    assert again["config"] == first["config"]
    assert not {f"certificate/{name}" for name in held} & again["secrets"].keys()


def test_everything_that_is_wrong_is_told_at_once(store: str) -> None:
    hosts = inventory(
        w1=said("10.0.0.1", ready={"memoryMiB": 256, "swap": ["/dev/sda2"], "python": "3.8.1", "clockSkew": -90}),
        cp1=said("10.0.0.1", architecture="riscv64", cluster="other.example.com"),
        cp2=said("10.0.0.2", ready={"ports": [22, 443, 2380]}),
        cp3={"unreachable": True, "msg": "no route to host"},
    )
    hosts["lost"] = {"groups": ["rack7"], "observed": said("10.0.0.9")}
    hosts["both"] = {"groups": ["nodes-main", CONTROL_PLANES[0]], "observed": said("10.0.0.10")}
    hosts["odd"] = {"instance_group": "gpu", "observed": said("10.0.0.11")}
    hosts["Under_Score"] = {"instance_group": "nodes-main", "observed": said("10.0.0.12")}
    found = "\n".join(problems(store, hosts))
    for expected in (
        "lost: is in no instance group",
        "both: is in several instance groups",
        "odd: there is no instance group gpu; there are control-plane-main-1,",
        "w1: has 256 MiB of memory; a Node needs 700 at least",
        "w1: swap is on (/dev/sda2)",
        "w1: has Python 3.8.1; 3.9 is the oldest possible",
        "w1: its clock is -90 s off",
        "cp1: its architecture is riscv64; possible: amd64, arm64",
        "cp1: is a node of cluster other.example.com",
        "cp2: other processes listen on ports that the node needs: 443, 2380",
        "cp3: cannot be reached: no route to host",
        "Under_Score: cannot be the name of a node",
        "2 hosts have the address 10.0.0.1",
    ):
        assert expected in found, found


def test_a_firewall_that_would_drop_what_nodes_send_is_refused_on_new_hosts(store: str) -> None:
    ready = {"firewalld": True}
    (problem,) = problems(store, inventory(w1=said("10.0.0.4", ready=ready)))
    assert problem.startswith(
        "w1: firewalld runs, and would drop what nodes and pods send to each other; run 'systemctl "
    )
    plan_hosts(HostOptions(store, NAME, inventory(w1=said("10.0.0.4", ready=ready, cluster=NAME))))


def test_a_distribution_that_cannot_be_a_node_is_a_problem_of_its_host(store: str) -> None:
    refused = {
        "failed": True,
        "msg": "- CentOS Linux 7 (Core) (centos-7) cannot be a node; distributions that can: Debian",
    }
    assert problems(store, inventory(w1=refused)) == [f"w1: {refused['msg']}"]


def test_a_kernel_without_what_the_network_needs_is_refused(store: str) -> None:
    """Also that of a host that is a node already: the network of a cluster can be changed."""
    lacking = {"missingModules": ["ipip", "vxlan", "wireguard"]}
    hosts = inventory(
        w1=said("10.0.0.1", ready=lacking, kernel="6.1.0-cloud"),
        cp1=said("10.0.0.2", ready=lacking, kernel="6.1.0-cloud", cluster=NAME),
    )
    for name in ("w1", "cp1"):
        (found,) = (problem for problem in problems(store, hosts) if problem.startswith(f"{name}:"))
        assert found.startswith(f"{name}: its kernel 6.1.0-cloud has no module vxlan (spec.networking.flannel.backend)")
    redhat = problems(store, inventory(w1=said("10.0.0.1", ready=lacking, family="redhat")))
    (found,) = (problem for problem in redhat if problem.startswith("w1: its kernel"))
    assert "install the modules (the package kernel-modules-extra-$(uname -r)), or change the field" in found
    fine = said("10.0.0.1", ready={"missingModules": ["ipip", "wireguard"]})
    assert not any("kernel" in problem for problem in problems(store, inventory(w1=fine)))


def test_each_member_of_etcd_is_one_host(store: str) -> None:
    hosts = inventory()
    del hosts["cp2"]
    hosts["cp4"] = {"groups": [CONTROL_PLANES[2]], "observed": said("10.0.0.9")}
    found = "\n".join(problems(store, hosts))
    assert f"instance group {CONTROL_PLANES[1]} has no hosts" in found
    assert f"instance group {CONTROL_PLANES[2]} has 2 hosts, but etcd cluster main has 1 members in it" in found


def test_a_host_that_cannot_be_reached_may_be_left_out(store: str) -> None:
    hosts = inventory()
    hosts["w2"] = {"groups": ["nodes-main"], "observed": {"unreachable": True, "msg": "no route"}}
    assert problems(store, hosts) == ["w2: cannot be reached: no route"]
    plan = plan_hosts(HostOptions(store, NAME, hosts, without=True))
    assert plan["leftOut"] == ["w2"]
    assert "w2" not in plan["hosts"]


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("127.0.0.1", "an address that each host has for itself"),
        ("0.0.0.0", "no host's address"),
        ("255.255.255.255", "reserved"),
        ("224.0.0.5", "an address of many hosts"),
        ("169.254.7.7", "an address without meaning beyond its network"),
        ("fd00::4", "an address of IPv6, and the cluster has IPv4"),
        ("100.64.0.9", "in 100.64.0.0/13, the range of Services (spec.networking.serviceClusterIPRange)"),
        ("100.96.3.9", "in 100.96.0.0/11, the range of pods (spec.networking.podCIDR)"),
    ],
)
def test_addresses_that_no_host_can_have(store: str, address: str, problem: str) -> None:
    hosts = inventory()
    for host in (hosts["w1"], {**hosts["w1"], "address": address, "observed": said("10.0.0.4")}):
        host["observed"] = said(address) if "address" not in host else host["observed"]
        assert problems(store, {**hosts, "w1": host}) == [
            f"w1: its address {address} is {problem}; set its variable kops_address to another one"
        ]


def test_a_given_address_that_is_none(store: str) -> None:
    hosts = inventory()
    hosts["w1"].update(address="10.0.0.300", wrong_address="10.0.0.300")
    assert problems(store, hosts) == ["w1: kops_address is not an IP address, such as 10.0.0.11: 10.0.0.300"]


def test_a_name_that_no_node_can_have_is_told_once(store: str) -> None:
    hosts = inventory()
    hosts["w_1"] = hosts.pop("w1")
    (told,) = problems(store, hosts)
    assert told.startswith("w_1: cannot be the name of a node")


def test_the_port_of_the_api_server_must_be_free_as_well(store: str) -> None:
    taken = inventory(cp1=said("10.0.0.1", ready={"ports": [22, 443]}), w1=said("10.0.0.4", ready={"ports": [443]}))
    assert problems(store, taken) == ["cp1: other processes listen on ports that the node needs: 443"]


def test_hosts_that_cannot_be_compared_keep_their_place(store: str) -> None:
    """The others have to be the same as with them."""
    everybody = plan_hosts(HostOptions(store, NAME, inventory()))["hosts"]
    hosts = inventory(cp2={"unreachable": True, "msg": "no route"}, w1=said("10.0.0.4", ready={"swap": ["/dev/sda2"]}))
    hosts["cp2"]["address"] = "10.0.0.2"
    plan = plan_hosts(HostOptions(store, NAME, hosts, compare=True))
    assert plan["problems"].keys() == {"cp2", "w1"}
    assert plan["problems"]["cp2"] == "cannot be reached: no route"
    assert plan["problems"]["w1"].startswith("swap is on (/dev/sda2)")
    assert {name: entry["config"] for name, entry in plan["hosts"].items()} == {
        name: everybody[name]["config"] for name in ("cp1", "cp3")
    }
    assert plan["rolling"]["newcomers"] == ["cp1", "cp3"]
    del hosts["cp2"]["address"]
    with pytest.raises(KopsError, match="^cp2: cannot be reached: no route; set its variable kops_address"):
        plan_hosts(HostOptions(store, NAME, hosts, compare=True))


def test_a_plan_is_plain_data(store: str) -> None:
    """Ansible keeps values of these types only in variables, and none that derives from them."""

    def types(value: Any) -> Iterator[type]:
        yield type(value)
        for each in [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from types(each)

    plan = plan_hosts(HostOptions(store, NAME, inventory()))
    assert set(types(plan)) <= {dict, list, str, int, float, bool, type(None)}


def test_hosts_that_are_no_nodes_yet_are_not_rolled(store: str) -> None:
    names = {host: entry["facts"] for host, entry in plan_hosts(HostOptions(store, NAME, inventory()))["hosts"].items()}
    node = {"hash": "abc", "cluster": NAME}
    cp1 = said("10.0.0.1", **node, etcd=[member(names["cp1"]["ETCD_MAIN_MEMBER"])])
    # Its last run was broken off; and one that is a node, but not a member yet.
    w1, cp2 = said("10.0.0.4", **{**node, "hash": ""}), said("10.0.0.2", **node)
    rolling = plan_hosts(HostOptions(store, NAME, inventory(cp1=cp1, cp2=cp2, w1=w1)))["rolling"]
    assert rolling == {"batches": [["cp1"], ["w1"]], "newcomers": ["cp2", "cp3"], "disabled": [], "problems": []}


def test_only_chosen_groups_are_rolled_and_none_whose_updates_are_disabled(tmp_path: pathlib.Path, store: str) -> None:
    url = f"file://{shutil.copytree(store.removeprefix('file://'), tmp_path / 'store')}"
    config = tmp_path / "store" / NAME / "config"
    config.write_text(config.read_text().replace(store.removeprefix("file://"), str(tmp_path / "store")))
    stored = ClusterStore.open(url, NAME)
    (nodes,) = (group for group in stored.read_groups() if group.metadata.name == "nodes-main")
    nodes.spec.rolling_update = RollingUpdate(drain_and_terminate=False)
    stored.write_group(nodes)
    hosts = inventory(**{f"cp{index}": said(f"10.0.0.{index}", hash="abc", cluster=NAME) for index in (1, 2, 3)})
    hosts["w1"]["observed"] = said("10.0.0.4", hash="abc", cluster=NAME)
    born = {host: entry["members"] for host, entry in plan_hosts(HostOptions(url, NAME, inventory()))["hosts"].items()}
    for host in ("cp1", "cp2", "cp3"):
        hosts[host]["observed"]["etcd"] = [member(each["name"], etcd=each["etcd"]) for each in born[host]]
    everything = plan_hosts(HostOptions(url, NAME, hosts))
    assert everything["rolling"] == {
        "batches": [["cp1"], ["cp2"], ["cp3"]],
        "newcomers": [],
        "disabled": ["w1"],
        "problems": [],
    }
    assert everything["hosts"]["cp1"]["members"] == [
        {"etcd": "main", "name": born["cp1"][0]["name"]},
        {"etcd": "events", "name": born["cp1"][0]["name"]},
    ]
    assert {host: entry["drain"] for host, entry in everything["hosts"].items()} == dict.fromkeys(hosts, True)
    one = plan_hosts(HostOptions(url, NAME, hosts, instance_groups=[CONTROL_PLANES[1]]))["rolling"]
    assert one == {"batches": [["cp2"]], "newcomers": [], "disabled": [], "problems": []}
    with pytest.raises(KopsError, match="there is no instance group 'workers'; there are control-plane-main-1, "):
        plan_hosts(HostOptions(url, NAME, hosts, instance_groups=["workers"]))


def upgrading(store: str, **running: str) -> dict[str, dict[str, Any]]:
    """The hosts of a cluster whose specification has 1.34.2 already. running: versions of API servers."""
    members = {
        host: entry["members"] for host, entry in plan_hosts(HostOptions(store, NAME, inventory()))["hosts"].items()
    }
    hosts = inventory()
    for index, (name, host) in enumerate(hosts.items(), 1):
        etcd = [member(each["name"], etcd=each["etcd"]) for each in members[name]]
        version = running.get(name, "1.34.2") if etcd else ""
        host["observed"] = said(f"10.0.0.{index}", hash="abc", cluster=NAME, etcd=etcd, apiServerVersion=version)
    hosts["w2"] = {"groups": ["nodes-main"], "observed": said("10.0.0.9")}
    return hosts


def versions(plan: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Host -> the version of its NodeConfig, and that of the kubelet that it downloads."""
    found = {}
    for name, host in plan["hosts"].items():
        (kubelet,) = (item for item in host["config"]["downloads"] if item["name"] == "kubelet")
        found[name] = (host["config"]["kubernetesVersion"], kubelet["urls"][0].split("/v")[1].split("/")[0])
    return found


def test_a_worker_that_joins_during_an_upgrade_is_no_newer_than_the_api_servers(store: str) -> None:
    plan = plan_hosts(HostOptions(store, NAME, upgrading(store, cp2="1.33.5", cp3="1.33.6")))
    new, old = ("1.34.2", "1.34.2"), ("1.33.5", "1.33.5")
    assert versions(plan) == {"cp1": new, "cp2": new, "cp3": new, "w1": new, "w2": old}
    pods = [pod["content"] for pod in plan["hosts"]["w2"]["config"]["staticPods"] if pod["name"] == "kube-proxy"]
    assert pods
    assert all("kube-proxy:v1.33.5" in pod for pod in pods)
    assert [name for name, host in plan["hosts"].items() if host["ahead"]] == ["w1"]
    (warning,) = plan["warnings"]
    assert warning.startswith("w2: joins with Kubernetes 1.33.5, because API servers still run it (cp2, cp3);")
    assert plan["rolling"]["problems"] == []

    done = plan_hosts(HostOptions(store, NAME, upgrading(store)))
    assert set(versions(done).values()) == {new}
    assert (done["warnings"], any(host["ahead"] for host in done["hosts"].values())) == ([], False)


def test_a_rolling_update_does_not_make_kubelets_newer_than_api_servers(store: str) -> None:
    hosts = upgrading(store, cp2="1.33.5")
    for chosen, problems_ in ((["nodes-main"], 1), ([CONTROL_PLANES[1]], 0), ([CONTROL_PLANES[1], "nodes-main"], 0)):
        rolling = plan_hosts(HostOptions(store, NAME, hosts, instance_groups=chosen))["rolling"]
        assert len(rolling["problems"]) == problems_, chosen
    (problem,) = plan_hosts(HostOptions(store, NAME, hosts, instance_groups=["nodes-main"]))["rolling"]["problems"]
    assert problem.startswith("w1: would get Kubernetes 1.34.2 before the API servers of cp2, which run 1.33.5")


def test_a_new_cluster_has_a_host_for_its_dns(store: str) -> None:
    """One that runs is only warned: what can be mended has to be."""
    stored = ClusterStore.open(store, NAME)
    cluster, (*_control_planes, nodes) = stored.read()
    hosts = inventory()
    del hosts["w1"]
    nodes.spec.min_size = 0
    stored.write_group(nodes)
    (problem,) = problems(store, hosts)
    assert problem.startswith("CoreDNS runs on no host")
    assert "role Node, or set spec.kubeDNS.tolerations" in problem
    assert "(node-role.kubernetes.io/control-plane=:NoSchedule)" in problem

    runs = {name: {**each, "observed": {**each["observed"], "hash": "abc"}} for name, each in hosts.items()}
    assert plan_hosts(HostOptions(store, NAME, runs))["warnings"] == [problem]

    cluster.spec.kube_dns = KubeDNSConfig(
        tolerations=[{"key": "node-role.kubernetes.io/control-plane", "operator": "Exists"}]
    )
    stored.write_cluster(cluster)
    assert plan_hosts(HostOptions(store, NAME, hosts))["warnings"] == []

    cluster.spec.kube_dns = None
    nodes.spec.min_size = 1
    stored.write_cluster(cluster)
    stored.write_group(nodes)


@pytest.fixture
def with_virtual_address(store: str) -> Iterator[None]:
    """The cluster's API has an address that none of the hosts has."""

    def write(address: str | None) -> None:
        cluster = stored.read_cluster()
        cluster.spec.api.public_name = address
        stored.write_cluster(cluster)

    stored = ClusterStore.open(store, NAME)
    write("10.0.0.100")
    yield
    write(None)


@pytest.mark.usefixtures("with_virtual_address")
def test_control_planes_hold_a_virtual_address_that_no_host_has(store: str) -> None:
    plan = plan_hosts(HostOptions(store, NAME, inventory()))
    files = {host: {item["path"] for item in entry["config"]["files"]} for host, entry in plan["hosts"].items()}
    assert [host for host in files if "/etc/keepalived/keepalived.conf" in files[host]] == ["cp1", "cp2", "cp3"]
    assert plan["apiServer"] == "https://10.0.0.100"
    assert plan["apiAddresses"] == ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.100"]

    gone = {"groups": ["nodes-main"], "observed": {"unreachable": True, "msg": "no route"}}
    hosts = {**inventory(), "w2": {**gone, "address": "10.0.0.100"}}
    plan = plan_hosts(HostOptions(store, NAME, hosts, without=True))
    assert "keepalived" not in str(plan), "the address is of a host that is only not there now"
    assert plan["apiAddresses"] == ["10.0.0.1", "10.0.0.2", "10.0.0.3"]
    with pytest.raises(HostProblems, match="w2: set its variable kops_address"):
        plan_hosts(HostOptions(store, NAME, {**inventory(), "w2": {**gone, "address": "an-alias"}}, without=True))


def test_without_a_public_name_users_go_to_the_first_control_plane(store: str) -> None:
    plan = plan_hosts(HostOptions(store, NAME, inventory()))
    assert plan["apiServer"] == "https://10.0.0.1"
    assert "keepalived" not in str(plan)


def test_nodes_are_not_reached_through_the_egress_proxy(store: str) -> None:
    stored = ClusterStore.open(store, NAME)
    cluster = stored.read_cluster()
    proxy = EgressProxySpec(HTTPProxy(host="proxy", port=3128), "10.0.0.1, 10.0.0.2/31,registry")
    cluster.spec.networking.egress_proxy = proxy
    stored.write_cluster(cluster)
    try:
        assert problems(store, inventory()) == [
            "w1: API servers would reach 10.0.0.4 through the egress proxy; add it to its excludes"
        ]
    finally:
        cluster.spec.networking.egress_proxy = None
        stored.write_cluster(cluster)


def test_before_there_are_keys_only_check_mode_has_an_answer(tmp_path: pathlib.Path) -> None:
    url = f"file://{tmp_path}"
    create_cluster(
        {"name": NAME, "state_store": url, "cloud": "metal", "zones": ["main"], "networking": "cni"}, check_mode=False
    )
    hosts = {
        "cp": {"groups": ["control-plane-main"], "observed": said("10.0.0.1")},
        "w": {"groups": ["nodes-main"], "observed": said("10.0.0.2")},
    }
    with pytest.raises(KopsError, match="has no keys yet; run kubeops.kops.update_cluster first"):
        plan_hosts(HostOptions(url, NAME, hosts))
    plan = plan_hosts(HostOptions(url, NAME, hosts), check=True)
    assert {"config", "secrets"}.isdisjoint(plan["hosts"]["cp"])


PATHS = [f"/etc/kubernetes/{number}" for number in range(6)]
KUBEADM = {"tool": "kubeadm", "paths": PATHS, "effect": "", "removal": "kubeadm reset"}
NETWORK = {"tool": "", "paths": ["/etc/cni/net.d/10-calico.conflist"], "effect": "pods could", "removal": "rm"}


def test_what_other_tools_have_left_is_refused_with_what_removes_it(store: str) -> None:
    ready = {"leftovers": [KUBEADM, NETWORK]}
    assert problems(store, inventory(w1=said("10.0.0.4", ready=ready))) == [
        f"w1: has {', '.join(PATHS[:4])} and 2 more: what kubeadm has left; remove it with kubeadm reset",
        "w1: has /etc/cni/net.d/10-calico.conflist: pods could; remove it with rm",
    ]
    plan_hosts(HostOptions(store, NAME, inventory(w1=said("10.0.0.4", ready=ready, cluster=NAME))))


def test_drop_ins_of_others_that_stay_are_told(store: str) -> None:
    """On hosts that are no nodes yet: on others, their owner has put them there on purpose."""
    proxy = {"path": "/etc/x/http-proxy.conf", "unit": "containerd.service", "settings": ["Environment"], "proxy": True}
    ready = {"unitSettings": [proxy]}
    plan = plan_hosts(HostOptions(store, NAME, inventory(w1=said("10.0.0.4", ready=ready))))
    assert plan["warnings"] == [
        "w1: /etc/x/http-proxy.conf stays, and sets Environment of containerd.service; "
        "its downloads go through that proxy (egressProxy in the cluster's specification sets one for all nodes)"
    ]
    assert (
        plan_hosts(HostOptions(store, NAME, inventory(w1=said("10.0.0.4", ready=ready, cluster=NAME))))["warnings"]
        == []
    )


def test_networks_are_the_user_s_with_cni(tmp_path: pathlib.Path) -> None:
    url = f"file://{tmp_path}"
    options = {"name": NAME, "state_store": url, "cloud": "metal", "zones": ["main"], "networking": "cni"}
    create_cluster(options, check_mode=False)
    update_cluster(UpdateOptions(url, NAME))
    hosts = {"cp": {"groups": ["control-plane-main"], "observed": said("10.0.0.1", ready={"leftovers": [NETWORK]})}}
    hosts["w"] = {"groups": ["nodes-main"], "observed": said("10.0.0.2", ready={"leftovers": [KUBEADM, NETWORK]})}
    (problem,) = problems(url, hosts)
    assert problem.startswith("w: has /etc/kubernetes/0")


def test_the_cluster_of_the_documentation_is_one(tmp_path: pathlib.Path) -> None:
    text = (pathlib.Path(__file__).parents[6] / "docs" / "bare-metal.md").read_text()
    manifest = next(block for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL) if "kind: Cluster" in block)
    hosts = {
        "cp1": {"groups": ["control_plane_a"], "observed": said("10.0.0.11")},
        "w1": {"groups": ["nodes"], "observed": said("10.0.0.21")},
    }
    assert update_cluster(UpdateOptions(f"file://{tmp_path}", NAME, manifest=manifest)).plan.warnings == []
    plan = plan_hosts(HostOptions(f"file://{tmp_path}", NAME, hosts))
    assert plan["warnings"] == []
    assert {name: entry["role"] for name, entry in plan["hosts"].items()} == {"cp1": "ControlPlane", "w1": "Node"}
