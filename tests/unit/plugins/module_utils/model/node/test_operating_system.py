# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operating system of a node: kernel, packages, clock, names, hooks, files."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError


def items(config, kind, key="name"):
    """By their names; of several of one name the first, which is that of the most usual distributions."""
    return {item[key]: item for item in reversed(config.get(kind, []))}


def sysctls(config):
    return {item["key"]: item["value"] for item in config["sysctls"]}


def test_sysctls_are_those_of_kops(config_of):
    found = sysctls(config_of())
    assert found["vm.max_map_count"] == "1048576"
    assert found["net.ipv4.ip_local_reserved_ports"] == "30000-32767"
    assert (found["net.ipv4.ip_forward"], found["kernel.panic"], found["vm.overcommit_memory"]) == ("1", "10", "1")
    assert not {"net.ipv4.neigh.default.gc_thresh1", "net.ipv4.conf.all.rp_filter"} & found.keys()


def test_sysctls_follow_the_specification_and_the_users_come_last(config_of):
    found = sysctls(
        config_of(
            fields={
                "sysctlParameters": ["# tuned", "", "vm.max_map_count = 7", "a.b=c=d"],
                "kubeAPIServer.serviceNodePortRange": "28000-29000",
                "networking": {
                    "cilium": {},
                    "nonMasqueradeCIDR": "::/0",
                    "serviceClusterIPRange": "fd00::/108",
                    "topology": {"dns": "None"},
                },
            },
            spec={"sysctlParameters": ["a.b=group"]},
        )
    )
    assert (found["vm.max_map_count"], found["a.b"]) == ("7", "c=d")
    assert found["net.ipv4.ip_local_reserved_ports"] == "28000-29000"
    assert found["net.ipv6.conf.all.forwarding"] == "1"
    assert "net.ipv4.ip_forward" not in found
    assert found["net.ipv4.conf.lxc*.rp_filter"] == "0"


def test_an_ipv6_node_with_debian_11_takes_routes_from_its_router(config_of):
    networking = {"cilium": {}, "nonMasqueradeCIDR": "::/0", "serviceClusterIPRange": "fd00::/108"}
    config = config_of(fields={"networking": {**networking, "topology": {"dns": "None"}}})
    found = items(config, "sysctls", "key")["net.ipv6.conf.ens*.accept_ra"]
    assert (found["value"], found["when"]) == ("2", {"distribution": ["debian-11"]})
    assert "net.ipv6.conf.ens*.accept_ra" not in sysctls(config_of())


def test_only_what_tunes_may_be_missing_in_the_kernel(config_of):
    required = {
        item["key"]: item["required"]
        for item in config_of(fields={"sysctlParameters": ["vm.swappiness=1", "-vm.none=1"]})["sysctls"]
    }
    assert required["vm.swappiness"] and not required["vm.none"]
    assert required["net.ipv4.ip_forward"] and required["kernel.panic"]
    assert not required["net.core.rmem_max"]


def test_modules_depend_on_the_network(config_of):
    assert "br_netfilter" in items(config_of(), "kernelModules")
    networking = {"kindnet": {}, "nonMasqueradeCIDR": "100.64.0.0/10", "serviceClusterIPRange": "100.64.0.0/13"}
    modules = items(config_of(fields={"networking": networking}), "kernelModules")
    assert "nfnetlink_queue" in modules and "br_netfilter" not in modules


def test_packages_by_family_and_the_users_own(config_of):
    packages = config_of(fields={"packages": ["nfs-common", "util-linux"]}, spec={"packages": ["nfs-common"]})[
        "packages"
    ]
    names = [(package["name"], package.get("when")) for package in packages]
    assert ("iptables", {"family": ["debian"]}) in names
    nftables = next(when["distribution"] for name, when in names if name == "nftables")
    assert {"rhel-10", "rocky-9"} <= set(nftables) and not {"rhel-9", "amzn-2023", "debian-12"} & set(nftables)
    assert names.count(("nfs-common", None)) == 1
    assert ("util-linux", None) not in names


def test_gvisor_and_gpus_bring_their_repositories(config_of):
    config = config_of(spec={"containerd": {"gvisor": {"enabled": True}}})
    assert items(config, "aptSources").keys() == {"gvisor"}
    assert "runsc" in items(config, "packages")
    gpu = {"containerd": {"nvidiaGPU": {"enabled": True}}, "nodeLabels": {"kops.k8s.io/gpu": "1"}}
    assert {"nvidia-container-toolkit", "nvidia-driver-535-server"} <= items(config_of(spec=gpu), "packages").keys()
    assert "aptSources" not in config_of(spec={"containerd": {"nvidiaGPU": {"enabled": True}}})


@pytest.mark.parametrize(("policy", "has_package"), [("external", False), ("automatic", True)])
def test_update_policy(config_of, file_of, policy, has_package):
    fields = {"updatePolicy": policy}
    assert ("unattended-upgrades" in items(config_of(fields=fields), "packages")) == has_package
    assert ('"0"' in file_of("/etc/apt/apt.conf.d/20auto-upgrades", fields=fields)) != has_package


