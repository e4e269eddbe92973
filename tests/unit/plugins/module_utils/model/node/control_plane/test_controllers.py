# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The controllers in the NodeConfig of control planes in clouds."""

from __future__ import annotations

import json

from ansible_collections.kubeops.kops.plugins.module_utils.exchange.settings import ControllersSettings as Settings

from ..conftest import by

UNIT = "kops-controller-manager.service"


def test_every_control_plane_is_a_candidate(config_of):
    config = config_of("control-plane", on_metal=False)
    settings = Settings(**json.loads(by("path", config["files"])[Settings.FILE]["content"]))
    assert (settings.cloud, settings.cluster, settings.node) == ("aws", "demo.example.com", "@@NODE_NAME@@")
    # The file that the node has for it.
    kubeconfigs = {each["path"] for each in config["certificates"] if each["kind"] == "kubeconfig"}
    assert settings.kubeconfig in kubeconfigs
    unit = by("name", config["units"])[UNIT]
    assert f"controllers --config {Settings.FILE}" in unit["content"]
    assert "MemoryMax=" in unit["content"] and "CPUQuota=" in unit["content"]
    assert set(unit["restartOn"]) == set(unit["quietRestartOn"]) == {f"file:{Settings.FILE}"}


def test_others_have_none(config_of):
    for group, on_metal in (("control-plane", True), ("nodes", True), ("nodes", False)):
        assert UNIT not in by("name", config_of(group, on_metal=on_metal)["units"])
