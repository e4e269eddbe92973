# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""User data: who the instance is, and nothing that must stay secret."""

from __future__ import annotations

import base64
import bz2
import email
import gzip
import hashlib
import json
import shutil
import subprocess
import sys

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.terraform import VALUES
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.server_credentials import (
    NONCE_PLACEHOLDER,
    NONCE_VARIABLE,
    for_server,
)
from ansible_collections.kubeops.kops.plugins.module_utils.model.aws.builders import build


def user_data(tasks, name="nodes.demo.example.com"):
    text = tasks[f"LaunchTemplate/{name}"].user_data
    return None if text is None else str(text)


def boot_of(script):
    return json.loads(script.partition("<< '__EOF_BOOT'\n")[2].partition("\n__EOF_BOOT")[0])


def named(file):
    return {"location": file.location, "sha256": hashlib.sha256(file.data).hexdigest()}


def loader_of(script):
    packed = script.partition("<< '__EOF_LOADER'\n")[2].partition("\n__EOF_LOADER")[0]
    return bz2.decompress(base64.b64decode(packed)).decode()


def test_a_worker_is_told_of_servers_and_nothing_of_the_store(model):
    tasks = model(trusted_authorities=lambda: "PEM\n", key_pairs=lambda _keyset: ["2", "1"])
    boot = boot_of(user_data(tasks))
    assert boot == {
        "cloud": "aws",
        "cluster": "demo.example.com",
        "instanceGroup": "nodes",
        "role": "Node",
        "nodeConfigs": {"amd64": named(tasks["ContentAddressedFile/nodeconfig-nodes-amd64"])},
        "program": named(tasks["ContentAddressedFile/node-program"]),
        "certificates": ["kube-proxy", "kubelet", "kubelet-server"],
        "keysets": {"kubernetes-ca": ["2", "1"]},
        "servers": {
            "addresses": ["kops-controller.internal.demo.example.com"],
            "name": "kops-controller.internal.demo.example.com",
            "port": 3988,
            "ca": "PEM\n",
        },
    }
    assert "s3" not in loader_of(user_data(tasks))


def test_instances_are_told_how_nodes_are_named(model):
    tasks = model({"cloudProvider.aws.useIPBasedNodeNames": True})
    for name in ("nodes", "control-plane.masters"):
        assert boot_of(user_data(tasks, f"{name}.demo.example.com"))["namedByAddress"] is True


@pytest.mark.parametrize(("group", "role"), [("control-plane", "ControlPlane"), ("api", "APIServer")])
def test_whoever_serves_the_api_reads_the_store(model, group, role):
    name = "control-plane.masters" if role == "ControlPlane" else "api.apiservers"
    text = user_data(model(groups={group: {"role": role}}), f"{name}.demo.example.com")
    boot = boot_of(text)
    assert (boot["store"], boot["role"], "servers" in boot) == ("s3://store/demo.example.com", role, False)
    assert "AWS4-HMAC-SHA256" in loader_of(text)


def test_user_data_says_which_keys_of_the_store_a_node_uses(model):
    keys = {"key_pairs": lambda keyset: [f"{keyset}-1"], "secret_hash": lambda secret: f"hash of {secret}"}
    tasks = model({"encryptionConfig": True}, secret_names=frozenset({"encryptionconfig"}), **keys)
    boot = boot_of(user_data(tasks, "control-plane.masters.demo.example.com"))
    names = ["apiserver-aggregator-ca", "etcd-clients-ca", "etcd-peers-ca-events", "etcd-peers-ca-main"]
    assert boot["keysets"] == {name: [f"{name}-1"] for name in (*names, "kubernetes-ca", "service-account")}
    assert boot["secrets"] == {"encryptionconfig": "hash of encryptionconfig"}
    needed = {task.key for task in tasks["LaunchTemplate/control-plane.masters.demo.example.com"].dependencies()}
    assert {*(f"Keypair/{name}" for name in boot["keysets"]), "Secret/encryptionconfig"} <= needed
    assert "secrets" not in boot_of(user_data(tasks))


def test_instances_reach_the_store_through_the_proxy_and_at_the_endpoint_of_the_controller(model, monkeypatch):
    for name in ("S3_ENDPOINT", "S3_REGION", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, f"the-{name}")
    proxy = {"networking.egressProxy": {"httpProxy": {"host": "proxy", "port": 3128}, "excludes": "10.0.0.0/8"}}
    tasks = model(proxy)
    proxies = {"http_proxy": "http://proxy:3128", "https_proxy": "http://proxy:3128"}
    excludes = {"NO_PROXY": "10.0.0.0/8", "no_proxy": "10.0.0.0/8"}
    script = user_data(tasks, "control-plane.masters.demo.example.com")
    # kops takes it without https://.
    endpoint = {"S3_ENDPOINT": "https://the-S3_ENDPOINT", "S3_REGION": "the-S3_REGION"}
    assert boot_of(script)["environment"] == {**proxies, **excludes, **endpoint}
    assert boot_of(user_data(tasks))["environment"] == {**proxies, **excludes}
    assert "the-S3_SECRET" not in script