def test_clock_is_left_alone_where_somebody_else_sees_to_it(config_of):
    assert "chrony.service" in items(config_of(), "units")
    config = config_of(fields={"ntp": {"managed": False}})
    assert "chrony" not in items(config, "packages") and "chrony.service" not in items(config, "units")


def test_flatcar_does_not_restart_by_itself_unless_a_hook_sees_to_it(config_of):
    unit = items(config_of(), "units")["update-service.service"]
    assert unit["when"] == {"family": ["flatcar"]}
    assert "mask --runtime --now locksmithd.service" in unit["content"]
    hook = {"hooks": [{"name": "update-service", "manifest": "Type=oneshot\nExecStart=/bin/own\n"}]}
    assert "/bin/own" in items(config_of(fields=hook), "units")["update-service.service"]["content"]


def test_clouds_have_their_own_time(file_of):
    assert "169.254.169.123" in file_of("/etc/chrony/chrony.conf", on_metal=False)


def test_a_firewall_that_networks_of_pods_cannot_live_with_is_off_in_clouds(config_of):
    """On bare metal, it is the user's own."""
    units = [unit for unit in config_of(on_metal=False)["units"] if unit["name"] == "firewalld.service"]
    assert {(unit["enabled"], unit["state"]) for unit in units} == {(False, "stopped")}
    assert [unit["when"] for unit in units] == [{"trait": ["nftables"]}, {"family": ["suse"]}]
    assert "firewalld.service" not in items(config_of(), "units")


HOSTS = {"api_addresses": ("10.0.0.1", "10.0.0.2"), "etcd_addresses": {"main": ["10.0.0.1"], "events": ["10.0.0.1"]}}


def test_nodes_find_every_control_plane(file_of):
    assert file_of("/etc/hosts", **HOSTS).splitlines() == [
        "10.0.0.1 api.internal.demo.example.com",
        "10.0.0.2 api.internal.demo.example.com",
    ]


def test_control_planes_talk_to_themselves(file_of):
    assert file_of("/etc/hosts", "control-plane", **HOSTS) == (
        "127.0.0.1 api.internal.demo.example.com api.demo.example.com\n"
    )


def test_pods_that_resolve_these_names_start_anew_with_them(config_of):
    pods = items(config_of(**HOSTS), "staticPods")
    assert "file:/etc/hosts" in pods["kube-proxy"]["restartOn"]
    assert "file:/etc/hosts" not in items(config_of("control-plane", **HOSTS), "staticPods")["kube-proxy"]["restartOn"]
    assert "file:/etc/hosts" not in items(config_of(), "staticPods")["kube-proxy"]["restartOn"]


def test_api_servers_elsewhere_know_etcd_by_one_name(config_of, pod_of):
    arguments = {"spec": {"role": "APIServer"}, "fields": {"kubeAPIServer.etcdServers": ["https://127.0.0.1:4001"]}}
    config = config_of("apiserver", **arguments, **HOSTS)
    hosts = items(config, "files", "path")["/etc/hosts"]
    assert hosts["block"] == "kops"
    assert "10.0.0.1 main.etcd.internal.demo.example.com\n" in hosts["content"]
    assert "file:/etc/hosts" in items(config, "staticPods")["kube-apiserver"]["restartOn"]
    container = pod_of("kube-apiserver", "apiserver", **arguments)["spec"]["containers"][0]
    assert "--etcd-servers=https://main.etcd.internal.demo.example.com:4001" in container["args"]


def test_hooks_of_the_group_stand_for_the_clusters(config_of):
    units = items(
        config_of(
            fields={
                "hooks": [
                    {"name": "same", "manifest": "Type=oneshot\nExecStart=/bin/cluster\n"},
                    {"name": "off.timer", "enabled": False},
                    {"roles": ["ControlPlane"], "manifest": "no"},
                    {"execContainer": {"image": "busybox", "command": ["sh", "-c", "a b"], "environment": {"X": "1"}}},
                ]
            },
            spec={"hooks": [{"name": "same", "manifest": "ExecStart=/bin/group\n", "requires": ["x"]}]},
        ),
        "units",
    )
    assert units["same.service"]["content"] == (
        "[Unit]\nDescription=Kops Hook same\nRequires=x\n\n[Service]\nExecStart=/bin/group\n\n"
        "[Install]\nWantedBy=multi-user.target\n"
    )
    assert (units["off.timer"]["state"], units["off.timer"]["enabled"]) == ("stopped", False)
    ran = units["kops-hook-2.service"]["content"]
    assert '--env X=1 docker.io/library/busybox:latest kops-hook-2 sh -c "a b"' in ran
    assert not any(unit.get("content") == "no" for unit in units.values())


