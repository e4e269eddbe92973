# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The control plane's static pods."""

from __future__ import annotations

import base64

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api.additional import AdditionalObject
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.build import node_secrets

CA_FILE = "/srv/kubernetes/ca.crt"
FACTS = {
    "NODE_NAME": "cp-1",
    "INTERNAL_IP": "10.0.0.1",
    **{f"ETCD_{name}_MEMBER": "a" for name in ("MAIN", "EVENTS")},
}


def arguments(pod):
    """Option -> value of the only container, without what starts it."""
    (container,) = pod["spec"]["containers"]
    return dict(text.removeprefix("--").split("=", 1) for text in container["args"] if "=" in text)


def items(config, kind, key):
    return {item[key]: item for item in config[kind]}


# -- the API server -------------------------------------------------------------------------------------------------


def test_api_server_gets_its_files_and_address(pod_of):
    found = arguments(pod_of("kube-apiserver", "control-plane"))
    directory = "/srv/kubernetes/kube-apiserver"
    assert found["advertise-address"] == "@@INTERNAL_IP@@"
    assert found["etcd-cafile"] == f"{directory}/etcd-ca.crt"
    assert found["kubelet-client-key"] == f"{directory}/kubelet-api.key"
    assert found["proxy-client-cert-file"] == f"{directory}/apiserver-aggregator.crt"
    assert found["service-account-signing-key-file"] == f"{directory}/service-account.key"
    assert found["client-ca-file"] == "/srv/kubernetes/ca.crt"
    assert found["anonymous-auth"] == "false"


def test_api_server_verifies_kubelets(pod_of):
    assert arguments(pod_of("kube-apiserver", "control-plane"))["kubelet-certificate-authority"] == CA_FILE
    own = {"kubeAPIServer.kubeletCertificateAuthority": "/srv/kubernetes/kube-apiserver/own.crt"}
    found = arguments(pod_of("kube-apiserver", "control-plane", own))["kubelet-certificate-authority"]
    assert found == "/srv/kubernetes/kube-apiserver/own.crt"


def test_kubelets_are_reached_at_the_address_that_their_certificates_name(file_of):
    assert "--node-ip=@@INTERNAL_IP@@" in file_of("/etc/sysconfig/kubelet", "nodes")


@pytest.mark.parametrize("component", ["kube-controller-manager", "kube-scheduler"])
def test_ports_of_components_stay_on_the_host(pod_of, component):
    assert arguments(pod_of(component, "control-plane"))["bind-address"] == "127.0.0.1"


@pytest.mark.parametrize(
    ("component", "option"),
    [
        ("kube-apiserver", "kubelet-certificate-authority"),
        ("kube-controller-manager", "bind-address"),
        ("kube-scheduler", "bind-address"),
    ],
)
def test_in_a_cloud_these_are_as_in_kops(pod_of, component, option):
    fields = {"networking.serviceClusterIPRange": "100.64.0.0/13"}
    assert option not in arguments(pod_of(component, "control-plane", fields, on_metal=False))


def test_only_root_reads_settings_of_the_kubelet_and_of_networks(config_of):
    config = config_of("nodes")
    assert items(config, "files", "path")["/var/lib/kubelet/kubelet.conf"]["mode"] == "0600"
    assert items(config, "directories", "path")["/etc/cni/net.d"]["mode"] == "0700"


def test_api_server_of_a_cloud_finds_its_own_address(pod_of):
    fields = {"networking.serviceClusterIPRange": "100.64.0.0/13"}
    pod = pod_of("kube-apiserver", "control-plane", fields, on_metal=False)
    assert "advertise-address" not in arguments(pod)
    assert pod["metadata"]["annotations"]["dns.alpha.kubernetes.io/external"] == "api.demo.example.com"


