# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of control planes that a controller gives their credentials over SSH; the tests of such a cloud import them."""

from __future__ import annotations

import json

from ansible_collections.kubeops.kops.plugins.module_utils.exchange.server_credentials import CREDENTIALS_FILE
from ansible_collections.kubeops.kops.tests.lab.cloud import machines
from ansible_collections.kubeops.kops.tests.lab.cloud.server_sites import ServerSite


def test_what_every_pod_can_read_holds_no_secret(cluster: ServerSite) -> None:
    (control_plane,) = cluster.control_planes()
    given = json.loads(machines.within(control_plane, "cat", CREDENTIALS_FILE))
    secret = [given["token"], given["store"]["secretKey"], "PRIVATE KEY"]
    for name in cluster.instances():
        told = machines.within(name, "curl", "--fail", "--silent", cluster.user_data)
        assert not [each for each in secret if each in told]


def test_only_root_of_control_planes_has_credentials(cluster: ServerSite) -> None:
    told = "stat --format '%a %U' " + CREDENTIALS_FILE
    found = {name: machines.within(name, "sh", "-c", told, check=False).strip() for name in cluster.instances()}
    assert found == {
        **dict.fromkeys(cluster.workers(), ""),
        **dict.fromkeys(cluster.control_planes(), "600 root"),
    }
