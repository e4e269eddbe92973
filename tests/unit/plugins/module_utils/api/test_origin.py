# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of rules have the file, the document, the line and the spelling of the manifest that they are about."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec, convert, manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.origin import located, unmark
from ansible_collections.kubeops.kops.plugins.module_utils.api.v1alpha2 import conversion
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import FieldError

TEXT = """
apiVersion: kops.k8s.io/v1alpha2
kind: Cluster
metadata:
  name: a.example.com
spec:
  networkCIDR: 10.0.0.0/16
  subnets:
  - name: one
    zone: a
---
apiVersion: kops.k8s.io/v1alpha2
kind: InstanceGroup
metadata:
  name: nodes
spec:
  subnets: [one, two]
  rootVolumeSize: 5
"""
NEWER = "apiVersion: kops.k8s.io/v1alpha3\nkind: Cluster\nspec:\n  networking:\n    networkCIDR: x\n"


@pytest.mark.parametrize(
    ("group", "path", "told"),
    [
        ("", "spec.networking.networkCIDR", "a.yaml, document 1, line 7: spec.networkCIDR"),
        ("", "spec.networking.subnets[0].zone", "a.yaml, document 1, line 10: spec.subnets[0].zone"),
        ("", "spec.networking.topology.dns", "a.yaml, document 1, line 6: spec.topology.dns.type"),
        ("", "spec.cloudProvider.aws.warmPool.maxSize", "a.yaml, document 1, line 6: spec.warmPool.maxSize"),
        ("", "spec.cloudProvider.openstack.router", "a.yaml, document 1, line 6: spec.cloudConfig.openstack.router"),
        ("", "spec.configStore.base", "a.yaml, document 1, line 6: spec.configBase"),
        ("", "spec.spec.networkCIDR", "a.yaml, document 1, line 7: spec.networkCIDR"),
        ("", "spec.spec.kubeProxy.enabled", "a.yaml, document 1, line 6: spec.kubeProxy.enabled"),
        ("", "metadata.name", "a.yaml, document 1, line 5: metadata.name"),
        ("nodes", "spec.networking.subnets[1]", "a.yaml, document 2, line 17: spec.subnets[1]"),
        ("nodes", "spec.metadata.name", "a.yaml, document 2, line 15: metadata.name"),
        ("nodes", "spec.rootVolume.size", "a.yaml, document 2, line 18: spec.rootVolumeSize"),
    ],
)
def test_errors_are_spelled_and_placed_as_in_the_manifest(group: str, path: str, told: str) -> None:
    objects = [codec.copy(obj) for obj in manifest.load(TEXT, source="a.yaml")]
    errors = located([FieldError("Invalid", path, "is wrong", group=group)], objects)
    assert [str(error) for error in errors] == [f"{told}: is wrong"]


def test_v1alpha3_has_the_paths_of_the_hub() -> None:
    errors = located([FieldError("Invalid", "spec.networking.networkCIDR", "")], manifest.load(NEWER, source="b"))
    assert (errors[0].where, errors[0].path) == ("b, document 1, line 5", "spec.networking.networkCIDR")


def test_what_is_edited_by_paths_keeps_the_path() -> None:
    cluster = manifest.load(TEXT)[0]
    unmark(cluster)
    error = FieldError("Invalid", "spec.networking.networkCIDR", "is wrong")
    assert located([error], [cluster]) == [error]


def test_the_moved_places_are_places_of_both_versions() -> None:
    for kind, moved in conversion.MOVED.items():
        own, hub = conversion.KINDS[kind]
        for there, here in moved.items():
            assert convert.manifest_path(hub, there) != convert.manifest_path(own, here) or there == here
