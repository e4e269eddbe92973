# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A placement group: of the only type that Hetzner has."""

from __future__ import annotations

from ansible_collections.kubeops.kops.tests.support.hetzner import applying
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer


def test_made(server: HetznerServer) -> None:
    applying.applied(applying.client(), applying.tasks())
    (found,) = server.project.objects.all("placement_groups")
    assert (found["type"], found["name"]) == ("spread", f"control-plane-fsn1.{applying.NAME}")
    assert found["labels"] == {"kops.k8s.io/cluster": applying.NAME}
