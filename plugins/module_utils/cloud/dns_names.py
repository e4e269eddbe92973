# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which records of a zone are a cluster's own, by their names. Zones never are: they existed before it."""

from __future__ import annotations

import re

# The names below the cluster's that kops and its dns-controller write (and external-dns' ownership records).
_NAMES = ("api", "api.internal", "bastion", "kops-controller.internal")
# The names of etcd's members, of this collection and of older versions of kops. They have one label only before that:
# etcd-a.internal.demo is a name of the cluster demo, and not of the domain above it, which may be a cluster as well.
_OF_ETCD = re.compile(r"[^.]+\.etcd\.internal|etcd-[^.]+\.internal")
_TYPES = ("A", "AAAA", "TXT")


def is_own(cluster: str, name: str, record_type: str) -> bool:
    """Whether a record is the cluster's. name: with the last dot or without it."""
    name, suffix = name.rstrip("."), f".{cluster}"
    if record_type not in _TYPES or not name.endswith(suffix):
        return False
    prefix = name.removesuffix(suffix)
    if record_type == "TXT":
        prefix = prefix.removeprefix("aaaa-")
    return prefix in _NAMES or _OF_ETCD.fullmatch(prefix) is not None
