# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes objects that are stored with a new cluster, beside its own spec."""

from __future__ import annotations

from ...api import manifest
from ...api.additional import AdditionalObject
from ...api.cluster import Cluster
from ...base.errors import KopsError
from ...completion.settings import Settings
from .draft import refuse
from .options import CreateOptions


def additional_objects(options: CreateOptions, cluster: Cluster, settings: Settings) -> list[AdditionalObject]:
    """Objects of the well-known addon operators (feature flag UseAddonOperators), and of the files in ``add``."""
    objects = []
    if "UseAddonOperators" in settings.feature_flags:
        objects += _operators(cluster, settings)
    for location in options.add:
        objects += _read_objects(location)
    return objects


def _operators(cluster: Cluster, settings: Settings) -> list[AdditionalObject]:
    """A package for each operator and the object that it acts on, in the versions that the channel names."""
    objects = []
    if cluster.spec.networking.kopeio is not None:
        objects += [
            _package("operator.networking.addons.kope.io", cluster, settings),
            _addon(
                "addons.kope.io/v1alpha1",
                "Networking",
                {"name": "networking"},
                _version("networking.addons.kope.io", cluster, settings),
            ),
        ]
    return [
        *objects,
        _package("operator.coredns.addons.x-k8s.io", cluster, settings),
        _addon(
            "addons.x-k8s.io/v1alpha1",
            "CoreDNS",
            {"namespace": "kube-system", "name": "coredns"},
            _version("coredns", cluster, settings),
        ),
    ]


def _package(name: str, cluster: Cluster, settings: Settings) -> AdditionalObject:
    version = _version(name, cluster, settings)
    return _addon("addons.x-k8s.io/v1alpha1", "ClusterPackage", {"name": name}, version)


def _addon(api_version: str, kind: str, metadata: dict[str, str], version: str) -> AdditionalObject:
    return AdditionalObject(
        {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": {"version": version}}
    )


def _version(package: str, cluster: Cluster, settings: Settings) -> str:
    return settings.channel.package_version(package, cluster.spec.kubernetes_version or "", settings.kops_version)


def _read_objects(location: str) -> list[AdditionalObject]:
    from ...statestore.vfs.open import open_path

    try:
        text = open_path(location).read().decode()
    except (OSError, UnicodeDecodeError) as error:
        raise refuse("add", f"cannot be read: {error}", location, kind="NotFound") from error
    objects = []
    for item in manifest.load(text, source=location):
        if not isinstance(item, AdditionalObject):
            raise KopsError(f"{location}: {type(item).__name__} is not an addon; store it with the replace module")
        objects.append(item)
    return objects
