# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A program is restarted when a file changes that it reads at its start, without anyone having listed the file."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.restarts import named_by_unit, read_by_pod

SRV = "/srv/kubernetes/kube-apiserver"


def reasons(config, kind, name):
    """Those of every item of the name; there are several of some, for different distributions."""
    found = [each.get("restartOn", []) for each in config[kind] if each["name"] == name]
    assert found
    return [reason.removeprefix("file:") for reason in dict.fromkeys(sum(found, []))]


@pytest.mark.parametrize(
    ("option", "path"),
    [
        ("auditPolicyFile", f"{SRV}/policy.yaml"),
        ("auditPolicyFile", "/etc/kubernetes/audit/policy.yaml"),
        ("auditWebhookConfigFile", f"{SRV}/audit-webhook.yaml"),
        ("admissionControlConfigFile", f"{SRV}/admission/config.yaml"),
        ("authenticationConfigFile", f"{SRV}/authentication.yaml"),
        ("authorizationWebhookConfigFile", f"{SRV}/authorization.yaml"),
        ("enableProfiling", "/etc/ssl/certs/our-company.pem"),
    ],
)
def test_files_of_the_user_restart_the_api_server(config_of, option, path):
    """The last row: the certificates that distributions trust, which are mounted for every API server."""
    value = True if option == "enableProfiling" else path
    fields = {f"kubeAPIServer.{option}": value, "fileAssets": [{"name": "given", "path": path, "content": "a: 1"}]}
    assert path in reasons(config_of("control-plane", fields), "staticPods", "kube-apiserver")
    assert path not in reasons(config_of("control-plane"), "staticPods", "kube-apiserver")


def test_every_file_below_a_mount_restarts_its_pod_except_certificates(config_of):
    """Kubernetes and etcd load these again; kubeconfigs, keys that sign and authorities they do not."""
    config = config_of("control-plane", {"encryptionConfig": True, "authentication": {"aws": {}}})
    assert set(reasons(config, "staticPods", "kube-apiserver")) == {
        *(f"{SRV}/{name}" for name in ("encryptionconfig.yaml", "service-account.pub", "service-account.key")),
        *(f"{SRV}/{name}" for name in ("etcd-ca.crt", "apiserver-aggregator-ca.crt")),
        *("/srv/kubernetes/ca.crt", "/etc/kubernetes/authn.config"),
    }
    assert set(reasons(config, "staticPods", "kube-controller-manager")) == {
        *(f"/srv/kubernetes/kube-controller-manager/{name}" for name in ("ca.crt", "ca.key", "service-account.key")),
        *("/srv/kubernetes/ca.crt", "/var/lib/kube-controller-manager/kubeconfig"),
    }
    assert set(reasons(config, "staticPods", "kube-scheduler")) == {
        "/var/lib/kube-scheduler/kubeconfig",
        "/var/lib/kube-scheduler/config.yaml",
    }
    assert reasons(config, "staticPods", "kube-proxy") == ["/var/lib/kube-proxy/kubeconfig"]
    pki = "/etc/kubernetes/pki/etcd-main"
    assert reasons(config, "staticPods", "etcd-main") == [f"{pki}/clients-ca.crt", f"{pki}/peers-ca.crt"]


def test_a_file_that_is_mounted_by_itself_is_never_loaded_again():
    pod = {
        "spec": {
            "containers": [
                {
                    "volumeMounts": [
                        {"name": "one", "mountPath": "/x", "readOnly": True},
                        {"name": "all", "mountPath": "/y", "readOnly": True},
                        {"name": "log", "mountPath": "/z"},
                    ]
                }
            ],
            "volumes": [
                {"name": "one", "hostPath": {"path": "/a/one"}},
                {"name": "all", "hostPath": {"path": "/b"}},
                {"name": "log", "hostPath": {"path": "/c"}},
            ],
        }
    }
    files = ["/a/one", "/a/two", "/b/deep/file", "/b/tls.crt", "/bc", "/c/log"]
    assert read_by_pod(pod, files, reloaded=["/a/one", "/b/tls.crt"]) == ["/a/one", "/b/deep/file"]


def test_units_are_restarted_by_the_files_that_they_name(config_of):
    hook = {"name": "setup", "manifest": "Type=oneshot\nExecStart=/bin/sh /srv/kubernetes/assets/setup.sh --now\n"}
    assets = [{"name": name, "content": "x"} for name in ("setup.sh", "setup.sh.old", "setup")]
    config = config_of("nodes", {"hooks": [hook], "fileAssets": assets})
    assert reasons(config, "units", "setup.service") == ["/srv/kubernetes/assets/setup.sh"]
    assert "/etc/sysconfig/containerd" in reasons(config, "units", "containerd.service")
    assert "/etc/containerd/config.toml" in reasons(config, "units", "containerd.service")
    assert "/etc/sysconfig/kubelet" in reasons(config, "units", "kubelet.service")


def test_a_kubelet_is_restarted_quietly_for_its_certificates_alone(config_of):
    (kubelet,) = (unit for unit in config_of("nodes")["units"] if unit["name"] == "kubelet.service")
    quiet = {path.rpartition("/")[2] for path in kubelet["quietRestartOn"]}
    assert quiet == {"kubeconfig", "kubelet-server.crt", "kubelet-server.key"}
    assert set(kubelet["quietRestartOn"]) < set(kubelet["restartOn"])


def test_paths_in_units_are_whole_ones():
    assert named_by_unit('EnvironmentFile=-/etc/a\nExecStart=/bin/x "/etc/b" /etc/c/d', ["/etc/a", "/etc/b"]) == [
        "/etc/a",
        "/etc/b",
    ]
    assert named_by_unit("ExecStart=/etc/c/d /etc/e.conf", ["/etc/c", "/etc/e", "/etc/c/d"]) == ["/etc/c/d"]
