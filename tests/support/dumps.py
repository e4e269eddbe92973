# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of dumps share: the secrets of a store, and a search for them in an archive that knows nothing of ours."""

from __future__ import annotations

import base64
import json
import pathlib
import tarfile
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore

PASSWORD = "correct-h0rse-battery"
DOCKER_CONFIG = json.dumps(
    {"auths": {"r.example.com": {"auth": base64.b64encode(f"bob:{PASSWORD}".encode()).decode()}}}
)


def secrets_of(store: str, name: str) -> list[bytes]:
    """The private keys and secrets of a cluster."""
    cluster = ClusterStore.open(store, name)
    items = [item for each in cluster.keysets.list().values() for item in each.items.values()]
    keys = [item.private_key.encode() for item in items if item.private_key]
    assert len(keys) >= 4
    values = [cluster.secrets.find(secret) or b"" for secret in cluster.secrets.list()]
    return [*keys, *values, PASSWORD.encode()]


def spoken(secrets: list[bytes]) -> str:
    """A log in which all secrets are, in several forms. Keys that are no text are only there as texts carry them."""
    texts = (each for each in secrets if each.isascii())
    lines = [b"begin of the log", *texts, *map(base64.b64encode, secrets), base64.encodebytes(secrets[0])]
    return b"\n".join([*lines, b"end of the log\n"]).decode()


def files_of(archive: pathlib.Path) -> dict[str, bytes]:
    """The files by their paths below the archive's directory."""
    with tarfile.open(archive) as tar:
        contents = {member.name.partition("/")[2]: tar.extractfile(member) for member in tar}
        return {name: content.read() for name, content in contents.items() if content}


def leaks(files: dict[str, bytes], secrets: list[bytes]) -> list[str]:
    """Files in which a secret, a line of one, or one in base64 is."""
    forms = set()
    for secret in secrets:
        lines = [line for line in secret.splitlines() if not line.startswith(b"-----") and len(line) > 12]
        forms |= {secret, *lines, base64.b64encode(secret), base64.b64encode(secret)[:60]}
    return [name for name, content in files.items() if any(form in content for form in forms)]


def index_of(files: dict[str, bytes]) -> dict[str, Any]:
    """The index."""
    found: dict[str, Any] = json.loads(files["index.json"])
    return found


def taken(directory: pathlib.Path, output: str, seconds: float, secrets: list[bytes]) -> dict[str, bytes]:
    """The files of the only archive in a directory: no secret. output, seconds: of the run that made it."""
    (archive,) = directory.iterdir()
    files = files_of(archive)
    print(f"\n{seconds:.1f} s, {archive.stat().st_size / 1e6:.1f} MB, {len(files)} files")
    print(files["summary.txt"].decode())
    assert leaks({**files, "output": output.encode()}, secrets) == []
    return files
