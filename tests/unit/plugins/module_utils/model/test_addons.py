# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests of addons in the state store."""

from __future__ import annotations

import dataclasses

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons import selection
from ansible_collections.kubeops.kops.plugins.module_utils.addons.conditions import always
from ansible_collections.kubeops.kops.plugins.module_utils.addons.hetzner import config


def test_credentials_of_the_environment_are_in_a_confidential_file_only(model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HCLOUD_TOKEN", "t0ken")
    monkeypatch.setattr(selection, "ADDONS", (dataclasses.replace(config.ADDON, condition=always),))
    tasks = model()
    key = "ConfidentialFile/demo.example.com-addons-hcloud-config.addons.k8s.io-k8s-1.22"
    assert "t0ken" in tasks[key].contents
    assert [other for other, task in tasks.items() if "t0ken" in str(vars(task))] == [key]
