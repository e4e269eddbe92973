# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What renews the certificates of a node while it runs, and what is restarted for each of them."""

from __future__ import annotations

import pytest

from .conftest import by

SERVICE, TIMER = "/etc/systemd/system/kubeops-renewal.service", "kubeops-renewal.timer"
# Name of a certificate -> what is restarted for a new one, on nodes of AWS. Who has the others loads them again.
RESTARTED = {
    "control-plane": {
        "kube-controller-manager": {"kube-controller-manager"},
        "kube-scheduler": {"kube-scheduler"},
        "kube-proxy": {"kube-proxy"},
        "kubelet": {"kubelet.service"},
        "kubelet-server": {"kubelet.service"},
        "kops-controller": {"kops-controller.service"},
    },
    "nodes": {"kube-proxy": {"kube-proxy"}, "kubelet": {"kubelet.service"}, "kubelet-server": {"kubelet.service"}},
}


@pytest.mark.parametrize("group", ["control-plane", "nodes"])
def test_instances_of_clouds_renew_their_certificates(config_of, group):
    config = config_of(group, on_metal=False)
    assert by("name", config["units"])[TIMER]["state"] == "started"
    timer = by("name", config["units"])[TIMER]["content"]
    assert "OnCalendar=*-*-* 00/6:00:00\nRandomizedDelaySec=6h\n" in timer
    # The node program converges the node from within it, so that it must not be a unit that converging starts or stops.
    assert "/opt/kubeops/kops-node renew\n" in by("path", config["files"])[SERVICE]["content"]
    assert "kubeops-renewal.service" not in by("name", config["units"])


def test_elsewhere_the_controller_renews_them(config_of):
    for group in ("control-plane", "nodes"):
        config = config_of(group)
        assert TIMER not in by("name", config["units"])
        assert SERVICE not in by("path", config["files"])


@pytest.mark.parametrize("group", ["control-plane", "nodes"])
def test_what_a_new_certificate_restarts(config_of, group):
    config = config_of(group, on_metal=False)
    found: dict[str, set[str]] = {}
    for item in [*config["units"], *config["staticPods"]]:
        for each in config["certificates"]:
            if {f"file:{each['path']}", f"file:{each.get('key')}"} & set(item.get("restartOn", ())):
                found.setdefault(each["name"], set()).add(item["name"])
    assert found == RESTARTED[group]


@pytest.mark.parametrize("group", ["control-plane", "nodes"])
def test_no_new_certificate_disturbs_workloads(config_of, group):
    """The API server and etcd are not restarted for one; of units that are, no workload notices it."""
    config = config_of(group, on_metal=False)
    for unit in config["units"]:
        paths = {f"file:{each[key]}" for each in config["certificates"] for key in ("path", "key") if key in each}
        assert paths & set(unit.get("restartOn", ())) <= set(unit.get("quietRestartOn", ()))