@pytest.mark.parametrize(
    ("fields", "kind", "port"),
    [
        ({}, "tcpSocket", 443),
        ({"kubeAPIServer.anonymousAuth": True, "kubeAPIServer.securePort": 8443}, "httpGet", 8443),
        ({"kubeAPIServer.insecurePort": 8080}, "httpGet", 8080),
    ],
)
def test_probes_do_not_ask_where_they_would_be_refused(pod_of, fields, kind, port):
    (container,) = pod_of("kube-apiserver", "control-plane", fields)["spec"]["containers"]
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert container[probe][kind]["port"] == port
    assert len(container["ports"]) == (2 if port == 8080 else 1)


def test_oidc_and_more_issuers(pod_of):
    fields = {
        "authentication": {
            "oidc": {"clientID": "id", "groupsClaims": ["a", "b"], "requiredClaims": {"y": "2", "x": "1"}}
        },
        "kubeAPIServer.additionalServiceAccountIssuers": ["https://old"],
    }
    (container,) = pod_of("kube-apiserver", "control-plane", fields)["spec"]["containers"]
    options = container["args"]
    assert {"--oidc-client-id=id", "--oidc-groups-claim=a,b"} <= set(options)
    assert options.index("--oidc-required-claim=x=1") + 1 == options.index("--oidc-required-claim=y=2")
    issuers = [option for option in options if option.startswith("--service-account-issuer")]
    assert issuers[-1] == "--service-account-issuer=https://old" == options[-1]


def test_audit_logs_are_rotated_in_a_directory(pod_of, config_of):
    fields = {
        "kubeAPIServer.auditLogPath": "/var/log/audit/log",
        "kubeAPIServer.auditPolicyFile": "/srv/kubernetes/audit/policy.yaml",
    }
    mounts = items(pod_of("kube-apiserver", "control-plane", fields)["spec"]["containers"][0], "volumeMounts", "name")
    assert mounts["auditlogpathdir"] == {"name": "auditlogpathdir", "mountPath": "/var/log/audit"}
    assert mounts["auditconfigdir"]["mountPath"] == "/srv/kubernetes/audit"
    directories = items(config_of("control-plane", fields), "directories", "path")
    assert directories["/var/log/audit"]["mode"] == "0700"
    to_stdout = pod_of("kube-apiserver", "control-plane", {"kubeAPIServer.auditLogPath": "-"})
    assert "auditlogpathdir" not in items(to_stdout["spec"]["containers"][0], "volumeMounts", "name")


def test_admission_control_of_old_counts_as_the_plugins_that_are_on(pod_of):
    fields = {"kubeAPIServer.admissionControl": ["A", "B"], "kubeAPIServer.admissionControlConfigFile": "/x"}
    found = arguments(pod_of("kube-apiserver", "control-plane", fields))
    assert (found["enable-admission-plugins"], found["admission-control-config-file"]) == ("A,B", "/x")
    assert "admission-control" not in found


def test_encryption_needs_its_secret_and_keeps_it_out_of_the_configuration(
    node_of, config_of, pod_of, replaced, stored
):
    fields = {"encryptionConfig": True}
    with pytest.raises(KopsError, match="no secret encryptionconfig"):
        node_secrets(node_of("control-plane", fields), replaced(stored, secrets={}), FACTS)
    config = config_of("control-plane", fields)
    assert "s3cret" not in str(config)
    path = "/srv/kubernetes/kube-apiserver/encryptionconfig.yaml"
    assert arguments(pod_of("kube-apiserver", "control-plane", fields))["encryption-provider-config"] == path
    assert items(config, "files", "path")[path]["reference"] == "secret/encryptionconfig"
    assert f"file:{path}" in items(config, "staticPods", "name")["kube-apiserver"]["restartOn"]
    assert node_secrets(node_of("control-plane", fields), stored, FACTS)["secret/encryptionconfig"] == "czNjcmV0"


