# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a hardened cluster's specification says, and that nothing else does."""

from __future__ import annotations

import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.completion.settings import Settings
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.read import read_options
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.specification import new_cluster
from ansible_collections.kubeops.kops.tests.support.create import BASE, Facts

# What the API server mounts of the host.
MOUNTED = "/srv/kubernetes/kube-apiserver/"


def specification(**options):
    settings = Settings()
    new = new_cluster(
        read_options({**BASE, **options}, settings.feature_flags), facts=Facts(), settings=settings, settled=None
    )
    return manifest.to_data(new.cluster)["spec"]


def test_it_is_the_users_choice():
    plain = specification()
    assert plain == specification(hardened=False)
    assert not {"fileAssets", "kubeAPIServer", "kubeControllerManager"} & plain.keys()


def test_the_specification_says_all_of_it():
    plain, hardened = specification(), specification(hardened=True)
    assert {key for key in hardened if hardened[key] != plain.get(key)} == {
        "encryptionConfig",
        "fileAssets",
        "kubeAPIServer",
        "kubeControllerManager",
        "kubelet",
    }
    server = hardened["kubeAPIServer"]
    assert (server["auditLogMaxAge"], server["auditLogMaxBackups"], server["auditLogMaxSize"]) == (30, 10, 100)
    assert server["auditLogPath"] == "/var/log/kube-audit/audit.log"
    assert hardened["kubeControllerManager"]["terminatedPodGCThreshold"] == 1000
    assert hardened["kubelet"]["seccompDefault"]
    assert hardened["kubelet"]["anonymousAuth"] is False
    assert hardened["kubelet"]["podPidsLimit"] == 4096
    assert server["appendAdmissionPlugins"] == ["DenyServiceExternalIPs"]
    suites = server["tlsCipherSuites"]
    assert hardened["kubelet"]["tlsCipherSuites"] == suites
    # HTTP/2 needs it.
    assert "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256" in suites
    assert not [suite for suite in suites if "CBC" in suite or "ECDHE" not in suite]


def test_files_are_where_the_api_server_reads_them():
    hardened = specification(hardened=True)
    files = {each["path"]: each for each in hardened["fileAssets"]}
    server = hardened["kubeAPIServer"]
    assert set(files) == {server["auditPolicyFile"], server["admissionControlConfigFile"]}
    assert all(path.startswith(MOUNTED) for path in files)
    assert {each["mode"] for each in files.values()} == {"0600"}
    assert yaml.safe_load(files[server["auditPolicyFile"]]["content"])["kind"] == "Policy"
    (plugin,) = yaml.safe_load(files[server["admissionControlConfigFile"]]["content"])["plugins"]
    assert plugin["name"] == "PodSecurity"
    assert plugin["configuration"]["defaults"]["enforce"] == "baseline"
    assert "kube-system" in plugin["configuration"]["exemptions"]["namespaces"]


def test_secrets_are_not_in_the_audit_log():
    hardened = specification(hardened=True)
    policy = yaml.safe_load(next(each for each in hardened["fileAssets"] if each["name"] == "audit-policy")["content"])
    first = next(
        rule["level"]
        for rule in policy["rules"]
        for group in rule.get("resources", ())
        if group["group"] == "" and "secrets" in group.get("resources", ())
    )
    assert first == "Metadata"
    # Nothing before it, without resources, would say more.
    levels = [rule["level"] for rule in policy["rules"]]
    assert levels.index("Request") == len(levels) - 1


def test_fields_that_are_set_by_hand_come_last():
    hardened = specification(hardened=True, set=["spec.kubeAPIServer.auditLogMaxAge=90"])
    assert hardened["kubeAPIServer"]["auditLogMaxAge"] == 90


def test_feature_gates_stay():
    hardened = specification(hardened=True, kubernetes_feature_gates=["AllAlpha"])
    assert hardened["kubeAPIServer"]["featureGates"] == {"AllAlpha": "true"}
