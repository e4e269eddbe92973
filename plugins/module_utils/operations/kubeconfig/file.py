# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A kubeconfig file: one cluster's entries merged into it or taken out; everything else in it stays."""

from __future__ import annotations

import contextlib
import copy
import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

from ...base.errors import KopsError

MODE = 0o600
_EMPTY: dict[str, Any] = {"apiVersion": "v1", "kind": "Config", "preferences": {}}
# List in the file -> the key under which each of its entries keeps what it says.
_LISTS = {"clusters": "cluster", "contexts": "context", "users": "user"}
_SECRET_KEYS = frozenset(["client-key-data", "password", "token"])


class Kubeconfig:
    """The content of a kubeconfig file, as plain data."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data

    def entry(self, where: str, name: str) -> dict[str, Any]:
        """What the list where ("clusters", "contexts", "users") says under a name; {} when nothing."""
        for found in self.data.get(where) or ():
            if isinstance(found, dict) and found.get("name") == name:
                return dict(found.get(_LISTS[where]) or {})
        return {}

    def update(self, where: str, name: str, values: Mapping[str, Any]) -> None:
        """Set keys of an entry, made if need be; a value of None takes the key out."""
        merged = {**self.entry(where, name), **values}
        content = {key: value for key, value in merged.items() if value is not None}
        entries = [found for found in self.data.get(where) or [] if found.get("name") != name]
        self.data[where] = sorted(
            [*entries, {"name": name, _LISTS[where]: content}], key=lambda found: str(found.get("name"))
        )

    def remove(self, where: str, name: str) -> None:
        """Take an entry out; nothing happens when it is not there."""
        if self.data.get(where):
            self.data[where] = [found for found in self.data[where] if found.get("name") != name]

    def text(self) -> str:
        """The file's text."""
        import yaml

        return yaml.safe_dump(self.data, default_flow_style=False)

    def shown(self) -> str:
        """The file's text without its secrets, for a diff."""
        shown = copy.deepcopy(self.data)
        for user in shown.get("users") or ():
            content = user.get("user") or {}
            content.update(dict.fromkeys(_SECRET_KEYS & content.keys(), "(sensitive)"))
        return Kubeconfig(shown).text()


def default_path() -> str:
    """Where kubectl looks first: the first of $KUBECONFIG, else ~/.kube/config."""
    listed = [path for path in os.environ.get("KUBECONFIG", "").split(os.pathsep) if path]
    return listed[0] if listed else os.path.join("~", ".kube", "config")


def read(path: str) -> Kubeconfig:
    """The file's content; an empty one when there is no file. Raises KopsError for a file that is no kubeconfig."""
    import yaml

    try:
        with open(path, encoding="utf-8") as stream:
            data = yaml.safe_load(stream)
    except FileNotFoundError:
        data = None
    except (OSError, UnicodeDecodeError) as error:
        raise KopsError(f"cannot read {path}: {error}") from error
    except (yaml.YAMLError, RecursionError):
        # The parser's text would quote the file, with the keys in it.
        raise KopsError(f"{path} is no kubeconfig: it is not YAML") from None
    if data is None:
        return Kubeconfig(copy.deepcopy(_EMPTY))
    named = isinstance(data, dict) and all(
        isinstance(entry, dict) for where in _LISTS for entry in (data.get(where) or ())
    )
    if not named:
        raise KopsError(f"{path} is no kubeconfig; give another path, or move the file away")
    return Kubeconfig({**copy.deepcopy(_EMPTY), **data})


def is_private(path: str) -> bool:
    """Whether only its owner can read the file; a missing one is."""
    try:
        return not stat.S_IMODE(os.stat(path).st_mode) & 0o077
    except FileNotFoundError:
        return True


def write(path: str, content: Kubeconfig) -> None:
    """Replace the file at once, readable for its owner only. A symbolic link stays one."""
    replace(path, content.text())


def replace(path: str, text: str) -> None:
    """The same with any text. Raises KopsError."""
    target = os.path.realpath(path)
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=".kubeconfig-", dir=os.path.dirname(target))
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(temporary, MODE)
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise KopsError(f"cannot write {path}: {error.strerror}") from error


@contextlib.contextmanager
def locked(path: str) -> Iterator[None]:
    """Keep other processes of ours from merging into the same file meanwhile."""
    directory = os.path.dirname(os.path.realpath(path))
    try:
        os.makedirs(directory, mode=0o700, exist_ok=True)
        descriptor = os.open(directory, os.O_RDONLY)
    except OSError as error:
        raise KopsError(f"cannot use the directory {directory}: {error.strerror}") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
