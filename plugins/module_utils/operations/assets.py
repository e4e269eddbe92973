# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""assets: what a cluster's nodes download, where it is published and where the cluster gets it. It only reads."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..addons.channels.document import scheme_of
from ..addons.context import AddonContext
from ..addons.selection import Addons, addons_of
from ..addons.upstream import NONE, FilesError, Parse, ReadUpstream, UpstreamFile, location
from ..addons.upstream import parse as definitions
from ..api import codec
from ..api.cluster import AssetsSpec
from ..cloud.provider import explaining
from ..completion.assets import remap_file, remap_image
from ..completion.cluster import complete_cluster
from ..completion.group_defaults import machine_architecture
from ..completion.instance_group import complete_instance_group
from ..model.node.files.assets import FileAsset, file_assets, hook_images, image_assets
from ..statestore.store import ClusterStore
from .clouds import open_cloud
from .update.desired import settings_of
from .update.upstream_files import UpstreamFiles


def read_assets(state_store: str, name: str, architectures: Sequence[str] = ()) -> dict[str, Any]:
    """The images and files of a stored cluster; as a module returns them.

    architectures: those of its machines ("amd64", "arm64"). Without them the cloud is asked for the machine types;
    with them it is asked for nothing but what completion of the specification itself needs.
    Raises KopsError for a store that cannot be read, and for what completion cannot infer.
    """
    store = ClusterStore.open(state_store, name)
    cluster, groups = store.read()
    redirection = cluster.spec.assets
    # Completed without its own places, so that every name is the publisher's.
    published = codec.copy(cluster)
    published.spec.assets = None
    provider, cloud = open_cloud(cluster)
    facts, settings = provider.facts(cloud), settings_of(cluster)
    with explaining(provider):
        completed = complete_cluster(published, groups, facts=facts, settings=settings)
        machines = [] if architectures else [group for group in groups if group.spec.role != "Bastion"]
        inferred = {
            machine_architecture(
                completed,
                complete_instance_group(completed, group, facts=facts, settings=settings),
                facts=facts,
            )
            for group in machines
        }
    in_use = sorted(set(architectures) or inferred)
    context = AddonContext(completed, groups, features=settings.feature_flags, additional=store.additional_objects())
    tree = store.tree()
    at_publishers = UpstreamFiles(store.path, tree)
    addons = addons_of(context, _reading(UpstreamFiles(store.path, tree, redirection), at_publishers))
    kept = {sha256: tree.file(store.path.join(location(sha256))) for sha256 in at_publishers.remembered.values()}
    sizes = {sha256: found.size for sha256, found in kept.items() if found}
    # What a user gives whole is fetched from where it says; all else from where spec.assets says.
    given = [*hook_images(completed, groups), *(image for addon in addons.own for image in addon.images)]
    installed = [*addons.made, *addons.of_channels]
    published_images = [*image_assets(completed, groups), *(image for addon in installed for image in addon.images)]
    images = {image: remap_image(image, redirection) for image in published_images}
    images.update({image: image for image in given})
    return {
        "name": name,
        "kubernetes_version": completed.spec.kubernetes_version,
        "architectures": in_use,
        "images": [{"canonical": image, "download": images[image], "size": None} for image in sorted(images)],
        "files": [
            _described(asset, redirection, sizes.get(asset.sha256))
            for asset in [
                *(asset for architecture in in_use for asset in file_assets(completed, architecture)),
                *_files_of(addons, at_publishers.remembered),
            ]
        ],
        "warnings": store.warnings,
    }


def _reading(*readers: UpstreamFiles) -> ReadUpstream:
    """Reads channels of addons, by the first reader that can: a mirror may not have them yet.

    Of definitions of kinds, the names are enough: nothing is fetched.
    """

    def read(
        urls: Sequence[str], parse: Parse = definitions, hashes: Mapping[str, str] = NONE
    ) -> dict[str, UpstreamFile]:
        if parse is definitions:
            return {url: UpstreamFile(url, b"", ()) for url in urls}
        for reader in readers[:-1]:
            with contextlib.suppress(FilesError):
                return reader.read(urls, parse, hashes)
        return readers[-1].read(urls, parse, hashes)

    return read


def _files_of(addons: Addons, remembered: Mapping[str, str]) -> Iterator[FileAsset]:
    """Files of addons that others publish, as far as a file repository can have them."""
    channels = {file.url: file.sha256 for addon in addons.of_channels for file in addon.upstream}
    for file in addons.upstream:
        if file.url not in channels:
            yield FileAsset("crds", "", file.url, remembered.get(file.url, ""), "")
        elif scheme_of(file.url) in ("http", "https"):
            yield FileAsset("channel", "", file.url, channels[file.url], "")


def _described(asset: FileAsset, redirection: AssetsSpec | None, size: int | None) -> dict[str, Any]:
    return {
        "kind": asset.kind,
        "architecture": asset.architecture,
        "canonical": asset.url,
        "download": remap_file(asset.url, redirection),
        "sha256": asset.sha256 or None,
        "sha256_url": asset.checksum_url or None,
        "size": size,
    }