NO_DNS = {"networking.topology": {"dns": "None"}, "api": {"loadBalancer": {"type": "Public", "class": "Network"}}}


def test_without_dns_workers_are_told_where_the_load_balancer_is_inside_of_the_network(model):
    tasks = model(NO_DNS)
    balancer = tasks["NetworkLoadBalancer/api.demo.example.com"]
    assert balancer.key in {task.key for task in tasks["LaunchTemplate/nodes.demo.example.com"].dependencies()}
    balancer.node_addresses = ["172.20.0.9", "172.20.32.9"]
    servers = boot_of(user_data(tasks))["servers"]
    assert servers["addresses"] == ["172.20.0.9", "172.20.32.9"]
    assert servers["name"] == "kops-controller.internal.demo.example.com"


def test_terraform_puts_the_addresses_into_user_data(model):
    tasks = model(NO_DNS, {"nodes": {"compressUserData": True}, "more": {"role": "Node"}}, target=VALUES)
    tasks["NetworkLoadBalancer/api.demo.example.com"].node_addresses = ["172.20.0.9"]
    marker = "@@terraform:bootstrap_server_addresses@@"
    assert boot_of(user_data(tasks, "more.demo.example.com"))["servers"]["addresses"] == [marker]
    compressed = user_data(tasks)
    assert compressed.count(marker) == 1
    assert f"| sed 's/@@bootstrap_server_addresses@@/{marker}/' > /etc/kubeops/boot.json" in compressed
    assert marker not in user_data(tasks, "control-plane.masters.demo.example.com")
    assert marker not in user_data(model(target=VALUES))


def test_what_one_server_alone_is_told_is_outside_of_what_is_compressed(context_of):
    context = context_of(groups={"control-plane": {"compressUserData": True}})
    context.environment = {NONCE_VARIABLE: NONCE_PLACEHOLDER}
    build(context)
    compressed = user_data(context.tasks, "control-plane.masters.demo.example.com")
    for_one = for_server(compressed, b"n" * 32)
    assert NONCE_PLACEHOLDER not in for_one
    commands = for_one.partition("set -o errexit -o nounset -o pipefail")[2].partition("__EOF_BOOT\n")[0]
    commands = commands.partition("/etc/kubeops\n")[2].replace("> /etc/kubeops/boot.json", "")
    told = subprocess.run(["bash", "-c", f"{commands}__EOF_BOOT\n"], capture_output=True, check=True).stdout
    assert json.loads(told)["environment"][NONCE_VARIABLE] == "6e" * 32


def test_without_dns_karpenter_is_told_it_too(model):
    more = {"karpenter": {"enabled": True}, "iam": {"useServiceAccountExternalPermissions": True}}
    groups = {"fast": {"role": "Node", "manager": "Karpenter", "maxSize": 9}}
    tasks = model({**NO_DNS, **more}, groups, trusted_authorities=lambda: "PEM")
    addon = tasks["ManagedFile/demo.example.com-addons-karpenter.sh-k8s-1.19"]
    assert "172.20.0.9" not in str(addon.contents)
    tasks["NetworkLoadBalancer/api.demo.example.com"].node_addresses = ["172.20.0.9"]
    assert "172.20.0.9" in str(addon.contents)
    assert boot_of(str(tasks["ManagedFile/boot-fast"].contents))["servers"]["addresses"] == ["172.20.0.9"]


def test_a_unit_runs_the_loader_at_every_boot(model):
    unit = user_data(model()).partition("<< '__EOF_UNIT'\n")[2].partition("\n__EOF_UNIT")[0]
    assert "ExecStart=/usr/bin/env python3 /opt/kubeops/load /etc/kubeops/boot.json" in unit.splitlines()
    assert {"StandardOutput=journal+console", "WantedBy=multi-user.target"} <= set(unit.splitlines())