def test_aws_authenticates_through_a_webhook(config_of, pod_of, node_of, stored):
    fields = {"authentication": {"aws": {}}}
    config = config_of("control-plane", fields)
    assert config["users"][0]["uid"] == 10000
    key = items(config, "files", "path")["/srv/kubernetes/aws-iam-authenticator/key.pem"]
    assert (key["owner"], key["mode"]) == ("aws-iam-authenticator", "0600")
    found = arguments(pod_of("kube-apiserver", "control-plane", fields))
    assert found["authentication-token-webhook-config-file"] == "/etc/kubernetes/authn.config"
    reference = items(config, "files", "path")["/etc/kubernetes/authn.config"]["reference"]
    secrets = node_secrets(node_of("control-plane", fields), stored, FACTS)
    webhook = yaml.safe_load(base64.b64decode(secrets[reference]))
    assert webhook["clusters"][0]["cluster"]["server"] == "https://127.0.0.1:21362/authenticate"


def test_environment_of_the_egress_proxy(pod_of):
    fields = {"networking.egressProxy": {"httpProxy": {"host": "proxy", "port": 3128}, "excludes": "a,b"}}
    for name in ("kube-apiserver", "kube-controller-manager", "kube-scheduler"):
        (container,) = pod_of(name, "control-plane", fields)["spec"]["containers"]
        assert {"name": "https_proxy", "value": "http://proxy:3128"} in container["env"]


# -- the others -----------------------------------------------------------------------------------------------------


def test_controller_manager_signs_with_the_authority(pod_of, config_of):
    found = arguments(pod_of("kube-controller-manager", "control-plane"))
    directory = "/srv/kubernetes/kube-controller-manager"
    assert found["cluster-signing-key-file"] == f"{directory}/ca.key"
    assert found["service-account-private-key-file"] == f"{directory}/service-account.key"
    assert found["root-ca-file"] == "/srv/kubernetes/ca.crt"
    assert found["flex-volume-plugin-dir"] == "/usr/libexec/kubernetes/kubelet-plugins/volume/exec/"
    assert items(config_of("control-plane"), "files", "path")[f"{directory}/ca.key"]["mode"] == "0600"


@pytest.mark.parametrize("role", ["Node", "APIServer"])
def test_only_control_planes_get_the_key_of_the_authority(config_of, node_of, role, stored):
    config = config_of("others", spec={"role": role})
    assert not any("ca.key" in item["path"] for item in config["files"])
    assert "key/kubernetes-ca" not in node_secrets(node_of("others", spec={"role": role}), stored, FACTS)


def test_scheduler_is_configured_by_the_clusters_own_object(file_of, pod_of):
    given = AdditionalObject(
        {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "metadata": {"name": "x"},
            "profiles": [{"schedulerName": "mine"}],
            "clientConnection": {"contentType": "application/json"},
        }
    )
    fields = {"kubeScheduler": {"qps": "3.1", "burst": 100, "maxPersistentVolumes": 7}}
    path = "/var/lib/kube-scheduler/config.yaml"
    config = yaml.safe_load(file_of(path, "control-plane", fields, additional_objects=[given]))
    assert config["profiles"] == [{"schedulerName": "mine"}]
    assert config["clientConnection"] == {
        "burst": 100,
        "contentType": "application/json",
        "kubeconfig": "/var/lib/kube-scheduler/kubeconfig",
        "qps": 3.1,
    }
    assert "metadata" not in config
    (container,) = pod_of("kube-scheduler", "control-plane", fields)["spec"]["containers"]
    assert container["env"] == [{"name": "KUBE_MAX_PD_VOLS", "value": "7"}]
    with pytest.raises(KopsError, match="at most one"):
        file_of(path, "control-plane", additional_objects=[given, given])


