# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller of Spotinst, which no case of kops has."""

from __future__ import annotations

import base64

from ansible_collections.kubeops.kops.plugins.module_utils.addons.any_cloud.spotinst.addon import ADDON

from tests.support.addons import asked_of, made

NAME = "ocean-controller-ocean-kubernetes-controller"


def test_its_credentials_are_those_of_the_environment() -> None:
    objects = made(ADDON, asked_of({}, SPOTINST_TOKEN="hidden", SPOTINST_ACCOUNT="act-1"))
    data = objects["Secret", NAME]["data"]
    assert {key: base64.b64decode(value).decode() for key, value in data.items()} == {
        "token": "hidden",
        "account": "act-1",
    }


def test_its_logs_are_sent_with_their_names_and_levels_changed() -> None:
    text = made(ADDON, asked_of({}))["ConfigMap", NAME]["data"]["fluent-bit.conf"]
    assert text.startswith(
        "[SERVICE]\n    Parsers_File parsers.conf\n    Flush        60\n    Daemon       Off\n\n[INPUT]\n"
    )
    assert "# debug -> INFO\n[FILTER]\n" in text
    assert text.endswith("    Header      Authorization Bearer ${SPOTINST_TOKEN}\n    Retry_Limit no_retries\n")
