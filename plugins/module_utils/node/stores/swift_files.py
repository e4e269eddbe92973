# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files in Swift; writing, listing and removing objects.

Apart from plain reading, which is part of user data.
"""

from __future__ import annotations

import json
import urllib.error
from collections.abc import Iterable
from typing import Any

from .object_files import CONTENT_TYPE, ObjectFiles
from .swift_container import Container

_NOT_FOUND = 404


class ContainerOfFiles(Container, ObjectFiles):
    """A container whose objects are files. Their tags are checksums."""

    def get(self, key: str, tag: str = "") -> Any:
        """See ObjectFiles."""
        return self.open("GET", key, headers={"If-None-Match": tag} if tag else {})

    def tag_of(self, answer: Any) -> str:
        """See ObjectFiles."""
        return str(answer.headers.get("ETag") or "").strip('"')

    def put(self, key: str, content: Iterable[bytes], size: int, md5: bytes) -> None:
        """See ObjectFiles."""
        headers = {"Content-Type": CONTENT_TYPE, "ETag": md5.hex(), "Content-Length": str(size)}
        with self.open("PUT", key, content, headers):
            pass

    def delete(self, key: str) -> None:
        """See ObjectFiles."""
        with self.open("DELETE", key):
            pass

    def page(self, prefix: str, after: str) -> tuple[list[str], str]:
        """Ten thousand names at most; more begin after the last one."""
        query = {"format": "json", "prefix": prefix, **({"marker": after} if after else {})}
        with self.open("GET", query=query) as answer:
            content = answer.read()
        names = [str(each["name"]) for each in (json.loads(content) if content else ())]
        return names, names[-1] if names else ""

    def exists(self) -> bool:
        """See ObjectFiles."""
        try:
            with self.open("HEAD"):
                return True
        except urllib.error.HTTPError as error:
            if error.code != _NOT_FOUND:
                raise
            error.close()
            return False
