# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""v1alpha3 <-> hub: names and places are the same; v1alpha3 only lacks some fields."""

from __future__ import annotations

from typing import Any

from ...base.errors import FieldError
from .. import cluster as hub
from .. import host as hub_host
from .. import instance_group as hub_group
from .. import keyset as hub_keyset
from .. import ssh_credential as hub_ssh
from ..convert import Converter
from ..defaults import authorization_or_default
from ..topology import TopologySpec
from . import cluster, instance_group

_CONVERTER = Converter({})

# kind -> class here, class of the hub
KINDS: dict[str, tuple[type, type]] = {
    "Cluster": (cluster.Cluster, hub.Cluster),
    "Host": (hub_host.Host, hub_host.Host),
    "InstanceGroup": (instance_group.InstanceGroup, hub_group.InstanceGroup),
    "Keyset": (hub_keyset.Keyset, hub_keyset.Keyset),
    "SSHCredential": (hub_ssh.SSHCredential, hub_ssh.SSHCredential),
}


MOVED: dict[str, dict[str, str]] = {}


def to_hub(obj: Any, target: type, errors: list[FieldError]) -> Any:
    """The hub object (of class target) for a v1alpha3 object."""
    return _CONVERTER.convert(obj, target, errors)


def from_hub(obj: Any, target: type) -> Any:
    """The v1alpha3 object (of class target) for a hub object."""
    return _CONVERTER.convert(obj, target, [])


def set_defaults(obj: Any) -> None:
    """Apply the version's defaults; only a Cluster has any."""
    if not isinstance(obj, cluster.Cluster):
        return
    networking = obj.spec.networking
    if networking.topology is None:
        networking.topology = TopologySpec()
    networking.topology.dns = networking.topology.dns or "Public"
    obj.spec.authorization = authorization_or_default(obj.spec.authorization)
    if networking.flannel is not None:
        networking.flannel.backend = networking.flannel.backend or "udp"
