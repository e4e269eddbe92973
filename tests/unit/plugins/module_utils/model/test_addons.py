# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests of addons in the state store."""

from __future__ import annotations

import dataclasses

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.addons import selection
from ansible_collections.kubeops.kops.plugins.module_utils.addons.conditions import always
from ansible_collections.kubeops.kops.plugins.module_utils.addons.hetzner import config
from ansible_collections.kubeops.kops.plugins.module_utils.addons.upstream import LOCK

from tests.support.upstream import with_objects

OBJECTS = "ConfidentialFile/demo.example.com-addons-objects"


def test_credentials_of_the_environment_are_in_confidential_files_only(model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HCLOUD_TOKEN", "t0ken")
    monkeypatch.setattr(selection, "ADDONS", (dataclasses.replace(config.ADDON, condition=always),))
    tasks = model()
    key = "ConfidentialFile/demo.example.com-addons-hcloud-config.addons.k8s.io-k8s-1.22"
    assert "t0ken" in tasks[key].contents
    assert [other for other, task in tasks.items() if "t0ken" in str(vars(task))] == [key, OBJECTS]
    assert str(tasks[OBJECTS].location) == "addons/objects.json"


URL = "https://example.com/addon.yaml"
CHANNELS = "ManagedFile/demo.example.com-addons-channels"


def test_addons_of_channels_have_an_index_of_their_own(model) -> None:
    """kops' nodes read channels themselves, so kops' index must not have them."""
    without = model()
    tasks = model({"addons": [{"manifest": URL}]}, read_upstream=with_objects)
    (entry,) = yaml.safe_load(tasks[CHANNELS].contents)["spec"]["addons"]
    assert tasks[CHANNELS].location == "addons/channels.yaml"
    (manifest,) = (task for task in tasks.values() if getattr(task, "location", "") == f"addons/{entry['manifest']}")
    assert yaml.safe_load(manifest.contents)["metadata"]["annotations"] == {"kubeops.kops/addon": entry["name"]}
    bootstrap = "ManagedFile/demo.example.com-addons-bootstrap"
    assert tasks[bootstrap].contents == without[bootstrap].contents
    (lock,) = (task for task in tasks.values() if getattr(task, "location", "") == LOCK)
    assert [file["url"] for file in yaml.safe_load(lock.contents)["files"]] == [URL]


def test_the_index_of_channels_becomes_empty_with_the_last_one(model) -> None:
    assert CHANNELS not in model()
    assert yaml.safe_load(model(had_channels=True)[CHANNELS].contents)["spec"] == {"addons": []}
