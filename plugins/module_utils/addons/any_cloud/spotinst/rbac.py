# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Spotinst's controller may do in the cluster, by what it does."""

from __future__ import annotations

from ...objects.rbac import rule, url_rule

_READ = "get list watch"
_WRITE = "get list patch update create delete"
_CERTIFICATES = "certificates.k8s.io"
_SIGNERS = "kubernetes.io/kubelet-serving kubernetes.io/kube-apiserver-client-kubelet"

_LOOK = (
    rule(
        "",
        "pods nodes services namespaces replicationcontrollers limitranges events persistentvolumes"
        " persistentvolumeclaims",
        _READ,
    ),
    rule("apps", "deployments daemonsets statefulsets replicasets", _READ),
    rule("storage.k8s.io", "storageclasses", _READ),
    rule("batch", "jobs cronjobs", _READ),
    rule("policy", "poddisruptionbudgets", _READ),
    rule("metrics.k8s.io", "pods", _READ),
    rule("autoscaling", "horizontalpodautoscalers", _READ),
    rule("autoscaling.k8s.io", "verticalpodautoscalers", _READ),
    rule("apiextensions.k8s.io", "customresourcedefinitions", _READ),
    rule("node.k8s.io", "runtimeclasses", _READ),
    url_rule("/version/ /version", "get"),
)
_REMOVE_NODES = (
    rule("", "nodes", "patch update"),
    rule("", "pods", "delete"),
    rule("", "pods/eviction", "create"),
    rule("", "nodes", "delete"),
)
_APPROVE_KUBELETS = (
    rule(_CERTIFICATES, "certificatesigningrequests", "get list delete create watch"),
    rule(_CERTIFICATES, "certificatesigningrequests/approval", "patch update"),
    rule(_CERTIFICATES, "signers", "approve", _SIGNERS),
)
_APPLY = (
    rule("apps", "deployments daemonsets", _WRITE),
    rule("", "pods", _WRITE),
    rule("batch", "jobs", _WRITE),
)
_RUN_SPARK = (
    rule(
        "sparkoperator.k8s.io",
        "sparkapplications scheduledsparkapplications",
        f"{_READ} patch update create delete",
    ),
    rule("wave.spot.io", "sparkapplications wavecomponents waveenvironments", _READ),
    rule("bigdata.spot.io", "bigdataenvironments", f"{_READ} patch update create delete"),
)
_SIZE_PODS = (
    rule(
        "autoscaling.k8s.io",
        "verticalpodautoscalers verticalpodautoscalers/status",
        f"{_READ} patch update create delete",
    ),
)
_LEAD_AND_REPORT = (
    rule("coordination.k8s.io", "leases", _WRITE),
    rule("", "events", "create"),
)
RULES = (
    *_LOOK,
    *_REMOVE_NODES,
    *_APPROVE_KUBELETS,
    *_APPLY,
    *_RUN_SPARK,
    *_SIZE_PODS,
    *_LEAD_AND_REPORT,
)
