# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The domains of an account and their records. A record has one value, and says nothing of whose it is.

Names that only clusters of kops have are known as such. A cluster's public name can be any: beside it is a record of
text that names the cluster.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..dns_names import is_own
from . import names
from .cloud import Described, DigitalOceanCloud
from .kinds import DOMAIN, records_of
from .ownership import described

TEXT = "TXT"
_APEX = "@"


def records(cloud: DigitalOceanCloud, domain: str) -> list[dict[str, Any]]:
    """All records of a domain. One call for 200 of them. Raises KopsError."""
    return cloud.read(records_of(domain))


def domains_of(cloud: DigitalOceanCloud) -> list[str]:
    """Those that could hold the cluster's names."""
    found = [str(each["name"]) for each in cloud.once(described, DOMAIN)]
    return [each for each in found if f".{cloud.cluster_name}".endswith(f".{each}")]


def own_records(cloud: DigitalOceanCloud, domain: str) -> list[Described]:
    """Those that control planes and updates write, and the texts that name the cluster."""
    known = cloud.once(records, domain)
    marked = {str(each["name"]) for each in marks_in(cloud, known)}
    return [
        each
        for each in known
        if is_own(cloud.cluster_name, whole(str(each["name"]), domain), str(each["type"]))
        or (each["name"] in marked and each["type"] in ("A", "AAAA"))
        or each in marks_in(cloud, known)
    ]


def marks_in(cloud: DigitalOceanCloud, known: Iterable[Described]) -> list[Described]:
    """The texts that name the cluster, among records."""
    mark = names.mark(cloud.cluster_name)
    return [each for each in known if each["type"] == TEXT and str(each["data"]).strip('"') == mark]


def whole(name: str, domain: str) -> str:
    """The name in DNS of a record."""
    return domain if name == _APEX else f"{name}.{domain}"


def within(name: str, domain: str) -> str:
    """The name of a record. name: in DNS, below the domain."""
    name = name.lower()
    return _APEX if name == domain else name.removesuffix(f".{domain}")
