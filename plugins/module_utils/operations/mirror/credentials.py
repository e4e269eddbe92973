# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Logins to registries, from the files that `docker login` and `podman login` write. They are in no result or message.

Source of the formats: the documentation of Docker's config.json, and containers-auth.json(5).
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...base.errors import KopsError
from .references import DOCKER_HUB

_SECONDS = 30
# What Docker's file calls Docker Hub.
_NAMES_OF_DOCKER_HUB = (DOCKER_HUB, "index.docker.io", "registry-1.docker.io")
# The name of the user of an identity token.
_TOKEN_USER = "<token>"  # noqa: S105


@dataclass(frozen=True)
class Login:
    """A user's name and password; or an identity token, that other tokens are asked with."""

    user: str = ""
    password: str = field(default="", repr=False)
    identity_token: str = field(default="", repr=False)

    @property
    def basic(self) -> str:
        """The header Authorization."""
        return "Basic " + base64.b64encode(f"{self.user}:{self.password}".encode()).decode()


class Credentials:
    """The logins of one file; without its name, of the first file that exists where docker and podman look."""

    def __init__(self, file: str = "") -> None:
        self._file = file
        self._lock = threading.Lock()
        self._content: Mapping[str, Any] | None = None
        self._asked: dict[str, Login | None] = {}

    def login(self, registry: str, repository: str) -> Login | None:
        """The login for a repository: the one with the longest matching name in the file. None if no name matches.

        Raises KopsError for a file that cannot be read, and for a credential helper that fails.
        """
        with self._lock:
            if self._content is None:
                self._content = self._read()
            names = _NAMES_OF_DOCKER_HUB if registry == DOCKER_HUB else (registry,)
            for name in names:
                helper = (self._content.get("credHelpers") or {}).get(name) or self._content.get("credsStore")
                if helper:
                    found = self._from_helper(str(helper), name)
                    if found:
                        return found
            return self._from_file(names, repository)

    def _read(self) -> Mapping[str, Any]:
        path = Path(self._file) if self._file else next((path for path in _usual_places() if path.is_file()), None)
        if path is None:
            return {}
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            # The text of a JSON error has no part of the content.
            raise KopsError(f"{path}: cannot be read as a file of registries' logins: {error}") from error
        if not isinstance(content, dict):
            raise KopsError(f"{path}: is not a file of registries' logins")
        return content

    def _from_file(self, names: tuple[str, ...], repository: str) -> Login | None:
        entries = {_plain(name): entry for name, entry in ((self._content or {}).get("auths") or {}).items()}
        wanted = [f"{name}/{repository}" for name in names]
        fitting = [key for key in entries if any(name == key or name.startswith(f"{key}/") for name in wanted)]
        for key in sorted(fitting, key=len, reverse=True):
            entry = entries[key] or {}
            if entry.get("identitytoken"):
                return Login(identity_token=entry["identitytoken"])
            try:
                user, colon, password = base64.b64decode(entry.get("auth", ""), validate=True).decode().partition(":")
            except (binascii.Error, UnicodeDecodeError):
                raise KopsError(f"the login for {key} in the file of registries' logins is not valid") from None
            if colon:
                return Login(user, password)
        return None

    def _from_helper(self, helper: str, registry: str) -> Login | None:
        key = f"{helper} {registry}"
        if key not in self._asked:
            self._asked[key] = _ask(f"docker-credential-{helper}", registry)
        return self._asked[key]


def _usual_places() -> list[Path]:
    """Usual files with logins, in the order of containers-auth.json(5), after the one of an environment variable."""
    home = Path.home()
    places = [
        os.environ.get("REGISTRY_AUTH_FILE"),
        os.environ.get("DOCKER_CONFIG") and Path(os.environ["DOCKER_CONFIG"], "config.json"),
        os.environ.get("XDG_RUNTIME_DIR") and Path(os.environ["XDG_RUNTIME_DIR"], "containers/auth.json"),
        Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config", "containers/auth.json"),
        home / ".docker/config.json",
    ]
    return [Path(place) for place in places if place]


def _plain(name: str) -> str:
    """The name of an entry without what old versions of Docker wrote around it: https://index.docker.io/v1/."""
    name = name.partition("://")[2] or name
    for ending in ("/", "/v1", "/v2"):
        name = name.removesuffix(ending)
    return name


def _ask(program: str, registry: str) -> Login | None:
    try:
        answer = subprocess.run(  # noqa: S603 - named by the user's own configuration
            [program, "get"], input=registry, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
        if answer.returncode:
            # It says so on its standard output, as credentials are missing for registries that need none.
            return None
        found = json.loads(answer.stdout)
        user, secret = found["Username"], found["Secret"]
    except (OSError, subprocess.SubprocessError) as error:
        raise KopsError(f"the credential helper {program} cannot be run: {type(error).__name__}") from error
    except (ValueError, KeyError, TypeError):
        raise KopsError(f"the credential helper {program} gives no valid answer for {registry}") from None
    return Login(identity_token=secret) if user == _TOKEN_USER else Login(user, secret)
