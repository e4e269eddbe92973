# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which addons a cluster has."""

from __future__ import annotations

from dataclasses import dataclass

from ..api.additional import AdditionalObject
from .addon import Addon, make_addon
from .catalogue import ADDONS
from .context import AddonContext
from .upstream import ReadUpstream, UpstreamFile

ADDITIONAL = "cluster-addons.kops.k8s.io"
# Objects that kops gives to programs of the control plane as files, rather than to the API server.
_FILES = (("kubescheduler.config.k8s.io", "KubeSchedulerConfiguration"),)


@dataclass(frozen=True)
class Addons:
    """The addons of a cluster.

    addons: to apply, in the index's order. retired: names of those that the cluster does not have: what is left of them
    is deleted.
    """

    addons: list[Addon]
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


def addons_of(context: AddonContext, read_upstream: ReadUpstream) -> Addons:
    """The addons of a cluster. read_upstream: gives the files of upstream releases that they name.

    Raises KopsError if one of these is not to be had.
    """
    wanted = [definition for definition in ADDONS if definition.condition(context)]
    own = [definition for definition in wanted if not (definition.replaceable and definition.name in context.provided)]
    urls = {definition.name: definition.upstream(context) for definition in own}
    files = read_upstream([url for named in urls.values() for url in named])
    addons = [make_addon(each, context, [files[url] for url in urls[each.name]]) for each in own]
    objects = [obj.data for obj in context.additional if not _is_file(obj)]
    for definition in wanted:
        if definition not in own:
            objects = [definition.adapt(context, obj) for obj in objects]
    if objects:
        addons.append(Addon(ADDITIONAL, objects, "default.yaml", selector={"k8s-addon": ADDITIONAL}))
    names = {definition.name for definition in wanted}
    return Addons(addons, sorted({definition.name for definition in ADDONS} - names))


def _is_file(obj: AdditionalObject) -> bool:
    return (obj.api_version.partition("/")[0], obj.kind) in _FILES
