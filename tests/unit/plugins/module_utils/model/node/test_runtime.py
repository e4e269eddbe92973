# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""containerd and the kubelet of a node, and kube-proxy."""

from __future__ import annotations

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api.taints import parse_taint
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.runtime.kubelet_config import (
    parse_feature_gates,
    parse_pairs,
)


def kubelet_arguments(file_of, *arguments, **more):
    line = file_of("/etc/sysconfig/kubelet", *arguments, **more).splitlines()[0]
    return line.removeprefix('DAEMON_ARGS="').removesuffix('"').split()


def kubelet_config(file_of, *arguments, **more):
    return yaml.safe_load(file_of("/var/lib/kubelet/kubelet.conf", *arguments, **more))


@pytest.mark.parametrize(("version", "expected"), [("2.3.4", 4), ("2.2.1", 3), ("2.3.0-beta.1", 3), ("odd", 3)])
def test_version_of_containerds_configuration(file_of, version, expected):
    config = file_of("/etc/containerd/config.toml", spec={"containerd": {"version": version}})
    assert config.splitlines()[0] == f"version = {expected}"


def test_containerd_configuration(file_of):
    spec = {
        "containerd": {
            "configAdditions": {
                'plugins."io.containerd.cri.v1.runtime".restrict_oom_score_adj': "true",
                "oom_score": 0,
            },
            "registryMirrors": {"*": ["https://m"], "docker.io": ["https://a", "http://b:5000"]},
            "gvisor": {"enabled": True},
            "nri": {"pluginRequestTimeout": "5s"},
        }
    }
    config = file_of("/etc/containerd/config.toml", spec=spec)
    assert "oom_score = 0\n" in config.split("[")[0]
    for line in (
        "restrict_oom_score_adj = true",
        "SystemdCgroup = true",
        'sandbox = "registry.k8s.io/pause:3.10.1"',
        'config_path = "/etc/containerd/certs.d"',
        'runtime_type = "io.containerd.runsc.v1"',
        'plugin_request_timeout = "5s"',
    ):
        assert f"    {line}\n" in config
    assert "nvidia" not in config
    assert file_of("/etc/containerd/certs.d/docker.io/hosts.toml", spec=spec) == (
        '[host."https://a"]\n  capabilities = ["pull", "resolve"]\n\n'
        '[host."http://b:5000"]\n  capabilities = ["pull", "resolve"]\n\n'
    )
    assert file_of("/etc/containerd/certs.d/_default/hosts.toml", spec=spec)
    assert "systrap" in file_of("/etc/containerd/runsc.toml", spec=spec)


def test_containerd_configuration_may_be_the_users_own(config_of, file_of):
    spec = {"containerd": {"configOverride": "mine", "registryMirrors": {"*": ["https://m"]}}}
    assert file_of("/etc/containerd/config.toml", spec=spec) == "mine"
    assert not any("certs.d" in item["path"] for item in config_of(spec=spec)["files"])


def test_containerd_may_be_somebody_elses(config_of):
    config = config_of(spec={"containerd": {"skipInstall": True}})
    assert "containerd.service" not in [unit["name"] for unit in config["units"]]


def test_an_addition_without_a_path_is_refused(config_of):
    with pytest.raises(KopsError, match="no path of keys"):
        config_of(spec={"containerd": {"configAdditions": {'a."b': "x"}}})


def test_kubenet_masquerades_what_leaves_the_cluster(file_of, config_of):
    networking = {"kubenet": {}, "nonMasqueradeCIDR": "100.64.0.0/10", "serviceClusterIPRange": "100.64.0.0/13"}
    assert "-d 100.64.0.0/10 " in file_of("/opt/kops/bin/cni-iptables-setup", fields={"networking": networking})
    assert "/opt/kops/bin/cni-iptables-setup" not in [item["path"] for item in config_of()["files"]]


def test_programs_go_where_the_distribution_has_them(config_of):
    downloads = {item["name"]: item for item in config_of("control-plane")["downloads"]}
    assert downloads["kubelet"]["dest"] == "@@BINARIES@@/kubelet"
    assert downloads["runc"]["dest"] == "/usr/sbin/runc"
    assert [part["dest"] for part in downloads["cni-plugins"]["unpack"]] == ["/opt/cni/bin/"]
    assert "kubectl" in downloads
    assert "kubectl" not in {item["name"] for item in config_of()["downloads"]}


