# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A container of OpenStack's object store: requests by openstacksdk, and errors as sentences."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from . import openstack_sdk
from .path import StoreError

if TYPE_CHECKING:
    import requests

_LOGIN = "OS_"
# What a login begins with: the name of a cloud in clouds.yaml, or an address.
_LOGINS = ("OS_CLOUD", "OS_AUTH_URL")
FORBIDDEN, NOT_FOUND, PRECONDITION_FAILED = 403, 404, 412


class Refused(StoreError):
    """An answer that is an error. status: of HTTP."""

    def __init__(self, message: str, status: int) -> None:
        self.status = status
        super().__init__(message)


class Container:
    """One container. Whether it exists is asked once."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._lock = threading.RLock()
        self._adapter: Any = None
        self._exists = False

    @property
    def path(self) -> str:
        """Its address."""
        return f"swift://{self.name}"

    def ask(self, doing: str, method: str, key: str | None = None, **options: Any) -> requests.Response:
        """The answer to a request about an object, or about the container itself.

        doing: for messages ("read"). options: of requests, such as headers, params, data and stream.
        Raises FileNotFoundError if there is no such object, Refused for other errors, StoreError if nothing answers.
        """
        adapter = self._connected(doing)
        from keystoneauth1 import exceptions

        url = f"/{quote(self.name, safe='')}" + ("" if key is None else f"/{quote(key)}")
        try:
            for _login in range(openstack_sdk.LOGINS):
                answer: requests.Response = adapter.request(
                    url, method, raise_exc=False, timeout=openstack_sdk.SECONDS, **options
                )
                # What is read while it is sent cannot be sent again.
                is_sent_once = not isinstance(options.get("data", b""), bytes)
                if answer.status_code != openstack_sdk.UNAUTHORIZED or is_sent_once:
                    break
        except exceptions.ConnectFailure as error:
            raise self.unanswered(doing, error) from error
        except exceptions.ClientException as error:
            raise self._unaccepted(doing, error) from error
        if answer.status_code >= 400:
            raise self._refused(doing, key, answer)
        return answer

    def headers(self, doing: str) -> Mapping[str, str]:
        """What is set for the container; capitals of a name do not count."""
        return self.ask(doing, "HEAD").headers

    def can(self, feature: str) -> bool:
        """Whether the store says of itself that it has a feature, such as object_versioning."""
        adapter = self._connected("ask")
        from keystoneauth1 import exceptions

        # Of the service, not of the account: ".../v1/AUTH_project", or ".../v1" alone.
        endpoint = str(adapter.get_endpoint()).partition("/v1")[0]
        try:
            answer = adapter.request(f"{endpoint}/info", "GET", authenticated=False, raise_exc=False)
        except exceptions.ClientException:
            return False
        return answer.status_code == 200 and feature in answer.json()

    def _connected(self, doing: str) -> Any:
        with self._lock:
            if self._adapter is None:
                self._adapter = self._connect(doing)
            return self._adapter

    def _connect(self, doing: str) -> Any:
        try:
            sdk = openstack_sdk.library()
        except openstack_sdk.LibraryMissing as error:
            raise StoreError(f"cannot {doing} {self.path}: {error}") from error
        from keystoneauth1 import exceptions

        try:
            adapter = openstack_sdk.connect().object_store
            adapter.get_endpoint()
        except exceptions.ConnectFailure as error:
            raise self.unanswered(doing, error) from error
        except (exceptions.ClientException, sdk.exceptions.SDKException) as error:
            raise self._unaccepted(doing, error) from error
        openstack_sdk.let_try_again(adapter)
        return adapter

    def unanswered(self, doing: str, error: Exception) -> StoreError:
        """The error for a request that nothing answers, or not to the end."""
        return StoreError(f"cannot {doing} {self.path}: {error}; check the network, proxies and the login")

    def _unaccepted(self, doing: str, error: Exception) -> StoreError:
        given = [name for name in _LOGINS if os.environ.get(name)]
        if not given:
            return StoreError(
                f"cannot {doing} {self.path}: there is no login for OpenStack: set {' or '.join(_LOGINS)}"
            )
        return StoreError(
            f"cannot {doing} {self.path}: OpenStack does not accept the login ({error}): check what {given[0]} names"
        )

    def _refused(self, doing: str, key: str | None, answer: requests.Response) -> Exception:
        status = answer.status_code
        what = self.path if key is None else f"{self.path}/{key}"
        if status == NOT_FOUND and key is not None and self._is_there():
            return FileNotFoundError(what)
        if status == NOT_FOUND:
            create = f"openstack container create {self.name}"
            text = f"cannot {doing} {self.path}: the container {self.name} does not exist; create it first: {create}"
        elif status == openstack_sdk.UNAUTHORIZED:
            text = f"cannot {doing} {what}: OpenStack does not accept the login"
        elif status == FORBIDDEN:
            text = f"cannot {doing} {what}: the user lacks a role in the project, such as member"
        else:
            text = f"cannot {doing} {what}: HTTP {status} {answer.reason}"
        return Refused(text, status)

    def _is_there(self) -> bool:
        with self._lock:
            if not self._exists:
                try:
                    self.ask("find", "HEAD")
                except Refused as error:
                    if error.status == NOT_FOUND:
                        return False
                    # May not be looked at: what is asked for is said to be missing, not the container.
                self._exists = True
            return True


_CONTAINERS: dict[tuple[str, ...], Container] = {}
_LOCK = threading.Lock()


def container_named(name: str) -> Container:
    """The container, one object for each name and login."""
    login = sorted(f"{key}={value}" for key, value in os.environ.items() if key.startswith(_LOGIN))
    with _LOCK:
        return _CONTAINERS.setdefault((name, *login), Container(name))
