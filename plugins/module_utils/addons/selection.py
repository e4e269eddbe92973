# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which addons a cluster has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..api.additional import AdditionalObject
from .addon import Addon, make_addon
from .catalogue import ADDONS
from .channels.addons import channel_addons
from .context import AddonContext
from .upstream import FilesError, ReadUpstream, UpstreamFile

ADDITIONAL = "cluster-addons.kops.k8s.io"
# Objects that kops gives to programs of the control plane as files, rather than to the API server.
_FILES = (("kubescheduler.config.k8s.io", "KubeSchedulerConfiguration"),)


@dataclass(frozen=True)
class Addons:
    """The addons of a cluster.

    addons: to apply, in the index's order. retired: names of those that the cluster does not have, and of which what is
    left is deleted.
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
        return [addon for addon in self.bootstrap if addon.name != ADDITIONAL]

    @property
    def bootstrap(self) -> list[Addon]:
        """Those in kops' index of addons: all but those of channels."""
        return [addon for addon in self.addons if not addon.channel]

    @property
    def of_channels(self) -> list[Addon]:
        """Those of the channels of spec.addons."""
        return [addon for addon in self.addons if addon.channel]

    @property
    def upstream(self) -> list[UpstreamFile]:
        """The files that others publish, each once."""
        return list({file.url: file for addon in self.addons for file in addon.upstream}.values())


def addons_of(context: AddonContext, read_upstream: ReadUpstream) -> Addons:
    """The addons of a cluster. read_upstream: gives the files that they name.

    Raises FilesError with everything that is wrong with these, and with the channels of spec.addons.
    """
    wanted = [definition for definition in ADDONS if definition.condition(context)]
    own = [definition for definition in wanted if not (definition.replaceable and definition.name in context.provided)]
    urls = {definition.name: definition.upstream(context) for definition in own}
    problems: list[str] = []
    files = _read(read_upstream, [url for named in urls.values() for url in named], problems)
    addons = [make_addon(each, context, [files[url] for url in urls[each.name] if url in files]) for each in own]
    objects = [obj.data for obj in context.additional if not _is_file(obj)]
    for definition in wanted:
        if definition not in own:
            objects = [definition.adapt(context, obj) for obj in objects]
    if objects:
        addons.append(Addon(ADDITIONAL, objects, "default.yaml", selector={"k8s-addon": ADDITIONAL}))
    addons += channel_addons(context, read_upstream, addons, problems)
    if problems:
        raise FilesError(problems)
    names = {definition.name for definition in wanted}
    leaving = {definition.name for definition in ADDONS if not definition.stays}
    return Addons(addons, sorted(leaving - names))


def _read(read: ReadUpstream, urls: Sequence[str], problems: list[str]) -> Mapping[str, UpstreamFile]:
    try:
        return read(urls)
    except FilesError as error:
        problems += error.problems
        return error.found


def _is_file(obj: AdditionalObject) -> bool:
    return (obj.api_version.partition("/")[0], obj.kind) in _FILES