def test_programs_come_from_the_users_own_repository(config_of):
    fields = {"assets": {"fileRepository": "http://mirror:8080/files"}}
    urls = [item["urls"] for item in config_of(fields=fields)["downloads"]]
    assert all(url.startswith("http://mirror:8080/files/") for (url,) in urls)


def test_a_build_brings_its_images(config_of):
    fields = {"kubernetesVersion": "https://dl.example.com/kubernetes/v1.34.0"}
    assert [image["name"] for image in config_of(fields=fields)["images"]] == ["kube-proxy"]


def test_kubelet_gets_its_name_and_address_on_a_host_of_ones_own(file_of):
    arguments = kubelet_arguments(file_of, spec={"kubelet": {"cloudProvider": "", "nodeLabels": {"a": "b"}}})
    assert arguments == [
        "--hostname-override=@@NODE_NAME@@",
        "--runtime-request-timeout=15m0s",
        "--node-ip=@@INTERNAL_IP@@",
        "--config=/var/lib/kubelet/kubelet.conf",
    ]


def test_kubelet_starts_when_it_can_register(config_of):
    """Not before an API server answers, unless that is one of its own pods."""

    def awaited(group):
        return [unit.get("awaits") for unit in config_of(group)["units"] if unit["name"] == "kubelet.service"]

    assert awaited("nodes") == ["api.internal.demo.example.com:443"]
    assert awaited("control-plane") == [None]


def test_kubelet_logs_in_to_the_registry_of_its_cloud(file_of):
    arguments = kubelet_arguments(file_of, on_metal=False, region="eu-west-1")
    assert "--image-credential-provider-bin-dir=@@BINARIES@@" in arguments
    provider = yaml.safe_load(file_of("/var/lib/kubelet/credential-provider.conf", on_metal=False, region="eu-west-1"))
    assert provider["providers"][0]["env"] == [{"name": "AWS_REGION", "value": "eu-west-1"}]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ["--node-ip=@@INTERNAL_IP@@"]),
        ({"cloudProvider.aws.nodeIPFamilies": ["ipv4", "ipv6"]}, []),
        ({"cloudProvider.aws": None, "cloudProvider.gce": {"project": "demo"}}, []),
    ],
)
def test_kubelet_on_aws_knows_its_address_before_the_cloud_controller_manager_runs(file_of, fields, expected):
    arguments = kubelet_arguments(file_of, on_metal=False, region="eu-west-1", fields=fields)
    assert [argument for argument in arguments if argument.startswith("--node-ip")] == expected


def test_kubelet_configuration(file_of):
    kubelet = {
        "anonymousAuth": False,
        "clusterDNS": "100.64.0.10",
        "evictionHard": "memory.available<100Mi,nodefs.available<10%",
        "eventQPS": 5,
        "eventRecordQPS": 3,
        "featureGates": {"A": "true", "B": "0"},
        "kubeReserved": {"cpu": "100m"},
        "maxPods": 0,
        "protectKernelDefaults": False,
        "shutdownGracePeriod": "0s",
        "taints": ["a=b:NoSchedule", "c:NoExecute"],
        "enforceNodeAllocatable": "pods,system-reserved",
    }
    config = kubelet_config(file_of, spec={"kubelet": kubelet})
    assert config["authentication"] == {
        "anonymous": {"enabled": False},
        "webhook": {"enabled": True},
        "x509": {"clientCAFile": "/srv/kubernetes/ca.crt"},
    }
    assert config["authorization"] == {"mode": "Webhook"}
    assert config["clusterDNS"] == ["100.64.0.10"]
    assert config["evictionHard"] == {"memory.available": "100Mi", "nodefs.available": "10%"}
    assert config["eventRecordQPS"] == 5
    assert config["featureGates"] == {"A": True, "B": False}
    assert config["kubeReserved"] == {"cpu": "100m"}
    assert config["registerWithTaints"] == [
        {"key": "a", "value": "b", "effect": "NoSchedule"},
        {"key": "c", "effect": "NoExecute"},
    ]
    assert config["enforceNodeAllocatable"] == ["pods", "system-reserved"]
    assert config["shutdownGracePeriod"] == "0s"
    assert config["resolvConf"] == "@@RESOLV_CONF@@"
    assert not {"maxPods", "protectKernelDefaults", "providerID", "crashLoopBackOff"} & config.keys()


