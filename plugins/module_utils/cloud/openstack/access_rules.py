# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the application credential of a cluster may ask: the access rules that Keystone has it with.

Who asks: control planes (node/openstack/, node/stores/swift.py), the cloud controller manager and Cinder's driver
(pkg/openstack and pkg/csi/cinder of kubernetes/cloud-provider-openstack), external-dns, and services that ask others in
the name of the caller: Nova asks Cinder and Neutron, Octavia asks Barbican.

In a path, ``*`` and ``{name}`` are one segment or the rest of it, and ``**`` is anything (auth_token of
keystonemiddleware, which compares the whole path of a request).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any
from urllib.parse import quote, unquote, urlsplit

# What services are called in the catalogue, and in rules.
COMPUTE, NETWORK, BALANCERS, NAMES, KEYS = "compute", "network", "load-balancer", "dns", "key-manager"
VOLUMES, OBJECTS = "block-storage", "object-store"
# Their other names, by which clouds may have them.
_ALSO = {VOLUMES: ("volumev3", "block-store")}
TYPES = (COMPUTE, NETWORK, VOLUMES, BALANCERS, NAMES, KEYS, OBJECTS)
_READ, _STORED_READ, _STORED_WRITTEN = ("GET",), ("GET", "HEAD"), ("PUT", "DELETE")
# Service -> methods and a path below the version of its API. Names are there for clusters that have some.
_TABLE: tuple[tuple[str, tuple[str, ...], str], ...] = (
    # Addresses, interfaces and volumes of servers.
    (COMPUTE, _READ, "/servers/**"),
    (COMPUTE, ("POST",), "/servers/*/os-volume_attachments"),
    (COMPUTE, ("DELETE",), "/servers/*/os-volume_attachments/*"),
    (COMPUTE, _READ, "/flavors/*"),
    (NETWORK, _READ, "/extensions**"),
    (NETWORK, _READ, "/networks**"),
    (NETWORK, _READ, "/subnets**"),
    (NETWORK, _READ, "/routers**"),
    # Security groups of load balancers, and addresses that are let through, are at the ports of servers.
    (NETWORK, _READ, "/ports**"),
    (NETWORK, ("PUT", "DELETE"), "/ports/*/tags/*"),
    (NETWORK, ("PUT",), "/ports/*"),
    (NETWORK, ("GET", "POST", "PUT", "DELETE"), "/floatingips**"),
    # Groups and their rules.
    (NETWORK, ("GET", "POST", "DELETE"), "/security-group**"),
    (BALANCERS, ("GET", "POST", "PUT", "DELETE"), "/lbaas/**"),
    # Nothing to read there is secret; types, limits and zones are among it.
    (VOLUMES, _READ, "/**"),
    (VOLUMES, ("POST", "DELETE"), "/volumes**"),
    (VOLUMES, ("POST", "DELETE"), "/snapshots**"),
    (VOLUMES, ("POST", "DELETE"), "/backups**"),
    # Nova makes them in the name of the caller.
    (VOLUMES, ("POST", "PUT", "DELETE"), "/attachments**"),
    (NAMES, _READ, "/zones**"),
    (NAMES, ("POST",), "/zones/*/recordsets"),
    (NAMES, ("PUT", "DELETE"), "/zones/*/recordsets/*"),
    # Names of certificates, and who may read them; neither keys, nor to give them to others.
    (KEYS, _READ, "/containers/*"),
    (KEYS, _READ, "/secrets/*"),
    (KEYS, _READ, "/*/*/acl"),
)
_SCHEME = "swift"
# Of a path in Keystone's database.
_LONGEST = 128
# Characters that mean something in a pattern, and that URLs have as they are.
_SPECIAL = re.compile(r"[$()*+]+")


def rules(
    types: Collection[str], *, read: Iterable[str | None], written: Iterable[str | None], with_names: bool
) -> list[str]:
    """Each rule as "SERVICE METHOD PATH", of the services that a cloud has. types: those of its catalogue.

    read, written: URLs of directories of stores, of which those in Swift count. with_names: whether the cluster has
    names in Designate.
    """
    wanted = [each for each in _TABLE if with_names or each[0] != NAMES]
    wanted += [(OBJECTS, _STORED_READ, path) for path in _places([*read], below=True)]
    wanted += [(OBJECTS, _STORED_WRITTEN, path) for path in _places([*written], below=False)]
    return sorted(
        {
            f"{kind} {method} {path}"
            for service, methods, path in wanted
            for kind in (service, *_ALSO.get(service, ()))
            if kind in types
            for method in methods
        }
    )


def _places(urls: Iterable[str | None], *, below: bool) -> Iterable[str]:
    """Paths of what is in directories; below: and of their containers, whose objects are listed."""
    split = (urlsplit(url) for url in urls if url)
    found = {f"/{_literal(each.netloc + each.path.rstrip('/'))}" for each in split if each.scheme == _SCHEME}
    for place in sorted(found):
        if below:
            yield _cut("/" + place.split("/")[1])
        if not any(place.startswith(f"{other}/") for other in found):
            yield _cut(f"{place}/**")


def _literal(name: str) -> str:
    """A name as the service sees it in a URL, as a pattern."""
    return _SPECIAL.sub("*", quote(unquote(name), safe="/~!$&'()*+,;=:@"))


def _cut(path: str) -> str:
    """The path, or all that begins like it if it is too long for Keystone."""
    room = _LONGEST - len(_before(mark("", "")))
    return path if len(path) <= room else f"{path[: room - 2].rstrip('*')}**"


def main_type(kind: str) -> str:
    """The first name of a service. kind: any of its names."""
    return next((service for service, others in _ALSO.items() if kind in others), kind)


def mark(cluster: str, project: str) -> str:
    """By which rules of a cluster are known among those of the user, who has them in all projects. project: its id."""
    return f"kubeops-{hashlib.sha256(f'{cluster} {project}'.encode()).hexdigest()[:12]}"


def as_asked(wanted: Iterable[str], own: str) -> list[dict[str, str]]:
    """Rules as Keystone takes them. own: the mark."""
    return [
        {"service": service, "method": method, "path": f"{_before(own)}{path}"}
        for service, method, path in (each.split(" ", 2) for each in wanted)
    ]


def is_own(rule: Mapping[str, Any], own: str) -> bool:
    """Whether a rule that Keystone describes has a mark."""
    return str(rule["path"]).startswith(_before(own))


def known(described: Iterable[Mapping[str, Any]], own: str) -> list[str]:
    """Those of rules, as Keystone describes them, that have a mark; as "SERVICE METHOD PATH"."""
    before = len(_before(own))
    found = (f"{each['service']} {each['method']} {each['path'][before:]}" for each in described if is_own(each, own))
    return sorted(found)


def _before(own: str) -> str:
    """How paths begin: for all down to the version of an API. The mark is a name of a pattern, and matches anything."""
    return f"/**{{{own}}}"
