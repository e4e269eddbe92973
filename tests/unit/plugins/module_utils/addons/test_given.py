# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addons as control planes read them."""

from __future__ import annotations

import json

from ansible_collections.kubeops.kops.plugins.module_utils.addons.addon import Addon
from ansible_collections.kubeops.kops.plugins.module_utils.addons.given import stored_text
from ansible_collections.kubeops.kops.plugins.module_utils.addons.selection import Addons
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.addons import StoredAddons
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.versions import not_applied

OBJECT = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}


def test_what_is_stored_is_what_is_read() -> None:
    prune = {"kinds": [{"kind": "ConfigMap"}]}
    addons = [
        Addon("coredns", [OBJECT], "a.yaml", "k8s-1.12"),
        Addon("cloud", [OBJECT], "b.yaml", "k8s-1.18", initializes_nodes=True),
        Addon(
            "channel", [OBJECT], "c.yaml", channel="https://a", prune=prune, needs_rolling_update="all", needs_pki=True
        ),
    ]
    text = stored_text(Addons(addons, ["flannel"]))
    found = StoredAddons.read(text.encode())
    # No node gets ready without the cloud controller manager, so it does not wait for others.
    assert [addon["name"] for addon in found.addons] == ["cloud", "coredns", "channel"]
    assert found.addons[1] == {
        "name": "coredns",
        "objects": [OBJECT],
        "id": "k8s-1.12",
        "needs_pki": False,
        "needs_rolling_update": "",
        "version": addons[0].manifest_hash,
    }
    assert (found.addons[2]["pruned"], found.addons[2]["needs_pki"]) == (prune["kinds"], True)
    assert found.retired == ["flannel"]
    assert text == stored_text(Addons(addons, ["flannel"]))


def test_what_is_missing_is_told_without_the_objects() -> None:
    stored = StoredAddons.read(stored_text(Addons([Addon("coredns", [OBJECT], "a.yaml", "1")], ["flannel"])).encode())
    small = stored.without_objects()
    assert "objects" not in small.addons[0]
    record = json.dumps({"id": "1", "manifestHash": stored.addons[0]["version"]})
    done = {"addons.k8s.io/coredns": record, "addons.k8s.io/other": "{}"}
    assert not_applied(small, {}) == ["coredns"]
    assert not_applied(small, done) == []
    assert not_applied(small, {**done, "addons.k8s.io/flannel": "{}"}) == ["flannel"]
    assert not_applied(small, {"addons.k8s.io/coredns": record.replace('"1"', '"2"')}) == ["coredns"]
