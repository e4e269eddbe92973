# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""By what bootstrap servers know workers, and what instances of all roles are told, as their programs read it."""

from __future__ import annotations

import json
import re

from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import GCE
from ansible_collections.kubeops.kops.plugins.module_utils.api.terraform_providers import PROVIDERS
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.terraform import VALUES, TerraformTarget
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.settings import BootstrapServerSettings
from ansible_collections.kubeops.kops.plugins.module_utils.node import boot_file
from ansible_collections.kubeops.kops.plugins.module_utils.node.clouds import verifier
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.verification import GoogleVerifier

INTERNAL = {"api.loadBalancer": {"type": "Internal"}, "networking.topology": {"dns": "None"}}
ACCOUNT = "node-demo-example-com@my-project.iam.gserviceaccount.com"


def node_config(tasks, group="control-plane"):
    found = [task for key, task in tasks.items() if key.startswith(f"ContentAddressedFile/nodeconfig-{group}")]
    return json.loads(found[0].data)


def settings(tasks):
    files = {file["path"]: file for file in node_config(tasks)["files"]}
    return BootstrapServerSettings(**json.loads(files[BootstrapServerSettings.FILE]["content"]))


def user_data(tasks, group):
    templates = {task.name: task for task in tasks.values() if task.kind == "InstanceTemplate"}
    return templates[f"{group}-demo-example-com"].metadata["user-data"]


def boot(tasks, group, tmp_path):
    """What the instance's program reads of the user data."""
    text = str(user_data(tasks, group)).partition("<< '__EOF_BOOT'\n")[2].partition("\n__EOF_BOOT")[0]
    (tmp_path / group).write_text(text)
    return boot_file.read(str(tmp_path / group))


def test_workers_are_known_by_their_account(model):
    found = settings(model())
    assert found.workers == {"accounts": [ACCOUNT]}
    # The program of the same update takes what its NodeConfig says.
    known = verifier(found.cloud, found.cluster, found.workers, named_by_address=found.named_by_address)
    assert isinstance(known, GoogleVerifier)
    assert known.accounts == {ACCOUNT}


def test_an_account_of_a_user(model):
    account = "mine@other-project.iam.gserviceaccount.com"
    found = settings(model({"cloudProvider": {"gce": {"project": "my-project", "serviceAccount": account}}}))
    assert found.workers == {"accounts": [account]}


def test_another_group_of_workers_needs_no_new_control_planes(model):
    before = node_config(model())
    tasks = model(groups={"others": {"role": "Node"}})
    assert any(key.startswith("ContentAddressedFile/nodeconfig-others") for key in tasks)
    assert node_config(tasks) == before


def test_control_planes_read_the_store_and_workers_ask_servers(model, tmp_path):
    tasks = model()
    server, worker = boot(tasks, "control-plane", tmp_path), boot(tasks, "nodes", tmp_path)
    assert (server.cloud, server.store, server.servers) == ("gce", "gs://store/demo.example.com", None)
    assert (worker.store, worker.servers["addresses"]) == ("", ["kops-controller.internal.demo.example.com"])
    assert worker.certificates == ("kube-proxy", "kubelet", "kubelet-server")
    for group in ("control-plane", "nodes"):
        text = str(user_data(tasks, group))
        assert "/opt/kubeops/load" in text
        assert len(text) < 20000
        assert "PRIVATE KEY" not in text


def test_without_dns_workers_are_told_the_address_of_the_load_balancer(model, of_kind, tmp_path):
    tasks = model(INTERNAL)
    (address,) = of_kind(tasks, "Address").values()
    assert address in user_data(tasks, "nodes").needs
    assert address not in user_data(tasks, "control-plane").needs
    address.ip_address = "10.0.16.9"
    found = boot(tasks, "nodes", tmp_path).servers
    assert found["addresses"] == ["10.0.16.9"]
    assert found["hostNames"] == ["api.internal.demo.example.com", "kops-controller.internal.demo.example.com"]


def test_terraform_puts_the_addresses_in(model, of_kind, tmp_path):
    subnets = [
        {"name": name, "region": "us-east1", "type": "Private", "cidr": f"10.0.{number}.0/24"}
        for number, name in enumerate(["us-east1", "other-one"])
    ]
    tasks = model(
        {**INTERNAL, "networking.subnets": subnets},
        {
            "front": {"role": "APIServer", "subnets": ["other-one"]},
        },
        target=VALUES,
    )
    found = boot(tasks, "nodes", tmp_path).servers["addresses"]
    assert found == [VALUES.mark(f"bootstrap_server_address_{name}") for name in ("us_east1", "other_one")]
    locals_ = {task.local_name for task in of_kind(tasks, "Address").values()}
    assert {VALUES.mark(each) for each in locals_ if each} == {*found}
    objects = [task for task in tasks.values() if task.kind in ("Address", "InstanceTemplate")]
    text = TerraformTarget(PROVIDERS[GCE], {"project": "my-project"}).render(objects)["kubernetes.tf"].decode()
    link = "google_compute_address.api-us-east1-demo-example-com.address"
    assert re.search(rf"bootstrap_server_address_us_east1 += \[{link}\]", text)
    # In the user data of workers only.
    assert text.count('join(",", local.bootstrap_server_address_us_east1)') == 1


def test_control_planes_come_after_the_disks_by_which_they_count_members(model, of_kind):
    tasks = model()
    disks = [task for task in tasks.values() if task.kind == "Disk"]
    assert len(disks) == 2
    needed = {kind: user_data(tasks, kind).needs for kind in ("control-plane", "nodes")}
    assert [disk in needed["control-plane"] for disk in disks] == [True, True]
    assert not any(disk in needed["nodes"] for disk in disks)


def test_controllers_are_told_the_labels_of_groups(model):
    (file,) = (task for task in model().values() if task.key == "ManagedFile/controllers")
    said = json.loads(file.contents)
    assert said["labels"]["nodes"]["node-role.kubernetes.io/node"] == ""