@pytest.mark.parametrize(
    ("networking", "kubelet", "line"),
    [
        ({"amazonVPC": {}}, {}, "maxPods: @@MAX_PODS@@"),
        ({"cilium": {"ipam": "eni"}}, {}, "maxPods: @@MAX_PODS@@"),
        ({"amazonVPC": {}}, {"maxPods": 30}, "maxPods: 30"),
        ({"cilium": {}}, {}, None),
    ],
)
def test_the_type_of_an_instance_says_how_many_pods_the_network_takes(config_of, networking, kubelet, line):
    spec = {"kubelet": kubelet}
    fields = {"networking.calico": None, **{f"networking.{name}": value for name, value in networking.items()}}
    config = config_of(fields=fields, spec=spec, on_metal=False)
    texts = [file["content"] for file in config["files"] if file["path"] == "/var/lib/kubelet/kubelet.conf"]
    for text in texts:
        assert [each for each in text.splitlines() if each.startswith("maxPods")] == ([line] if line else [])
    assert ("MAX_PODS" in config["facts"]) == (line == "maxPods: @@MAX_PODS@@")


def test_flatcar_alone_has_volume_plugins_elsewhere(config_of):
    """Another text than that of older versions would restart the kubelet of every node."""
    texts = {
        tuple(item["when"]["family"]): item["content"]
        for item in config_of()["files"]
        if item["path"] == "/var/lib/kubelet/kubelet.conf"
    }
    assert "\nvolumePluginDir: /var/lib/kubelet/volumeplugins/\n" in texts.pop(("flatcar",))
    ((families, text),) = texts.items()
    assert "\nvolumePluginDir: /usr/libexec/kubernetes/kubelet-plugins/volume/exec/\n" in text
    assert set(families) == {"debian", "redhat", "suse"}


def test_control_planes_wait_less_for_pods_that_fail(file_of):
    fields = {"kubernetesVersion": "1.35.0"}
    config = kubelet_config(file_of, "control-plane", fields)
    assert config["crashLoopBackOff"] == {"maxContainerRestartPeriod": "1m0s"}
    assert "crashLoopBackOff" not in kubelet_config(file_of, fields=fields)


def test_instances_know_their_identifier(file_of):
    assert kubelet_config(file_of, on_metal=False)["providerID"] == "@@PROVIDER_ID@@"


@pytest.mark.parametrize(
    ("parse", "arguments"),
    [
        (parse_pairs, ("memory.available", "<", "evictionHard")),
        (parse_feature_gates, ({"A": "yesplz"},)),
        (parse_taint, ("no-effect",)),
        (parse_taint, ("a:b:c",)),
    ],
)
def test_what_the_kubelet_would_not_read_is_refused(parse, arguments):
    with pytest.raises(KopsError):
        parse(*arguments)


def test_pairs_may_have_spaces():
    assert parse_pairs(" a = 1 , b=2", "=", "") == {"a": "1", "b": "2"}


def test_kube_proxy_is_for_iptables_or_nftables_by_distribution(config_of):
    pods = [item for item in config_of()["staticPods"] if item["name"] == "kube-proxy"]
    assert [("nftables" in pod["content"], "trait" in pod["when"]) for pod in pods] == [(False, False), (True, True)]
    assert "debian-12" in pods[0]["when"]["distribution"]
    assert "rhel-10" not in pods[0]["when"]["distribution"]


def test_kube_proxy_as_the_specification_has_it(pod_of):
    proxy = {"cpuRequest": "100m", "image": "x", "proxyMode": "ipvs", "conntrackMaxPerCore": 0, "memoryLimit": "1Gi"}
    container = pod_of("kube-proxy", fields={"kubeProxy": proxy})["spec"]["containers"][0]
    assert container["args"][3:] == [
        "--conntrack-max-per-core=0",
        "--hostname-override=@@NODE_NAME@@",
        "--kubeconfig=/var/lib/kube-proxy/kubeconfig",
        "--master=https://api.internal.demo.example.com",
        "--oom-score-adj=-998",
        "--proxy-mode=ipvs",
        "--v=0",
    ]
    assert container["resources"] == {"requests": {"cpu": "100m"}, "limits": {"memory": "1Gi"}}
    assert container["securityContext"] == {"privileged": True}


def test_kube_proxy_may_be_off(config_of):
    config = config_of(fields={"kubeProxy": {"enabled": False}})
    assert "kube-proxy" not in [item["name"] for item in [*config.get("staticPods", []), *config["certificates"]]]


def test_isolated_control_planes_have_no_kube_proxy(config_of):
    fields = {"networking.isolateControlPlane": True}
    assert "kube-proxy" not in [pod["name"] for pod in config_of("control-plane", fields)["staticPods"]]
    assert "kube-proxy" in [pod["name"] for pod in config_of(fields=fields)["staticPods"]]
