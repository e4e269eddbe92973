# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The secrets of a cluster in its store: ``secrets/<name>``, JSON with the value in base64."""

from __future__ import annotations

import base64
import datetime
import json
import secrets
from typing import TYPE_CHECKING, Any, Callable

from ..api.validation.encryption_config import validate_encryption_config
from ..api.yaml.read import read_plain
from ..base.errors import KopsError, ManifestError

if TYPE_CHECKING:
    from .vfs.path import Tree, VFSPath


# The secret that says how the API server encrypts what it stores, where spec.encryptionConfig asks for that.
ENCRYPTION_CONFIG = "encryptionconfig"
# The secret with the keys of IPsec by which Cilium encrypts.
CILIUM_KEYS = "ciliumpassword"
# The secret with id and secret of the application credential that a cluster in OpenStack has.
OPENSTACK_CREDENTIAL = "openstack-application-credential"
# The secret by which the servers of a cluster prove who they are before they get credentials, where they need that.
SERVER_KEY = "server-credentials-key"
_KEY_BYTES = 32
_KEY_NAME = "key-%Y%m%dT%H%M%SZ"
# The first provider writes; identity reads what was stored before encryption began.
_ENCRYPTION = """\
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources:
  - secrets
  providers:
  - secretbox:
      keys:
      - name: {name}
        secret: {key}
  - identity: {{}}
"""


class SecretError(KopsError):
    """A secret's value is not valid. The message never contains the value."""


def _docker_config(value: bytes) -> None:
    try:
        parsed = json.loads(value)
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict) or not isinstance(parsed.get("auths", {}), dict):
        raise SecretError("dockerconfig must be a JSON object, as docker login writes it")


def _encryption_config(value: bytes) -> None:
    _yaml_mapping(ENCRYPTION_CONFIG)(value)
    problems = validate_encryption_config(read_plain(value))
    if problems:
        told = "; ".join(map(str, problems))
        raise SecretError(f"{ENCRYPTION_CONFIG} is one that no API server starts with: {told}")


def _application_credential(value: bytes) -> None:
    try:
        parsed = json.loads(value)
        is_one = parsed.keys() == {"id", "secret"} and all(isinstance(each, str) and each for each in parsed.values())
    except (ValueError, AttributeError):
        is_one = False
    if not is_one:
        raise SecretError(f"{OPENSTACK_CREDENTIAL} must be a JSON object with the texts id and secret alone")


def _yaml_mapping(kind: str) -> Callable[[bytes], None]:
    def check(value: bytes) -> None:
        try:
            parsed: Any = read_plain(value)
        except ManifestError:
            parsed = None
        if not isinstance(parsed, dict):
            raise SecretError(f"{kind} must be a YAML mapping")

    return check


# The secrets that users set, each with its validation.
KINDS: dict[str, Callable[[bytes], None]] = {
    CILIUM_KEYS: _yaml_mapping(CILIUM_KEYS),
    "dockerconfig": _docker_config,
    ENCRYPTION_CONFIG: _encryption_config,
    OPENSTACK_CREDENTIAL: _application_credential,
}


def check_secret(name: str, value: bytes) -> None:
    """Raise SecretError if the value is not valid for the secret of that name. Other names allow any value."""
    if name in KINDS:
        KINDS[name](value)


def new_encryption_config() -> bytes:
    """An EncryptionConfiguration with a new random key, which encrypts Secrets."""
    key = base64.b64encode(secrets.token_bytes(_KEY_BYTES)).decode()
    return _ENCRYPTION.format(name=encryption_key_name(datetime.datetime.now(datetime.timezone.utc)), key=key).encode()


def new_server_key() -> bytes:
    """A new random key."""
    return secrets.token_bytes(_KEY_BYTES)


def encryption_key_name(made: datetime.datetime) -> str:
    """The name of a key of encryption at rest; it says when the key was made, which nothing else does."""
    return made.strftime(_KEY_NAME)


def encryption_key_made(name: str) -> datetime.datetime | None:
    """When the key of that name was made; None for keys with names of a user."""
    try:
        return datetime.datetime.strptime(name, _KEY_NAME).replace(tzinfo=datetime.timezone.utc)
    except ValueError:
        return None


class Secrets:
    """Secrets by name. root: the cluster's ``secrets`` directory."""

    def __init__(self, root: VFSPath) -> None:
        self.root = root

    def find(self, name: str) -> bytes | None:
        """The value, None if there is no such secret. Raises SecretError if the file cannot be read as a secret."""
        path = self.root.join(name)
        try:
            data = path.read()
        except FileNotFoundError:
            return None
        try:
            encoded = json.loads(data)["Data"]
            return base64.b64decode(encoded or "", validate=True)
        except (ValueError, KeyError, TypeError):
            raise SecretError(f"{path} is not a readable secret") from None

    def cilium_keys(self) -> dict[str, str]:
        """Keys in the secret ciliumpassword: usually a line for each key of IPsec; nothing without that secret.

        Raises SecretError if the secret is not a mapping of texts.
        """
        value = self.find(CILIUM_KEYS)
        if value is None:
            return {}
        check_secret(CILIUM_KEYS, value)
        found = read_plain(value)
        if not all(isinstance(each, str) for each in found.values()):
            raise SecretError(f"{CILIUM_KEYS} must be a mapping whose values are texts")
        return dict(found)

    def store(self, name: str, value: bytes, *, new: bool = False) -> None:
        """Validate and write a secret. new: raise WriteConflict instead of replacing one."""
        check_secret(name, value)
        encoded = base64.b64encode(value).decode("ascii")
        data = json.dumps({"Data": encoded}, separators=(",", ":")).encode()
        self.root.join(name).write(data, if_none_match=new)

    def remove(self, name: str) -> None:
        """Remove a secret if it exists."""
        self.root.join(name).remove()

    def list(self, tree: Tree | None = None) -> list[str]:
        """The names of all secrets; in a tree that holds them, without asking the store."""
        listed = tree.below(self.root) if tree else self.root.list_tree()
        return [file.name for file in listed if "/" not in file.name]
