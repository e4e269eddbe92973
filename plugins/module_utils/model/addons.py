# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The addons in the state store: their manifests, and the index of them (bootstrapchannelbuilder of kops)."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..addons.addon import Addon
from ..addons.context import AddonContext
from ..addons.given import LOCATION, stored_text
from ..addons.index import CHANNELS, DIRECTORY, INDEX, index_text
from ..addons.launch import Launch
from ..addons.selection import Addons, addons_of
from ..addons.upstream import LOCK, UpstreamFile, location, lock_text
from ..api.clouds import cloud_of
from ..cloud.tasks.managed_file import ConfidentialFile, ContentAddressedFile, ManagedFile, StoreOnlyFile
from ..engine.task import Deferred, Task
from ..statestore.secrets import CILIUM_KEYS
from .context import ModelContext

_BOOTSTRAP, _CHANNELS, _OBJECTS = "bootstrap", "channels", "objects"


def addon_context(context: ModelContext) -> AddonContext:
    """What addons are asked with, without the user's own objects and keys, which only matter to what is installed."""
    return AddonContext(
        context.cluster,
        context.groups,
        features=context.features,
        region=context.region,
        account=context.account,
    )


def images(context: ModelContext) -> list[str]:
    """The container images of all addons that this collection makes."""
    asked = replace(addon_context(context), additional=context.stored.additional_objects())
    return sorted({image for addon in addons_of(asked, context.stored.read_upstream).made for image in addon.images})


def build(
    context: ModelContext,
    launches: Callable[[], Sequence[Launch]] = tuple,
    after: Sequence[Task[Any]] = (),
    late: Sequence[Task[Any]] = (),
    credentials: Callable[[], Mapping[str, str]] = lambda: os.environ,
) -> None:
    """A file for each addon, the indexes, and where control planes apply the addons what they read.

    launches, credentials: as in AddonContext. after: files that are written before, as the addons name them.
    late: tasks without which these two are not complete: what is written is then made once more, after these.
    """
    wants_keys = context.cluster.spec.networking.cilium is not None and CILIUM_KEYS in context.stored.secret_names
    asked = replace(
        addon_context(context),
        additional=context.stored.additional_objects(),
        cilium_keys=context.stored.cilium_keys() if wants_keys else {},
        launches=launches,
    )
    found = addons_of(replace(asked, credentials=credentials()), context.stored.read_upstream)
    texts = _texts(found)

    @functools.lru_cache(maxsize=1)
    def complete(_user_data: tuple[str, ...], given: tuple[tuple[str, str], ...]) -> dict[str, str]:
        return _texts(addons_of(replace(asked, credentials=dict(given)), context.stored.read_upstream))

    def contents(key: str) -> str | Deferred:
        if not late:
            return texts[key]

        def now() -> str:
            user_data = tuple(launch.user_data for launch in launches())
            return complete(user_data, tuple(sorted(credentials().items())))[key]

        return Deferred([*late], now)

    files = [(addon.has_secrets, _key(addon), f"{DIRECTORY}/{addon.location}") for addon in found.addons]
    indexes = [(False, _BOOTSTRAP, INDEX)]
    if found.of_channels or context.stored.had_channels:
        indexes.append((False, _CHANNELS, CHANNELS))
    if cloud_of(context.cluster).starts_nodes:
        # As long as all manifests together: plans show those.
        indexes.append((True, _OBJECTS, LOCATION))
    for secret, key, place in (*files, *indexes):
        kind = ConfidentialFile if secret else ManagedFile
        context.add(
            kind(
                f"{context.name}-addons-{key}",
                context.layers.cluster,
                base=context.store_base,
                location=place,
                contents=contents(key),
                after=[*after],
            )
        )
    if found.upstream:
        _keep(context, found.upstream)


def _key(addon: Addon) -> str:
    """Those who publish channels choose names as they like."""
    return f"channel-{addon.key}" if addon.channel else addon.key


def _texts(found: Addons) -> dict[str, str]:
    """What is written of each addon, by its key, and the indexes."""
    return {
        **{_key(addon): addon.manifest for addon in found.addons},
        _BOOTSTRAP: index_text(found.bootstrap),
        _CHANNELS: index_text(found.of_channels, "channels"),
        _OBJECTS: stored_text(found),
    }


def _keep(context: ModelContext, files: Sequence[UpstreamFile]) -> None:
    """The files that others publish, so that they are fetched once; and their lock, which is written last."""
    stored = [
        context.add(
            ContentAddressedFile(
                f"{context.name}-addons-{sha256}",
                context.layers.cluster,
                base=context.store_base,
                location=location(sha256),
                contents=data,
            )
        )
        for sha256, data in {file.sha256: file.data for file in files}.items()
    ]
    context.add(
        StoreOnlyFile(
            f"{context.name}-addons-lock",
            context.layers.cluster,
            base=context.store_base,
            location=LOCK,
            contents=lock_text(files),
            after=[*stored],
        )
    )
