# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports the state of a machine to the controller, which issues certificates and computes NodeConfigs from it."""

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
    """The state of the machine. Changes nothing.

    certificates: as in a NodeConfig; by default those of the last NodeConfig. Returns plain data:
    facts: found by the machine, or given in the last run. certificates: name -> the present one, as PEM.
    hash: of the NodeConfig of the last complete run, "" if there is none.
    cluster, instanceGroup: what the machine belongs to, "" if to nothing. etcd: see etcd/observe.py.
    ready: see preflight.py.
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
    """The first certificate of a file, as PEM; "" if it or its private key does not exist."""
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
