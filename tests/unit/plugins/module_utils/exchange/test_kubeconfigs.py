# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubeconfigs: what they hold, and that they are written as kops' YAML library writes them."""

from __future__ import annotations

import base64

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api.yaml.write import dump_plain
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.kubeconfigs import kubeconfig_text, webhook_text


def test_a_kubeconfig_holds_everything_it_needs() -> None:
    config = yaml.safe_load(kubeconfig_text("kubelet", "https://127.0.0.1", "CA", "CERT", "KEY"))
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]
    assert cluster["server"] == "https://127.0.0.1"
    assert base64.b64decode(cluster["certificate-authority-data"]) == b"CA"
    assert (user["name"], base64.b64decode(user["user"]["client-key-data"])) == ("kubelet", b"KEY")
    assert config["current-context"] == config["contexts"][0]["name"] == "service-account-context"


def test_a_webhook_without_authority_has_none() -> None:
    assert "certificate-authority-data" not in webhook_text("http://127.0.0.1:9001", "webhook")


@pytest.mark.parametrize(
    "text",
    [
        kubeconfig_text("kube-proxy", "https://api.internal.demo.example.com", "CA\n" * 900, "C\n", "K\n"),
        webhook_text("https://127.0.0.1:21362/authenticate", "aws-iam-authenticator", "CA\n" * 900),
        webhook_text("http://127.0.0.1:9001/hooks/authn", "webhook"),
    ],
)
def test_nodes_find_the_text_that_they_have_had(text: str) -> None:
    assert dump_plain(yaml.safe_load(text)) == text