@pytest.mark.parametrize("wanted", [False, True])
def test_nobody_is_shown_profiles_who_has_not_asked_for_them(pod_of, file_of, wanted):
    names = ("kubeAPIServer", "kubeControllerManager", "kubeScheduler")
    fields = {f"{name}.enableProfiling": True for name in names} if wanted else {}
    for name in ("kube-apiserver", "kube-controller-manager"):
        assert arguments(pod_of(name, "control-plane", fields))["profiling"] == str(wanted).lower()
    # There the option of the command line counts for nothing.
    scheduler = yaml.safe_load(file_of("/var/lib/kube-scheduler/config.yaml", "control-plane", fields))
    assert scheduler["enableProfiling"] is wanted
    kubelet = yaml.safe_load(file_of("/var/lib/kubelet/kubelet.conf", "control-plane", fields))
    assert kubelet["enableProfilingHandler"] is False


def test_selinux_lets_pods_read_what_they_mount(pod_of):
    pod = pod_of("kube-scheduler", "control-plane", spec={"containerd": {"selinuxEnabled": True}})
    assert pod["spec"]["securityContext"] == {"seLinuxOptions": {"type": "spc_t", "level": "s0"}}


def test_images_are_of_the_architecture(pod_of):
    fields = {"kubeScheduler": {"image": "registry/kube-scheduler-amd64:v1"}}
    pod = pod_of("kube-scheduler", "control-plane", fields, architecture="arm64")
    assert pod["spec"]["containers"][0]["image"] == "registry/kube-scheduler-arm64:v1"


# -- etcd -----------------------------------------------------------------------------------------------------------


def test_members_are_bound_to_their_name_and_directory(pod_of, config_of):
    pod = pod_of("etcd-main", "control-plane")
    found = arguments(pod)
    directory = "/mnt/disks/demo.example.com--main--@@ETCD_MAIN_MEMBER@@"
    assert found["name"] == "@@ETCD_MAIN_MEMBER@@"
    assert found["data-dir"] == f"{directory}/data"
    assert found["initial-advertise-peer-urls"] == "https://@@INTERNAL_IP@@:2380"
    assert found["advertise-client-urls"] == "https://@@INTERNAL_IP@@:4001"
    assert found["initial-cluster"] == "@@ETCD_MAIN_INITIAL_CLUSTER@@"
    assert found["initial-cluster-state"] == "@@ETCD_MAIN_INITIAL_STATE@@"
    data = next(volume for volume in pod["spec"]["volumes"] if volume["name"] == "data")
    assert data["hostPath"] == {"path": directory, "type": "Directory"}
    config = config_of("control-plane")
    assert items(config, "directories", "path")[directory]["mode"] == "0700"
    assert {"ETCD_MAIN_MEMBER", "ETCD_EVENTS_INITIAL_STATE"} <= set(config["facts"])


@pytest.mark.parametrize(
    ("name", "client", "peer", "health"), [("main", 4001, 2380, 2390), ("events", 4002, 2381, 2391)]
)
def test_etcd_asks_for_certificates_on_every_port_that_others_reach(pod_of, name, client, peer, health):
    found = arguments(pod_of(f"etcd-{name}", "control-plane"))
    assert (found["client-cert-auth"], found["peer-client-cert-auth"]) == ("true", "true")
    assert found["listen-client-urls"] == f"https://0.0.0.0:{client}"
    assert found["listen-peer-urls"] == f"https://0.0.0.0:{peer}"
    assert found["listen-metrics-urls"] == f"http://127.0.0.1:{health}"


@pytest.mark.parametrize(("etcd", "prefix", "port"), [("main", "etcd", 2380), ("events", "etcd-events", 2381)])
def test_etcd_in_a_cloud_has_the_name_that_etcd_manager_gives_it(pod_of, etcd, prefix, port):
    fields = {"networking.serviceClusterIPRange": "100.64.0.0/13"}
    found = arguments(pod_of(f"etcd-{etcd}", "control-plane", fields, on_metal=False))
    name = f"{prefix}-@@ETCD_{etcd.upper()}_MEMBER@@"
    assert found["name"] == name
    assert found["initial-advertise-peer-urls"] == f"https://{name}.internal.demo.example.com:{port}"
    assert found["advertise-client-urls"] == f"https://{name}.internal.demo.example.com:{port + 1621}"


