# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A network: made with its labels, never changed in place, and one that is given stays as it is."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.tasks.network import Network
from ansible_collections.kubeops.kops.tests.support.hetzner import applying
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer


def test_range_is_never_changed(server: HetznerServer) -> None:
    applying.applied(applying.client(), applying.tasks())
    other = Network(applying.NAME, ip_range="10.0.0.0/8")
    with pytest.raises(KopsError, match="exists and cannot be changed in place .ip_range: 10.10.0.0/16 -> 10.0.0.0/8"):
        applying.applied(applying.client(), {other.key: other})


@pytest.mark.parametrize("by", ["id", "name"])
def test_one_that_is_given_is_found_by_id_or_name(server: HetznerServer, by: str) -> None:
    made = applying.client().make(Network.of, {"name": "lent", "ip_range": "10.0.0.0/8"})
    given = Network(str(made[by]), given=True)
    server.calls.clear()
    applying.applied(applying.client(), {given.key: given})
    assert (given.id, server.writes) == (made["id"], [])


def test_one_that_is_given_must_be_there(server: HetznerServer) -> None:
    applying.client().make(Network.of, {"name": "lent", "ip_range": "10.0.0.0/8"})
    given = Network("4242", given=True)
    with pytest.raises(KopsError, match="spec.networking.networkID: .* id or name 4242, only lent"):
        applying.applied(applying.client(), {given.key: given})
