# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual address of the API: who gets keepalived, and what it is told."""

from __future__ import annotations

import base64
import shutil
import subprocess

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.build import node_secrets
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.control_plane.keepalived import (
    CONFIGURATION,
    READY,
    UNIT,
    router_id,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.certificates import read_certificate

VIRTUAL = "10.0.0.100"
FACTS = {"NODE_NAME": "n", "INTERNAL_IP": "10.0.0.9", "ETCD_MAIN_MEMBER": "a", "ETCD_EVENTS_MEMBER": "a"}


@pytest.mark.parametrize(
    ("group", "role", "address", "expected"),
    [
        ("control-plane", "ControlPlane", VIRTUAL, True),
        ("control-plane", "ControlPlane", "", False),
        ("servers", "APIServer", VIRTUAL, False),
        ("nodes", "Node", VIRTUAL, False),
    ],
)
def test_only_control_planes_have_it_and_only_with_an_address(config_of, group, role, address, expected):
    config = config_of(group, spec={"role": role}, virtual_address=address)
    assert (CONFIGURATION in {item["path"] for item in config["files"]}) is expected
    assert (UNIT in {item["name"] for item in config["units"]}) is expected
    assert (UNIT in {item["target"] for item in config["checks"]}) is expected
    assert ("keepalived" in {item["name"] for item in config["packages"]}) is expected
    assert ("INTERFACE" in config["facts"]) is expected


def test_configuration(file_of):
    lines = [line.strip() for line in file_of(CONFIGURATION, "control-plane", virtual_address=VIRTUAL).splitlines()]
    assert {f'script "{READY}"', "state BACKUP", "nopreempt", "interface @@INTERFACE@@", VIRTUAL} <= set(lines)
    assert {"vrrp_version 3", "enable_script_security", "init_fail"} <= set(lines)
    assert f"virtual_router_id {router_id('demo.example.com')}" in lines
    assert not any(line.startswith("auth") for line in lines)


def test_changes_of_the_configuration_restart_it(config_of):
    config = config_of("control-plane", virtual_address=VIRTUAL)
    (unit,) = [item for item in config["units"] if item["name"] == UNIT]
    assert (unit["enabled"], unit["state"], unit["restartOn"]) == (True, "started", [f"file:{CONFIGURATION}"])
    assert f"--use-file={CONFIGURATION}" in unit["content"]


@pytest.mark.parametrize("name", ["demo.example.com", "a", "", "x" * 60])
def test_router_ids_are_those_of_vrrp_and_stay(name):
    assert 1 <= router_id(name) <= 255
    assert router_id(name) == router_id(name)


def test_clusters_rarely_share_a_router_id():
    assert len({router_id(f"cluster-{number}.example.com") for number in range(20)}) > 15


def test_the_api_server_next_door_is_asked_by_a_client_that_it_knows(config_of):
    config = config_of("control-plane", {"kubeAPIServer.securePort": 6443}, virtual_address=VIRTUAL)
    files = {item["path"]: item for item in config["files"]}
    words = files[READY]["content"].split()
    assert (words[-1], files[READY]["mode"]) == ("https://127.0.0.1:6443/readyz", "0755")
    for option in ("--cacert", "--cert", "--key"):
        assert words[words.index(option) + 1] in files
    shell = shutil.which("sh") or "sh"
    assert subprocess.run([shell, "-n"], input=files[READY]["content"], text=True, check=False).returncode == 0


def test_the_certificate_of_the_api_server_is_for_the_address(node_of, stored):
    context = node_of("control-plane", {"api.publicName": VIRTUAL}, virtual_address=VIRTUAL)
    chain = base64.b64decode(node_secrets(context, stored, FACTS)["certificate/master"]).decode()
    assert VIRTUAL in read_certificate(chain).alternate_names