def test_what_has_happened_to_etcd_is_written_beside_its_backups(config_of):
    fields = {"networking.serviceClusterIPRange": "100.64.0.0/13"}
    config = config_of("control-plane", fields, on_metal=False)
    assert set(config["etcdControl"]) == {"main", "events"}
    assert config["etcdControl"]["main"].endswith("/backups/etcd/main/control")
    for group, on_metal in (("control-plane", True), ("nodes", False)):
        assert "etcdControl" not in config_of(group, {} if on_metal else fields, on_metal=on_metal)


def test_etcd_in_a_cloud_has_a_disk(config_of):
    config = config_of("control-plane", {"networking.serviceClusterIPRange": "100.64.0.0/13"}, on_metal=False)
    volumes = items(config, "volumes", "name")
    assert volumes["etcd-main"]["device"] == "@@ETCD_MAIN_DEVICE@@"
    assert volumes["etcd-main"]["mount"].startswith("/mnt/disks/")


def test_etcd_as_the_specification_has_it(pod_of, node_of):
    etcd = {
        "name": "main",
        "version": "3.5.21",
        "image": "registry.example.com/etcd:mine",
        "heartbeatInterval": "500ms",
        "leaderElectionTimeout": "5s",
        "memoryRequest": "1Gi",
        "etcdMembers": [{"name": "a", "instanceGroup": "control-plane"}],
        "manager": {
            "env": [{"name": "ETCD_QUOTA_BACKEND_BYTES", "value": "1"}, {"name": "ETCD_MANAGER_X", "value": "2"}],
            "listenMetricsURLs": ["http://0.0.0.0:8081"],
        },
    }
    pod = pod_of("etcd-main", "control-plane", {"etcdClusters": [etcd]})
    (container,) = pod["spec"]["containers"]
    found = arguments(pod)
    assert (found["heartbeat-interval"], found["election-timeout"]) == ("500", "5000")
    assert found["listen-metrics-urls"] == "http://127.0.0.1:2390,http://0.0.0.0:8081"
    assert container["env"] == [{"name": "ETCD_QUOTA_BACKEND_BYTES", "value": "1"}]
    assert container["resources"]["requests"] == {"cpu": "200m", "memory": "1Gi"}
    assert container["image"] == "registry.example.com/etcd:mine"


def test_only_groups_with_members_run_etcd(config_of):
    pods = [pod["name"] for pod in config_of("other", spec={"role": "ControlPlane"})["staticPods"]]
    assert not [name for name in pods if name.startswith("etcd")]


# -- health ---------------------------------------------------------------------------------------------------------


def test_every_part_of_a_control_plane_is_waited_for(config_of):
    checks = items(config_of("control-plane"), "checks", "name")
    assert list(checks) == [
        *("containerd.service", "kubelet.service", "kubelet", "etcd-main", "etcd-events"),
        *("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"),
    ]
    server = checks["kube-apiserver"]
    assert (server["target"], server["ca"]) == ("https://127.0.0.1:443/readyz", "/srv/kubernetes/ca.crt")
    assert server["clientKey"] == "/srv/kubernetes/kube-apiserver/kubelet-api.key"
    assert list(items(config_of(), "checks", "name")) == [
        "containerd.service",
        "kubelet.service",
        "kubelet",
        "kube-proxy",
    ]


@pytest.mark.parametrize("pod", ["kube-apiserver", "kube-controller-manager"])
def test_what_knows_the_cas_only_from_its_start_starts_anew_for_them(config_of, pod):
    """The pod of each mounts the file itself: a file that replaces it is not seen."""
    assert "file:/srv/kubernetes/ca.crt" in items(config_of("control-plane"), "staticPods", "name")[pod]["restartOn"]
