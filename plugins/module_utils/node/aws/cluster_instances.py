# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The instances of a cluster as its controllers see them (pkg/nodeidentity/aws of kops).

One question in pages is asked for all of them, where kops asks for each Node.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from xml.etree.ElementTree import Element

from ...base.instance_ids import EC2
from ...base.labels import INSTANCE_GROUP
from ..cloud.instances import CloudInstance
from .api import AWS

_CLUSTER_TAG = "KubernetesCluster"
_CONTROL_PLANE_TAG = "k8s.io/role/control-plane"
_SERVER_TAGS = (_CONTROL_PLANE_TAG, "k8s.io/role/apiserver")
_LABEL_TAG = "k8s.io/cluster-autoscaler/node-template/label/"
_PAGE, _FILTER_VALUES = "1000", 200
_RUNNING = ("pending", "running")
_TERMINATED = "terminated"


class AWSInstances:
    """Those of one cluster."""

    ids = EC2

    def __init__(self, aws: AWS, cluster: str) -> None:
        self.aws, self.cluster = aws, cluster

    def own_id(self) -> str:
        """The instance that the process runs on."""
        return self.aws.told("meta-data/instance-id")

    def all(self) -> dict[str, CloudInstance]:
        """See CloudInstances. Raises ServiceError, KopsError."""
        return {found.id: found for found in map(_read, self._ours(self._own()))}

    def servers(self) -> dict[str, CloudInstance]:
        """See CloudInstances. Raises ServiceError, KopsError."""
        request = {**self._own(), "Filter.2.Name": "tag-key"}
        request.update({f"Filter.2.Value.{number}": tag for number, tag in enumerate(_SERVER_TAGS, start=1)})
        ours = [item for item in self._ours(request) if _tags(item).keys() & set(_SERVER_TAGS)]
        return {found.id: found for found in map(_read, ours)}

    def existing(self, ids: Collection[str]) -> set[str]:
        """See CloudInstances. By a filter, since an unknown id would be an error. Raises ServiceError, KopsError."""
        found, names = set(), sorted(ids)
        for start in range(0, len(names), _FILTER_VALUES):
            request = {"Filter.1.Name": "instance-id"}
            some = names[start : start + _FILTER_VALUES]
            request.update({f"Filter.1.Value.{number}": name for number, name in enumerate(some, start=1)})
            found |= {each.id for each in map(_read, self._items(request)) if not each.is_terminated}
        return found & set(names)

    def _own(self) -> dict[str, str]:
        return {"Filter.1.Name": f"tag:{_CLUSTER_TAG}", "Filter.1.Value.1": self.cluster, "MaxResults": _PAGE}

    def _ours(self, request: dict[str, str]) -> Iterator[Element]:
        """By their own tags: labels, records and the Nodes of the cluster follow from them."""
        return (item for item in self._items(request) if _tags(item).get(_CLUSTER_TAG) == self.cluster)

    def _items(self, request: dict[str, str]) -> Iterator[Element]:
        for answer in self.aws.pages("ec2", "DescribeInstances", request):
            yield from answer.iterfind("reservationSet/item/instancesSet/item")


def _read(item: Element) -> CloudInstance:
    tags = _tags(item)
    state, lifecycle = _text(item, "instanceState/name"), _text(item, "instanceLifecycle")
    interface = _first_interface(item)
    addresses = _text(item, "privateIpAddress"), _text(item, "ipAddress")
    own = () if interface is None else interface.iterfind("ipv6AddressesSet/item/ipv6Address")
    version6 = tuple(each.text for each in own if each.text)
    prefixes = () if interface is None else interface.iterfind("ipv6PrefixesSet/item/ipv6Prefix")
    return CloudInstance(
        id=_text(item, "instanceId"),
        host_name=_text(item, "privateDnsName"),
        group=tags.get(INSTANCE_GROUP, ""),
        role="ControlPlane" if _CONTROL_PLANE_TAG in tags else "",
        runs=state in _RUNNING,
        is_terminated=state == _TERMINATED,
        # As IdentifyNode of kops has them; those on demand have no lifecycle.
        labels={f"node-role.kubernetes.io/{lifecycle}-worker": "true"} if lifecycle else {},
        tagged_labels={key[len(_LABEL_TAG) :]: tags[key] for key in tags if key.startswith(_LABEL_TAG)},
        internal=tuple(filter(None, (addresses[0], *version6))),
        # IPv6 addresses of AWS are the same inside and outside.
        external=tuple(filter(None, (addresses[1], *version6))),
        pod_range=next((each.text for each in prefixes if each.text), ""),
    )


def _tags(item: Element) -> dict[str, str]:
    return {_text(tag, "key"): _text(tag, "value") for tag in item.iterfind("tagSet/item")}


def _first_interface(item: Element) -> Element | None:
    for interface in item.iterfind("networkInterfaceSet/item"):
        if _text(interface, "attachment/deviceIndex") == "0":
            return interface
    return None


def _text(element: Element, path: str) -> str:
    return element.findtext(path) or ""
