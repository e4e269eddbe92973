# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node asks of a bootstrap server, and what it is answered: POST /bootstrap, as in kops (pkg/apis/nodeup).

Two keys are ours: ``nodeConfigHash``, the NodeConfig that the node was started with (kops has one for each group), and
``keysets``, the key pairs that it was started for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..base.errors import KopsError

API_VERSION = "bootstrap.kops.k8s.io/v1alpha1"
PATH = "/bootstrap"
JSON = "application/json"


class MessageError(KopsError):
    """A message that cannot be read."""


@dataclass(frozen=True)
class Request:
    """public_keys: name of a certificate -> the key to certify, PEM. node_config: its hash, "" if it is not wanted.

    keysets: name -> ids of its key pairs as user data says, the primary first.
    """

    public_keys: Mapping[str, str] = field(default_factory=dict)
    node_config: str = ""
    keysets: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def text(self) -> bytes:
        """The message."""
        data: dict[str, Any] = {
            "apiVersion": API_VERSION,
            "certs": dict(self.public_keys),
            "keypairIDs": {},
            "includeNodeConfig": bool(self.node_config),
            "nodeConfigHash": self.node_config,
        }
        if self.keysets:
            data["keysets"] = {name: list(ids) for name, ids in self.keysets.items()}
        return json.dumps(data).encode()

    @classmethod
    def read(cls, content: bytes) -> Request:
        """Raises MessageError."""
        data = _mapping(content)
        if data.get("apiVersion") != API_VERSION:
            raise MessageError(f"apiVersion must be {API_VERSION}")
        wanted = data.get("nodeConfigHash") or ""
        if not isinstance(wanted, str):
            raise MessageError("nodeConfigHash must be a text")
        keysets = data.get("keysets") or {}
        if not isinstance(keysets, dict) or not all(isinstance(ids, list) for ids in keysets.values()):
            raise MessageError("keysets must be a mapping from names to lists")
        return cls(_texts(data, "certs"), wanted if data.get("includeNodeConfig") else "", keysets)


@dataclass(frozen=True)
class Answer:
    """certificates: name -> PEM. node_config: its text, "" if it was not asked for.

    secrets: what files of the NodeConfig refer to, besides the node's certificates: name -> base64.
    """

    certificates: Mapping[str, str] = field(default_factory=dict)
    node_config: str = ""
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)

    def text(self) -> bytes:
        """The message."""
        config = {"nodeupConfig": self.node_config, "nodeSecrets": dict(self.secrets)}
        return json.dumps({"certs": dict(self.certificates), "nodeConfig": config}).encode()

    @classmethod
    def read(cls, content: bytes) -> Answer:
        """Raises MessageError."""
        data = _mapping(content)
        config = data.get("nodeConfig") or {}
        if not isinstance(config, dict) or not isinstance(config.get("nodeupConfig") or "", str):
            raise MessageError("nodeConfig must be a mapping, and its nodeupConfig a text")
        return cls(_texts(data, "certs"), config.get("nodeupConfig") or "", _texts(config, "nodeSecrets"))


def _mapping(content: bytes) -> dict[str, Any]:
    try:
        data = json.loads(content)
    # A deeply nested message ends in the latter.
    except (ValueError, RecursionError):
        raise MessageError("the message is not JSON") from None
    if not isinstance(data, dict):
        raise MessageError("the message must be a mapping")
    return data


def _texts(data: Mapping[str, Any], name: str) -> dict[str, str]:
    found = data.get(name) or {}
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise MessageError(f"{name} must be a mapping from texts to texts")
    return found