@pytest.mark.parametrize(
    "hook",
    [
        {"manifest": "Type=oneshot\nExecStart=/bin/true"},
        {"manifest": "[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=sysinit.target", "useRawManifest": True},
        {"execContainer": {"image": "busybox"}},
    ],
)
def test_hooks_run_at_every_boot(config_of, hook):
    """As in kops, where nodeup starts them; here systemd does, if the usual target wants the unit."""
    unit = items(config_of(fields={"hooks": [{"name": "hook", **hook}]}), "units")["hook.service"]
    assert unit["content"].endswith("\n[Install]\nWantedBy=multi-user.target\n")
    assert (unit["enabled"], unit["state"]) == (True, "started")


def test_files_of_the_group_stand_for_the_clusters(config_of):
    files = items(
        config_of(
            fields={
                "fileAssets": [
                    {"name": "x", "content": "cluster"},
                    {"name": "y", "path": "/etc/y", "content": "aGk", "isBase64": True, "mode": "600"},
                    {"name": "z", "content": "z", "roles": ["ControlPlane"]},
                ]
            },
            spec={"fileAssets": [{"name": "x", "content": "group"}]},
        ),
        "files",
        "path",
    )
    assert files["/srv/kubernetes/assets/x"]["content"] == "group"
    assert files["/srv/kubernetes/assets/x"]["mode"] == "0440"
    assert (files["/etc/y"]["content"], files["/etc/y"]["mode"]) == ("hi", "0600")
    assert "/srv/kubernetes/assets/z" not in files


@pytest.mark.parametrize("role", ["Master", "ControlPlane"])
def test_a_file_of_the_control_plane_has_the_role_by_either_name(config_of, role):
    asset = {"name": "z", "content": "z", "roles": [role]}
    groups = ("control-plane", "nodes")
    files = [items(config_of(name, fields={"fileAssets": [asset]}), "files", "path") for name in groups]
    assert ["/srv/kubernetes/assets/z" in each for each in files] == [True, False]


def test_a_file_that_is_not_base64_is_refused_without_its_content(config_of):
    with pytest.raises(KopsError, match=r"fileAssets\[0\].content") as refused:
        config_of(fields={"fileAssets": [{"name": "secret-file", "content": "p4ss wörd", "isBase64": True}]})
    assert "p4ss" not in str(refused.value)


def test_bastions_run_nothing_of_kubernetes(config_of):
    config = config_of("bastion", spec={"role": "Bastion"})
    assert "logrotate" not in items(config, "packages")
    assert not {"downloads", "staticPods", "certificates", "nodeLabels", "checks"} & config.keys()


def test_disks_of_the_group(config_of):
    mount = {"device": "/dev/xvdd", "filesystem": "xfs", "path": "/data", "mountOptions": ["noatime", "ro"]}
    assert config_of(spec={"volumeMounts": [mount]})["volumes"] == [
        {"name": "/data", "device": "/dev/xvdd", "mount": "/data", "filesystem": "xfs", "options": "noatime,ro"}
    ]
    (volume,) = config_of(spec={"volumeMounts": [{**mount, "formatOptions": ["-L", "data"]}]})["volumes"]
    assert volume["formatOptions"] == ["-L", "data"]


def test_disks_of_instances_have_the_names_of_their_launch_template(config_of):
    """The kernel calls them otherwise, so the path is a fact. A path of the kernel stays."""
    mounts = [
        {"device": name, "path": f"/{name[5:]}", "filesystem": "ext4"} for name in ("/dev/sdf", "/dev/xvdg", "/dev/md0")
    ]
    config = config_of(spec={"volumeMounts": mounts}, on_metal=False)
    assert [volume["device"] for volume in config["volumes"]] == ["@@DISK_SDF@@", "@@DISK_XVDG@@", "/dev/md0"]
    assert {"DISK_SDF", "DISK_XVDG"} <= set(config["facts"])


def test_instances_of_clusters_with_ipv6_only_see_to_a_prefix_for_their_pods(config_of):
    ipv6 = {"networking.nonMasqueradeCIDR": "::/0"}
    assert "POD_PREFIX" in config_of(fields=ipv6, on_metal=False)["facts"]
    assert "POD_PREFIX" not in config_of(on_metal=False)["facts"]
    assert "POD_PREFIX" not in config_of("bastion", ipv6, {"role": "Bastion"}, on_metal=False)["facts"]


def test_pods_do_not_start_without_the_disks(config_of):
    mounts = [{"device": "/dev/sdb", "path": path, "filesystem": "ext4"} for path in ("/var/lib/containerd", "/a b%")]
    units = items(config_of(spec={"volumeMounts": mounts}), "units", "name")
    wanted = {"10-volumes.conf": '[Unit]\nRequiresMountsFor="/var/lib/containerd" "/a b%%"\n'}
    assert [units[f"{name}.service"]["dropIns"] for name in ("containerd", "kubelet")] == [wanted, wanted]
    assert "dropIns" not in items(config_of(), "units", "name")["kubelet.service"]
