# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates of nodes: what a node needs, as its NodeConfig describes it and for how long.

The controller, control planes and the bootstrap server all issue by this rule. Source of subjects, names and validity:
nodeup/pkg/model and nodetasks/issue_cert.go of kops.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

from ..base.errors import KopsError
from .document import fill, markers
from .items import VALID_HOURS, Certificate

# Nodes of one age do not all expire at once: the same for all certificates of a node, another for another node.
_SPREAD_HOURS = 30 * 24
# Any run within this time before the end issues anew.
RENEWED_BEFORE = datetime.timedelta(days=60)


@dataclass(frozen=True)
class Wanted:
    """What a certificate of one node has to be.

    type: client, server or clientServer. alternate_names: DNS names and IP addresses.
    """

    type: str
    common_name: str
    organizations: tuple[str, ...]
    alternate_names: tuple[str, ...]
    validity: datetime.timedelta


def wanted(certificate: Certificate, facts: Mapping[str, str]) -> Wanted:
    """What to issue for one node. facts: by name, as in the markers. Raises KopsError for one that is missing."""
    return Wanted(
        type=certificate.type,
        common_name=filled(certificate.common_name, facts),
        organizations=tuple(certificate.organizations),
        alternate_names=tuple(dict.fromkeys(filled(name, facts) for name in certificate.alternate_names)),
        validity=validity(facts.get("NODE_NAME", ""), certificate.validity_hours),
    )


def filled(text: str, facts: Mapping[str, str]) -> str:
    """Text with its markers replaced. Raises KopsError for a fact that is not given."""
    for missing in sorted(markers(text) - facts.keys()):
        raise KopsError(f"fact {missing} of a node is needed for its certificates, but was not given")
    return str(fill(text, facts))


def validity(node_name: str, hours: int = VALID_HOURS) -> datetime.timedelta:
    """How long certificates of a node are valid: these hours, and up to 30 days more that its name decides (FNV-1)."""
    number = 0x811C9DC5
    for byte in node_name.encode():
        number = (number * 0x01000193 % 2**32) ^ byte
    return datetime.timedelta(hours=hours + number % _SPREAD_HOURS)
