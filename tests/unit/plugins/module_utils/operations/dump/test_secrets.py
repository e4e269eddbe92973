# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a dump is searched for: values of Secrets, but for what names the cluster or its network."""

from __future__ import annotations

import base64
import json
import pathlib
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.addons.given import LOCATION
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.dump.secrets import secrets_of
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore

NAME, NETWORK = "demo.example.com", "network-of-all"


def secret(**data: str) -> dict[str, Any]:
    encoded = {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": encoded}


def test_names_that_everybody_sees_are_none_whatever_they_are_called(tmp_path: pathlib.Path) -> None:
    store = ClusterStore.open(f"memfs://{tmp_path.name}", NAME)
    objects = [secret(network=NAME, token="a-token-1"), secret(name=NETWORK), secret(network="the-wifi-password")]
    store.path.join(LOCATION).write(json.dumps({"addons": [{"objects": objects}]}).encode())
    cluster = Cluster()
    cluster.metadata.name, cluster.spec.networking.network_id = NAME, NETWORK
    assert [each.value for each in secrets_of(store, cluster)] == [b"a-token-1", b"the-wifi-password"]
