# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a machine says of itself: to those who issue its certificates and choose what it shall be."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..base.errors import ConfigError
from . import preflight, record, schema
from .etcd.observe import observe_members
from .facts import FOUND
from .items import Certificate
from .machine import Machine

_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----\n.+?\n-----END CERTIFICATE-----\n", re.DOTALL)
_IN_KUBECONFIG = re.compile(r"^\s*client-certificate-data:\s*[\"']?([A-Za-z0-9+/=]+)", re.MULTILINE)


def observe(machine: Machine, certificates: Iterable[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """The machine as it is; nothing is changed.

    certificates: as a NodeConfig lists them; without any, those that the last NodeConfig listed. Returns plain data:
    facts: what it found, and what it was given the last time. certificates: the present ones as PEM, by name.
    hash: of the NodeConfig that it was last converged to, "" for none or an unfinished run.
    cluster, instanceGroup: what it is of, "" for nothing. etcd: its members, as etcd_observe has them.
    ready: what speaks for and against it, as preflight has it.
    distribution, family, architecture, kernel. Raises ConfigError.
    """
    problems: list[str] = []
    asked = schema.list_of(schema.an_item(Certificate))(list(certificates), "certificates", problems)
    if problems:
        raise ConfigError(problems)
    known = record.load(machine.path(record.PATH))
    asked = asked or [
        Certificate(name=name, path=place["path"], key=place["key"], kind=place["kind"])
        for name, place in known.certificates.items()
    ]
    present = {each.name: _certificate(machine, each) for each in asked}
    return {
        "facts": {**{name: find(machine, known.facts) for name, find in FOUND.items()}, **known.facts},
        "certificates": {name: text for name, text in present.items() if text},
        "hash": known.config,
        "cluster": known.cluster,
        "instanceGroup": known.instance_group,
        "etcd": observe_members(machine.root),
        "ready": preflight.observe(machine),
        "distribution": machine.distribution.name,
        "family": machine.distribution.family,
        "architecture": machine.host.architecture(),
        "kernel": machine.host.kernel(),
    }


def _certificate(machine: Machine, certificate: Certificate) -> str:
    """The first certificate of a file, in PEM; "" without it, or without the key that belongs to it."""
    text = machine.read_text(certificate.path)
    if certificate.key and not machine.read_text(certificate.key):
        return ""
    if certificate.kind == "kubeconfig":
        embedded = _IN_KUBECONFIG.search(text)
        text = _decoded(embedded.group(1)) if embedded else ""
    found = _CERTIFICATE.search(text if text.endswith("\n") else text + "\n")
    return found.group(0) if found else ""


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text).decode(errors="replace")
    except binascii.Error:
        return ""
