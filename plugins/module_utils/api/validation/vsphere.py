# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""spec.cloudProvider.vsphere: what the specification alone tells. What is in vCenter is asked there."""

from __future__ import annotations

import re

from ..vsphere import VSphereSpec
from .problems import Problems, forbidden, invalid

_SERVER = re.compile(r"([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:]+\])(:[0-9]{1,5})?")
_THUMBPRINT = re.compile(r"[0-9A-Fa-f]{64}|([0-9A-Fa-f]{2}:){31}[0-9A-Fa-f]{2}")
_PEM = "-----BEGIN CERTIFICATE-----"
# What names an object of vCenter, in the order of the specification.
_NAMES = ("datacenter", "compute_cluster", "resource_pool", "folder", "datastore", "etcd_datastore", "network")


def validate_vsphere(spec: VSphereSpec, path: str) -> Problems:
    """All of it."""
    found: Problems = []
    if spec.server is not None and not _SERVER.fullmatch(spec.server):
        found.append(invalid(f"{path}.server", spec.server, "must be a name or an address, with a port or without"))
    for name in _NAMES:
        value = getattr(spec, name)
        if value is not None and (not value.strip("/ ") or value != value.strip()):
            found.append(invalid(f"{path}.{_camel(name)}", value, "must be a name in vCenter, or the end of a path"))
    if spec.thumbprint is not None and not _THUMBPRINT.fullmatch(spec.thumbprint):
        found.append(invalid(f"{path}.thumbprint", spec.thumbprint, "must be a fingerprint by SHA-256, in hexadecimal"))
    if spec.ca_certificate is not None and _PEM not in spec.ca_certificate:
        found.append(invalid(f"{path}.caCertificate", "...", "must be a certificate in PEM"))
    ways = [
        name
        for name, value in (
            ("thumbprint", spec.thumbprint),
            ("caCertificate", spec.ca_certificate),
            ("insecureSkipVerify", spec.insecure_skip_verify),
        )
        if value
    ]
    found += [
        forbidden(f"{path}.{each}", f"only one way to know vCenter may be given, and {ways[0]} is") for each in ways[1:]
    ]
    return found


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(each.capitalize() for each in others)
