# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports the state of a machine to the controller, which issues certificates and computes NodeConfigs from it."""

from __future__ import annotations

import base64
import binascii
import glob
import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..base.errors import ConfigError
from ..base.tokens import signer_of
from ..exchange import schema
from ..exchange.items import Certificate
from . import preflight, record
from .etcd.observe import observe_members
from .facts import FOUND
from .keys import issue
from .system.machine import MANIFESTS, Machine

_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----\n.+?\n-----END CERTIFICATE-----\n", re.DOTALL)
_API_SERVER = re.compile(r"^[\s-]*image:\s*\S*?/kube-apiserver(?:-(?:amd64|arm64))?:v?([^\s\"'@]+)", re.MULTILINE)
_TOKENS = "/var/lib/kubelet/pods/*/volumes/kubernetes.io~projected/*/token"
_ENCRYPTION = "/srv/kubernetes/kube-apiserver/encryptionconfig.yaml"
_FIELD = r"^[\s-]*{}:\s*[\"']?([^\s\"']+)"


def observe(machine: Machine, certificates: Iterable[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """The state of the machine. Changes nothing.

    certificates: as in a NodeConfig; by default those of the last NodeConfig. Returns plain data:
    facts: found by the machine, or given in the last run. certificates: name -> the present one, as PEM.
    kubeconfigs: name -> server, and authorities (the CAs that it trusts, as PEM), of the certificates in kubeconfigs.
    authorities: keyset -> what the files of its trusted certificates or public keys contain (PEM).
    tokenKeys: ids of the keys that have signed the tokens of the machine's pods.
    encryption: the SHA-256 of the encryption configuration of its API server, "" if it has none.
    hash: of the NodeConfig of the last complete run, "" if there is none.
    apiServerVersion: of the API server that the machine runs, "" if it runs none or its image has no tag.
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
        "kubeconfigs": {each.name: _cluster(machine, each) for each in asked if each.kind == "kubeconfig"},
        "authorities": _authorities(machine, known.authorities),
        "tokenKeys": _token_keys(machine),
        "encryption": _encryption(machine),
        "hash": known.config,
        "cluster": known.cluster,
        "instanceGroup": known.instance_group,
        "apiServerVersion": _api_server_version(machine),
        "etcd": observe_members(machine.root),
        "ready": preflight.observe(machine),
        "distribution": machine.distribution.name,
        "family": machine.distribution.family,
        "architecture": machine.host.architecture(),
        "kernel": machine.host.kernel(),
    }


def _api_server_version(machine: Machine) -> str:
    found = _API_SERVER.search(machine.read_text(f"{MANIFESTS}/kube-apiserver.manifest"))
    # A tag cannot hold the sign before build data.
    return found.group(1).replace("_", "+") if found else ""


def _certificate(machine: Machine, certificate: Certificate) -> str:
    """The first certificate of a file, as PEM; "" if it or its private key does not exist, or if that is another's.

    A run that was killed between the two files leaves a certificate beside the key of the one before.
    """
    text = machine.read_text(certificate.path)
    if certificate.key and not issue.belongs(text, machine.read_text(certificate.key)):
        return ""
    if certificate.kind == "kubeconfig":
        text = _decoded(_field(text, "client-certificate-data"))
    found = _CERTIFICATE.search(text if text.endswith("\n") else text + "\n")
    return found.group(0) if found else ""


def _cluster(machine: Machine, certificate: Certificate) -> dict[str, str]:
    """Which cluster a kubeconfig leads to, and by which CAs its user knows the API server; texts are "" if missing."""
    text = machine.read_text(certificate.path)
    return {"server": _field(text, "server"), "authorities": _decoded(_field(text, "certificate-authority-data"))}


def _authorities(machine: Machine, places: Mapping[str, str]) -> dict[str, list[str]]:
    found: dict[str, set[str]] = {}
    for path, reference in places.items():
        found.setdefault(reference.partition("/")[2], set()).add(machine.read_text(path))
    return {keyset: sorted(texts) for keyset, texts in sorted(found.items())}


def _encryption(machine: Machine) -> str:
    text = machine.read_text(_ENCRYPTION)
    return hashlib.sha256(text.encode()).hexdigest() if text else ""


def _token_keys(machine: Machine) -> list[str]:
    tokens = glob.glob(machine.path(_TOKENS))
    found = {signer_of(machine.read_text(f"/{os.path.relpath(path, machine.root)}")) for path in tokens}
    return sorted(found - {""})


def _field(text: str, name: str) -> str:
    """The first value of a field in YAML, "" if there is none."""
    found = re.search(_FIELD.format(name), text, re.MULTILINE)
    return found.group(1) if found else ""


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text).decode(errors="replace")
    except binascii.Error:
        return ""
