# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Volumes that drivers have made for PersistentVolumeClaims, and what they say of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Keys that external-provisioner gives every driver (--extra-create-metadata), and that in-tree plugins wrote before.
_NAMESPACE, _CLAIM, _VOLUME = (f"kubernetes.io/created-for/{key}" for key in ("pvc/namespace", "pvc/name", "pv/name"))
# Without them, the driver of EBS writes the name of the PersistentVolume only.
_OF_DRIVER = "CSIVolumeName"


def claim_of(said: Mapping[str, Any]) -> str:
    """The claim of a volume, "namespace/name", or its PersistentVolume if it names that only; "" if it is of none.

    said: the keys and values that the volume has: its tags, its metadata, or what its description says.
    """
    if said.get(_CLAIM):
        return "/".join(str(said[key]) for key in (_NAMESPACE, _CLAIM) if said.get(key))
    return str(said.get(_VOLUME) or said.get(_OF_DRIVER) or "")
