# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""SSH keys of an account. No two of them are the same key."""

from __future__ import annotations

import base64
import binascii
import hashlib
import itertools
from collections.abc import Callable
from typing import Any

from ..rest_server import Call
from .answers import missing, needed, page, unprocessable


class Keys:
    """objects: id -> key."""

    def __init__(self) -> None:
        self.objects: dict[int, dict[str, Any]] = {}
        self._numbers = itertools.count(501)

    def routes(self) -> dict[str, Callable[..., Any]]:
        """Those of SSH keys."""
        return {
            "GET account/keys": lambda call: page(call, "ssh_keys", list(self.objects.values())),
            "POST account/keys": self._create,
            "GET account/keys/{identifier}": lambda call, identifier: {"ssh_key": self.known(identifier)},
            "PUT account/keys/{identifier}": self._rename,
            "DELETE account/keys/{identifier}": self._delete,
        }

    def known(self, reference: Any) -> dict[str, Any]:
        """A key by its id or fingerprint. Raises Refusal."""
        for each in self.objects.values():
            if str(reference) in (str(each["id"]), each["fingerprint"]):
                return each
        raise missing()

    def _create(self, call: Call) -> Any:
        needed(call.body, "name", "public_key")
        fingerprint = fingerprint_of(call.body["public_key"])
        if any(each["fingerprint"] == fingerprint for each in self.objects.values()):
            raise unprocessable("SSH Key is already in use on your account")
        key = {"id": next(self._numbers), "fingerprint": fingerprint, **call.body}
        self.objects[key["id"]] = key
        return 201, {"ssh_key": key}

    def _rename(self, call: Call, identifier: str) -> Any:
        key = self.known(identifier)
        key["name"] = call.body["name"]
        return {"ssh_key": key}

    def _delete(self, call: Call, identifier: str) -> None:
        del self.objects[self.known(identifier)["id"]]


def fingerprint_of(public_key: str) -> str:
    """MD5, colon-separated. Raises Refusal."""
    parts = public_key.split()
    try:
        if len(parts) < 2:
            raise ValueError(public_key)
        digest = hashlib.md5(base64.b64decode(parts[1], validate=True), usedforsecurity=False).hexdigest()
    except (binascii.Error, ValueError):
        raise unprocessable("Key invalid, key should be of the format `type key [comment]`") from None
    return ":".join(digest[at : at + 2] for at in range(0, len(digest), 2))
