# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A volume: neither its size nor its place is changed, and what others have labelled so is not taken."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.tests.support.hetzner import applying
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer

KEY = f"Volume/etcd-1.etcd-main.{applying.NAME}"


def test_made_as_kops_does(server: HetznerServer) -> None:
    applying.applied(applying.client(), applying.tasks())
    (found,) = (each for each in server.project.objects.all("volumes") if "main" in each["name"])
    assert (found["size"], found["location"]["name"], found["status"]) == (20, "fsn1", "available")
    assert found["labels"] == {
        "kops.k8s.io/cluster": applying.NAME,
        "kops.k8s.io/instance-group": "control-plane-fsn1",
        "kops.k8s.io/volume-role": "main",
    }


@pytest.mark.parametrize(("field", "value"), [("size", 40), ("location", "nbg1")])
def test_what_is_never_changed(server: HetznerServer, field: str, value: object) -> None:
    applying.applied(applying.client(), applying.tasks())
    wanted = applying.tasks()
    setattr(wanted[KEY], field, value)
    server.calls.clear()
    with pytest.raises(KopsError, match=f"cannot be changed in place .{field}: "):
        applying.applied(applying.client(), wanted)
    assert server.writes == []
