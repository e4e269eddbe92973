# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A finished archive is read again, and searched for every known secret in each of its forms."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from typing import IO

from .known import Known

_BLOCK = 4 << 20
# Of two blocks, so much is searched together; no form of a secret that is compared as a whole is longer.
_OVERLAP = 64 << 10


def leaks(stream: IO[bytes], known: Known) -> Iterator[tuple[str, str]]:
    """File and name of each secret that is still in an archive, also in names of files."""
    with tarfile.open(fileobj=stream, mode="r|gz") as archive:
        for member in archive:
            if name := known.find(member.name.encode(errors="replace")):
                yield "the name of a file", name
            content = archive.extractfile(member)
            if content is None:
                continue
            before = b""
            while block := content.read(_BLOCK):
                if name := known.find(before + block):
                    yield member.name, name
                    break
                before = block[-_OVERLAP:]