@pytest.mark.parametrize(("python", "stays"), [("", True), ("exit 1", True), ('exec {executable} "$@"', False)])
def test_an_instance_without_python_or_with_one_that_is_too_old_stays_as_it_is(model, tmp_path, python, stays):
    """It says so on its console. A Python that is too old ends with 1 where its version is asked for."""
    (tmp_path / "root").mkdir()
    if python:
        (tmp_path / "python3").write_text("#!/bin/sh\n" + python.format(executable=sys.executable) + "\n")
        (tmp_path / "python3").chmod(0o755)
    for program in ("install", "mkdir", "cat", "mv", "base64", "gzip"):
        (tmp_path / program).symlink_to(str(shutil.which(program)))
    (tmp_path / "systemctl").write_text("#!/bin/sh\n")
    (tmp_path / "systemctl").chmod(0o755)
    script = user_data(model())
    for path in ("/etc/kubeops", "/opt/kubeops", "/etc/systemd/system"):
        (tmp_path / "root" / path[1:]).mkdir(parents=True)
        script = script.replace(path, f"{tmp_path}/root{path}")
    done = subprocess.run(
        [str(shutil.which("bash"))],
        input=script,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    said = (
        "kubeops: this image has no python3 of 3.9 or newer, which the node program needs; the instance stays as it is"
    )
    assert (said in done.stdout.splitlines()) == stays, done.stdout + done.stderr
    assert (tmp_path / "root/opt/kubeops/load").exists() != stays, done.stdout + done.stderr


def test_no_instance_starts_before_what_its_script_names_is_there(model):
    tasks = model()
    needed = {task.key for task in tasks["LaunchTemplate/nodes.demo.example.com"].dependencies()}
    files = {"ContentAddressedFile/nodeconfig-nodes-amd64", "ContentAddressedFile/node-program"}
    assert {*files, "Keypair/kubernetes-ca"} <= needed
    needed = {task.key for task in tasks["LaunchTemplate/control-plane.masters.demo.example.com"].dependencies()}
    assert {"ContentAddressedFile/nodeconfig-control-plane-amd64", "ContentAddressedFile/node-program"} <= needed


def test_scripts_are_small(model):
    # EC2 takes 16 KiB, the user's own parts included. The certificate of an authority is a little more than 1 KB.
    tasks = model(trusted_authorities=lambda: "x" * 1200)
    assert len(user_data(tasks)) < 7200
    assert len(user_data(tasks, "control-plane.masters.demo.example.com")) < 7200


def test_script_is_valid_shell(model):
    checked = subprocess.run(["bash", "-n"], input=user_data(model()).encode(), check=False, capture_output=True)
    assert checked.returncode == 0, checked.stderr


def test_template_changes_with_the_configuration(model):
    assert user_data(model()) != user_data(model(groups={"nodes": {"packages": ["nfs-common"]}}))
    assert user_data(model()) == user_data(model(groups={"nodes": {"maxSize": 9}}))


def test_compressed_script_holds_the_same_and_is_reproducible(model):
    compressed = user_data(model(groups={"nodes": {"compressUserData": True}}))
    packed = compressed.partition("__EOF_BOOT'")[2].partition("\n")[2].partition("\n__EOF_BOOT")[0]
    assert json.loads(gzip.decompress(base64.b64decode(packed)))["instanceGroup"] == "nodes"
    assert compressed == user_data(model(groups={"nodes": {"compressUserData": True}}))


def test_additional_user_data_follows_the_script(model):
    extra = {"name": "more.sh", "type": "text/x-shellscript", "content": "#!/bin/sh\necho hi\n"}
    message = email.message_from_string(user_data(model(groups={"nodes": {"additionalUserData": [extra]}})))
    parts = message.get_payload()
    assert [part.get_filename() for part in parts] == ["nodeup.sh", "more.sh"]
    assert parts[0].get_payload().startswith("#!/bin/bash")
    assert parts[1].get_payload().replace("\r\n", "\n") == extra["content"]
    assert parts[1].get_content_type() == "text/x-shellscript"


def test_bastions_have_only_what_the_user_adds(model):
    assert user_data(model(groups={"bastions": {"role": "Bastion"}}), "bastions.demo.example.com") is None
    extra = {"name": "more.sh", "type": "text/x-shellscript", "content": "echo"}
    tasks = model(groups={"bastions": {"role": "Bastion", "additionalUserData": [extra]}})
    message = email.message_from_string(user_data(tasks, "bastions.demo.example.com"))
    assert [part.get_filename() for part in message.get_payload()] == ["more.sh"]
    assert "ContentAddressedFile/nodeconfig-bastions-amd64" not in tasks


def test_karpenter_finds_the_script_in_the_store(model):
    tasks = model(groups={"fast": {"role": "Node", "manager": "Karpenter"}})
    assert boot_of(str(tasks["ManagedFile/boot-fast"].contents))["instanceGroup"] == "fast"
    assert "LaunchTemplate/fast.demo.example.com" not in tasks
    assert tasks["Subnet/a.demo.example.com"].tags["kops.k8s.io/instance-group/fast"] == "true"
