# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which addons a cluster has: those that this collection provides, and the rest of kops'."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..api.additional import AdditionalObject
from .addon import Addon, make_addon
from .catalogue import ADDONS
from .context import AddonContext
from .definition import AddonDefinition
from .upstream import ReadUpstream, UpstreamFile

ADDITIONAL = "cluster-addons.kops.k8s.io"
# Objects that kops gives to programs of the control plane as files, rather than to the API server.
_FILES = (("kubescheduler.config.k8s.io", "KubeSchedulerConfiguration"),)


@dataclass(frozen=True)
class Addons:
    """The addons of a cluster.

    addons: to apply, in the index's order. unavailable: names of those that kops would install, but this collection
    does not provide. retired: names of those that this collection provides, but the cluster does not have: what is left
    of them is deleted.
    """

    addons: list[Addon]
    unavailable: list[str]
    retired: list[str]

    @property
    def own(self) -> list[Addon]:
        """The user's own objects."""
        return [addon for addon in self.addons if addon.name == ADDITIONAL]

    @property
    def made(self) -> list[Addon]:
        """What this collection makes."""
        return [addon for addon in self.addons if addon.name != ADDITIONAL]

    @property
    def upstream(self) -> list[UpstreamFile]:
        """The files of upstream releases, each once."""
        return list({file.url: file for addon in self.addons for file in addon.upstream}.values())

    @property
    def warnings(self) -> list[str]:
        """A sentence about the addons that are not available, if there are any."""
        if not self.unavailable:
            return []
        names = ", ".join(self.unavailable)
        return [f"these addons are not available in this collection yet, so the cluster runs without them: {names}"]


def addons_of(context: AddonContext, read_upstream: ReadUpstream) -> Addons:
    """The addons of a cluster. read_upstream: gives the files of upstream releases that they name.

    Raises KopsError if one of these is not to be had.
    """
    wanted = [definition for definition in ADDONS if definition.condition(context)]
    own = [definition for definition in wanted if not (definition.replaceable and definition.name in context.provided)]
    urls = {definition.name: definition.upstream(context) for definition in own}
    files = read_upstream([url for named in urls.values() for url in named])
    made = (make_addon(each, context, [files[url] for url in urls[each.name]]) for each in own)
    addons = [addon for addon in made if addon is not None]
    objects = [obj.data for obj in context.additional if not _is_file(obj)]
    for definition in wanted:
        if definition not in own:
            objects = [definition.adapt(context, obj) for obj in objects]
    if objects:
        addons.append(Addon(ADDITIONAL, objects, "default.yaml", selector={"k8s-addon": ADDITIONAL}))
    return Addons(
        addons,
        unavailable=[definition.name for definition in own if definition.build is None],
        retired=sorted(_provided(ADDONS) - {definition.name for definition in wanted}),
    )


def _provided(definitions: Sequence[AddonDefinition]) -> set[str]:
    return {definition.name for definition in definitions if definition.build is not None}


def _is_file(obj: AdditionalObject) -> bool:
    return (obj.api_version.partition("/")[0], obj.kind) in _FILES
