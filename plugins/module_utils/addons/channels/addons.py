# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The addons that a cluster has from the channels of spec.addons."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...api.versions import Version
from ...api.well_known_addons import is_location
from ...kubernetes.addons.object_names import identity, title
from ...kubernetes.addons.pruned import ADDON_ANNOTATION
from ..addon import CONTAINERS, Addon
from ..context import AddonContext
from ..upstream import FilesError, Parse, ReadUpstream, UpstreamFile
from .document import Entry, chosen, entries_of, parse_channel
from .manifest import parse_manifest

# Beside the addon's own manifest, if it is one of kops' names.
_FILE = "channel.yaml"


def channel_addons(
    context: AddonContext, read: ReadUpstream, others: Sequence[Addon], problems: list[str]
) -> list[Addon]:
    """The addons of the cluster's channels, in their order. read: gives the channels and manifests.

    others: the cluster's other addons, with which they must not share names and objects. problems: gets a sentence
    about each thing that is wrong; then what is returned is not complete.
    """
    manifests = [addon.manifest or "" for addon in context.cluster.spec.addons]
    urls = [manifest for manifest in manifests if is_location(manifest)]
    if not urls:
        return []
    channels = _read(read, urls, parse_channel, {}, problems)
    version = Version.parse(context.cluster.spec.kubernetes_version or "")
    entries = [entry for url in urls if url in channels for entry in chosen(entries_of(channels[url]), version)]
    problems += _shared_names(entries, others)
    hashes = {entry.manifest: entry.manifest_hash for entry in entries if entry.manifest}
    files = _read(read, list(hashes), parse_manifest, hashes, problems)
    addons = []
    for entry in entries:
        channel = channels[entry.channel]
        file = files.get(entry.manifest) if entry.manifest else channel
        if file is not None:
            addons.append(_addon(context, entry, channel, file))
    return _without_copies(addons, others, problems)


def _read(
    read: ReadUpstream, urls: Sequence[str], parse: Parse, hashes: Mapping[str, str], problems: list[str]
) -> Mapping[str, UpstreamFile]:
    try:
        return read(urls, parse, hashes)
    except FilesError as error:
        problems += error.problems
        return error.found


def _addon(context: AddonContext, entry: Entry, channel: UpstreamFile, file: UpstreamFile) -> Addon:
    # Copies, because the same file may be asked for again.
    objects = json.loads(json.dumps(file.objects))
    for obj in objects:
        metadata = obj["metadata"]
        if not metadata.get("namespace"):
            metadata.pop("namespace", None)
        # By it, and not by a selector alone, an object is known to be the addon's when it has left the manifest.
        metadata["annotations"] = {**(metadata.get("annotations") or {}), ADDON_ANNOTATION: entry.name}
        _remap_images(obj, context)
    return Addon(
        entry.name,
        objects,
        _FILE,
        entry.id,
        needs_rolling_update=entry.needs_rolling_update,
        needs_pki=entry.needs_pki,
        upstream=list({each.url: each for each in (channel, file)}.values()),
        channel=entry.channel,
        prune=entry.prune,
    )


def _remap_images(part: Any, context: AddonContext) -> None:
    """Images of containers, whatever the object's kind (RemapImages in pkg/kubemanifest of kops)."""
    if isinstance(part, list):
        for item in part:
            _remap_images(item, context)
    elif isinstance(part, dict):
        for name, value in part.items():
            if name in CONTAINERS and isinstance(value, list):
                for container in value:
                    if isinstance(container, dict) and isinstance(container.get("image"), str):
                        container["image"] = context.image(container["image"])
            else:
                _remap_images(value, context)


def _shared_names(entries: Sequence[Entry], others: Sequence[Addon]) -> list[str]:
    problems = []
    known = {addon.name: "one of the cluster's other addons" for addon in others}
    for entry in entries:
        if entry.name in known:
            problems.append(f"{entry.channel}: {entry.name} is the name of {known[entry.name]}, too")
        known.setdefault(entry.name, f"an addon of {entry.channel}")
    return problems


def _without_copies(addons: Sequence[Addon], others: Sequence[Addon], problems: list[str]) -> list[Addon]:
    """The addons, without objects that one before them has in the same form, such as a namespace of both.

    problems: gets those that differ: the addons would undo each other's work at every run.
    """
    owners = {_key(obj): (addon.name, obj) for addon in others for obj in addon.objects}
    result = []
    for addon in addons:
        objects = []
        for obj in addon.objects:
            owner, other = owners.setdefault(_key(obj), (addon.name, obj))
            if other is obj:
                objects.append(obj)
            elif _unmarked(other) != _unmarked(obj):
                problems.append(f"{addon.channel}: {title(obj)} of {addon.name} is also in {owner}, but differs")
        result.append(replace(addon, objects=objects))
    return result


def _key(obj: Mapping[str, Any]) -> tuple[str, str, str, str]:
    group, kind, namespace, name = identity(dict(obj))
    # Without a namespace, an object is applied to "default", or is one of the whole cluster.
    return group, kind, namespace or "default", name


def _unmarked(obj: Mapping[str, Any]) -> dict[str, Any]:
    """The object as its publisher wrote it."""
    metadata = obj["metadata"]
    annotations = metadata.get("annotations") or {}
    own = {name: value for name, value in annotations.items() if name != ADDON_ANNOTATION}
    return {**obj, "metadata": {**metadata, "annotations": own}}
