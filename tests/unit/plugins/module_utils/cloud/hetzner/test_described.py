# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a dump has of a cluster: its objects, and nothing that could be a secret."""

from __future__ import annotations

import json

from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner import names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.described import described
from ansible_collections.kubeops.kops.tests.support.hetzner import applying
from ansible_collections.kubeops.kops.tests.support.hetzner.project import TOKEN
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer


def test_each_is_plain_data(server: HetznerServer) -> None:
    applying.applied(applying.client(), applying.tasks())
    applying.server(applying.client(), "control-plane-1", names.CONTROL_PLANE)
    found = {name: read() for name, read in described(applying.client()).items()}
    text = json.dumps(found)
    assert (TOKEN in text, "secret-of-root" in text) == (False, False)
    assert {name: len(each) for name, each in found.items()} == {
        "servers": 1,
        "volumes": 2,
        "load-balancers": 1,
        "firewalls": 2,
        "target-health": 1,
        "resources": 9,
    }
    assert found["target-health"] == [{"name": "control-plane-1", "healthy": True, "state": "healthy"}]
