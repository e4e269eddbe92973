# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Command lines: what kops' own tests say of its flags."""

from __future__ import annotations

import dataclasses

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import (
    components,
    containerd,
    kube_apiserver,
    kube_controller_manager,
    kubelet,
)
from ansible_collections.kubeops.kops.plugins.module_utils.api.flag_table import ALWAYS, DEFAULTS, FLAGS, REPEATED
from ansible_collections.kubeops.kops.plugins.module_utils.api.flags import option_text, options
from ansible_collections.kubeops.kops.plugins.module_utils.api.scalars import Duration, Quantity

APIServer = kube_apiserver.KubeAPIServerConfig
ControllerManager = kube_controller_manager.KubeControllerManagerConfig
LeaderElection = kube_controller_manager.LeaderElectionConfiguration
Kubelet = kubelet.KubeletConfigSpec
CLASSES = {
    name: cls
    for module in (components, containerd, kube_apiserver, kube_controller_manager, kubelet)
    for name, cls in vars(module).items()
    if name in FLAGS
}


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (APIServer(), "--secure-port=0"),
        (APIServer(secure_port=443), "--secure-port=443"),
        (APIServer(max_requests_inflight=1000), "--max-requests-inflight=1000 --secure-port=0"),
        (APIServer(max_mutating_requests_inflight=0), "--secure-port=0"),
        (APIServer(watch_cache=False), "--secure-port=0 --watch-cache=false"),
        (APIServer(watch_cache_sizes=["secrets#0", "pods#0"]), "--secure-port=0 --watch-cache-sizes=secrets#0,pods#0"),
        (APIServer(enable_profiling=False), "--profiling=false --secure-port=0"),
        (APIServer(log_level=0, log_format="text"), "--secure-port=0"),
        (APIServer(log_level=3, log_format="json"), "--logging-format=json --secure-port=0 --v=3"),
        (
            APIServer(service_account_key_file=["/b", "/a"]),
            "--secure-port=0 --service-account-key-file=/a --service-account-key-file=/b",
        ),
        (APIServer(runtime_config={"b": "false", "a": "true"}), "--runtime-config=a=true,b=false --secure-port=0"),
        (
            APIServer(audit_webhook_batch_throttle_qps=Quantity.parse("3.14")),
            "--audit-webhook-batch-throttle-qps=3.14 --secure-port=0",
        ),
        (ControllerManager(), ""),
        (ControllerManager(terminated_pod_gc_threshold=1500), "--terminated-pod-gc-threshold=1500"),
        (ControllerManager(kube_api_qps=Quantity.parse("42")), "--kube-api-qps=42"),
        (
            ControllerManager(attach_detach_reconcile_sync_period=Duration.parse("1m")),
            "--attach-detach-reconcile-sync-period=1m0s",
        ),
        (ControllerManager(leader_election=LeaderElection(leader_elect=False)), "--leader-elect=false"),
        (components.KubeSchedulerConfig(), "--v=0"),
        (components.KubeProxyConfig(), "--v=0"),
        (
            containerd.ContainerdConfig(log_level="info", address="/run/c.sock", version="2.1.0"),
            "--address=/run/c.sock --log-level=info",
        ),
        (Kubelet(log_level=0), ""),
        (Kubelet(log_level=2, cloud_provider=""), "--v=2"),
        (Kubelet(image_maximum_gc_age=Duration.parse("30h"), max_pods=20), ""),
        (Kubelet(node_labels={"b": "2", "a": ""}), "--node-labels=a=,b=2"),
    ],
)
def test_options(config, expected):
    assert " ".join(options(config)) == expected


def test_values_with_quotes_are_quoted_in_a_line_only():
    config = Kubelet(root_dir='/a "b"')
    assert options(config) == ['--root-dir=/a "b"']
    assert option_text(config) == '--root-dir="/a \\"b\\""'


def test_every_entry_of_the_table_is_a_field():
    assert FLAGS.keys() == CLASSES.keys()
    names = {name: {declared.name for declared in dataclasses.fields(cls)} for name, cls in CLASSES.items()}
    for name, flags in FLAGS.items():
        assert flags.keys() <= names[name]
    assert all(attribute in FLAGS[owner] for owner, attribute in ALWAYS)
    everything = set().union(*(flags.keys() for flags in FLAGS.values()))
    assert {*REPEATED, *DEFAULTS} <= everything
