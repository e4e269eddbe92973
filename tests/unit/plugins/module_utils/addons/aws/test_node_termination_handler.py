# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The node termination handler where no case of kops has it."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.aws.node_termination_handler import ADDON

from .conftest import Make

HANDLER = "spec.cloudProvider.aws.nodeTerminationHandler"
ON = {f"{HANDLER}.enabled": True, f"{HANDLER}.version": "v1.25.5"}


def container(workload: dict[str, Any]) -> dict[str, Any]:
    return workload["spec"]["template"]["spec"]["containers"][0]


def environment(workload: dict[str, Any]) -> dict[str, str]:
    return {each["name"]: each["value"] for each in container(workload)["env"] if "value" in each}


@pytest.mark.parametrize(("queue", "kind"), [(True, "Deployment"), (False, "DaemonSet")])
def test_a_webhook_is_told_in_both_forms(make: Make, queue: bool, kind: str) -> None:
    values = {
        **ON,
        f"{HANDLER}.enableSQSTerminationDraining": queue,
        f"{HANDLER}.webhookURL": "https://hooks.example.com/x",
        f"{HANDLER}.webhookTemplate": '{"text":"{{ .NodeName }}"}',
    }
    found = environment(make(ADDON, values)[f"{kind} aws-node-termination-handler"])
    assert found["WEBHOOK_URL"] == "https://hooks.example.com/x"
    assert found["WEBHOOK_TEMPLATE"] == '{"text":"{{ .NodeName }}"}'


def test_queues_in_china_have_another_domain(make: Make) -> None:
    deployment = make(ADDON, ON, region="cn-north-1")["Deployment aws-node-termination-handler"]
    queue = "https://sqs.cn-north-1.amazonaws.com.cn/123456789012/demo-example-com-nth"
    assert environment(deployment)["QUEUE_URL"] == queue


def test_memory_is_limited_if_the_specification_says_so(make: Make) -> None:
    values = {**ON, f"{HANDLER}.memoryLimit": "128Mi", f"{HANDLER}.cpuRequest": "1"}
    resources = container(make(ADDON, values)["Deployment aws-node-termination-handler"])["resources"]
    assert resources["limits"] == {"memory": "128Mi"}
    assert resources["requests"]["cpu"] == 1, "a number, as in kops"


def test_where_containerd_labels_containers_it_may_read_the_host(make: Make) -> None:
    values = {**ON, f"{HANDLER}.enableSQSTerminationDraining": False, "spec.containerd.selinuxEnabled": True}
    security = container(make(ADDON, values)["DaemonSet aws-node-termination-handler"])["securityContext"]
    assert security["seLinuxOptions"] == {"type": "spc_t", "level": "s0"}
