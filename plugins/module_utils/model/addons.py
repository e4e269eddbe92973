# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The addons in the state store: their manifests, and the index of them (bootstrapchannelbuilder of kops)."""

from __future__ import annotations

from ..addons.catalogue import addons_of
from ..addons.index import DIRECTORY, INDEX, index_text
from ..cloud.tasks.managed_file import ManagedFile
from .context import ModelContext


def build(context: ModelContext) -> None:
    """A file for each addon, and the index."""
    found = addons_of(
        context.cluster, context.groups, features=context.features, additional=context.additional_objects()
    )
    files = {addon.key: (f"{DIRECTORY}/{addon.location}", addon.manifest) for addon in found.addons}
    files["bootstrap"] = (INDEX, index_text(found.addons))
    for key, (location, contents) in files.items():
        context.add(
            ManagedFile(
                f"{context.name}-addons-{key}",
                context.layers.cluster,
                base=context.store_base,
                location=location,
                contents=contents,
            )
        )
