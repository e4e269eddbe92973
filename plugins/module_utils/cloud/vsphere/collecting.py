# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What vCenter says of many objects, by one call of its property collector: as plain mappings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Described = Mapping[str, Any]
# How the inventory hangs together: type -> properties that lead to the objects below.
_BELOW: Mapping[str, Sequence[str]] = {
    "Folder": ("childEntity",),
    "Datacenter": ("vmFolder", "hostFolder", "datastoreFolder", "networkFolder"),
    "ComputeResource": ("resourcePool",),
    "ResourcePool": ("resourcePool",),
}
_PAGE = 500


def below(content: Any, root: Any, wanted: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """Objects of the inventory below one of them: that one, too. wanted: type -> properties.

    content: what vCenter has (ServiceContent of the library). Each object has its "id" and its "type" as well; what
    vCenter does not say of it is missing.
    """
    from pyVmomi import vim, vmodl

    collector = vmodl.query.PropertyCollector
    names = [f"{kind}.{path}" for kind, paths in _BELOW.items() for path in paths]
    selections = [collector.SelectionSpec(name=name) for name in names]
    steps = [
        collector.TraversalSpec(
            name=f"{kind}.{path}", type=getattr(vim, kind), path=path, skip=False, selectSet=selections
        )
        for kind, paths in _BELOW.items()
        for path in paths
    ]
    return _collected(content, [collector.ObjectSpec(obj=root, skip=False, selectSet=steps)], wanted)


def these(content: Any, objects: Sequence[Any], wanted: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """Objects that are known. Raises the library's ManagedObjectNotFound if one of them is gone."""
    from pyVmomi import vmodl

    specs = [vmodl.query.PropertyCollector.ObjectSpec(obj=each, skip=False) for each in objects]
    return _collected(content, specs, wanted) if specs else []


def _collected(content: Any, objects: Sequence[Any], wanted: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    from pyVmomi import vmodl

    collector = vmodl.query.PropertyCollector
    properties = [
        collector.PropertySpec(type=managed(kind), all=False, pathSet=list(paths)) for kind, paths in wanted.items()
    ]
    spec = collector.FilterSpec(objectSet=list(objects), propSet=properties)
    options = collector.RetrieveOptions(maxObjects=_PAGE)
    return [_plain(each) for each in _pages(content.propertyCollector, spec, options)]


def _pages(collector: Any, spec: Any, options: Any) -> Iterator[Any]:
    answer = collector.RetrievePropertiesEx([spec], options)
    while answer is not None:
        yield from answer.objects
        answer = collector.ContinueRetrievePropertiesEx(answer.token) if answer.token else None


def managed(kind: str) -> Any:
    """The library's class of a kind of objects."""
    from pyVmomi import vim

    return vim.dvs.DistributedVirtualPortgroup if kind == "DistributedVirtualPortgroup" else getattr(vim, kind)


def kind_of(found: Any) -> str:
    """The kind of an object of the library."""
    return type(found).__name__.rpartition(".")[2]


def _plain(content: Any) -> dict[str, Any]:
    said = {each.name: _id(each.val) for each in content.propSet}
    return {"id": content.obj._moId, "type": kind_of(content.obj), **said}


def _id(value: Any) -> Any:
    """The id instead of a reference."""
    return getattr(value, "_moId", value)
