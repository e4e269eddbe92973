# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bootstrap server in the NodeConfig of control planes."""

from __future__ import annotations

import dataclasses
import json

from ansible_collections.kubeops.kops.plugins.module_utils.exchange.settings import BootstrapServerSettings as Settings

from ..conftest import by


def test_control_planes_in_clouds_serve_and_nobody_else(config_of):
    workers = {"roles": ["nodes.demo.example.com"]}
    config = config_of("control-plane", on_metal=False, workers=workers)
    settings = Settings(**json.loads(by("path", config["files"])[Settings.FILE]["content"]))
    assert (settings.cloud, settings.cluster, settings.port) == ("aws", "demo.example.com", 3988)
    assert settings.workers == workers
    files = by("path", config["files"])
    assert files[settings.certificate]["reference"] == "certificate/kops-controller"
    assert files[settings.key]["mode"] == "0600"
    assert files[settings.authorities]["reference"] == "authority/kubernetes-ca"
    certificate = by("name", config["certificates"])["kops-controller"]
    assert certificate["alternateNames"] == ["kops-controller.internal.demo.example.com"]
    assert (certificate["type"], certificate["signer"]) == ("server", "kubernetes-ca")
    assert "kops-controller.service" in by("name", config["checks"])
    for group, on_metal in (("control-plane", True), ("nodes", True), ("nodes", False)):
        other = config_of(group, on_metal=on_metal, workers=workers)
        assert "kops-controller.service" not in by("name", other["units"])


def test_a_new_certificate_restarts_the_server_and_disturbs_nobody(config_of):
    unit = by("name", config_of("control-plane", on_metal=False)["units"])["kops-controller.service"]
    assert f"--config {Settings.FILE}" in unit["content"]
    assert "file:/etc/kubernetes/kops-controller/kops-controller.crt" in unit["restartOn"]
    assert set(unit["restartOn"]) == set(unit["quietRestartOn"])


def test_all_that_the_server_must_be_told_is_there(config_of):
    config = config_of("control-plane", on_metal=False)
    settings = json.loads(by("path", config["files"])[Settings.FILE]["content"])
    assert {field.name for field in dataclasses.fields(Settings)} - settings.keys() == {
        "elsewhere",
        "kubeconfig",
        "named_by_address",
    }


def test_the_server_knows_how_nodes_are_named(config_of):
    fields = {"cloudProvider.aws.useIPBasedNodeNames": True}
    config = config_of("control-plane", fields, on_metal=False)
    assert Settings(**json.loads(by("path", config["files"])[Settings.FILE]["content"])).named_by_address is True
