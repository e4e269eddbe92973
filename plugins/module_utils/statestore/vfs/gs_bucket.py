# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A bucket of Google Cloud Storage: requests to its JSON API, tried again where that helps, and errors as sentences.

The environment may name another endpoint: STORAGE_EMULATOR_HOST (of Google's client libraries; requests then carry no
credentials) or CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE (of gcloud).
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ...base.errors import KopsError
from . import google
from .path import StoreError, WriteConflict

if TYPE_CHECKING:
    import requests

EMULATOR, OVERRIDE = "STORAGE_EMULATOR_HOST", "CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE"
_ENDPOINT = "https://storage.googleapis.com"
# What gcloud's variable may have after the host.
_API = "/storage/v1"
_ACCOUNT = (EMULATOR, OVERRIDE, google.CREDENTIALS_VARIABLE, "CLOUDSDK_CONFIG", "HOME")

# Google asks for exponential back-off ("Retry strategy" in the documentation of Cloud Storage), and lets an object be
# replaced about once a second.
ATTEMPTS, PAUSE, LONGEST_PAUSE = 6, 0.5, 8.0
_TIMEOUT = (15, 60)
_CONNECTIONS = 32
TRANSIENT = (408, 429, 500, 502, 503, 504)
UNAUTHORIZED, FORBIDDEN, NOT_FOUND, PRECONDITION_FAILED = 401, 403, 404, 412
# A part of an upload has been taken, and more is expected.
INCOMPLETE = 308


@dataclass(frozen=True)
class Asked:
    """An answer that is no error. attempts: how often was asked for it."""

    answer: requests.Response
    attempts: int = 1


class Refused(StoreError):
    """An answer that is an error. status: of HTTP. attempts: how often was asked before it came."""

    def __init__(self, message: str, status: int, attempts: int) -> None:
        self.status, self.attempts = status, attempts
        super().__init__(message)


class Bucket:
    """One bucket. What is asked of the bucket itself is asked once."""

    def __init__(self, name: str) -> None:
        self.name = name
        given = os.environ.get(EMULATOR, "")
        self.is_anonymous = bool(given)
        endpoint = (given or os.environ.get(OVERRIDE) or _ENDPOINT).rstrip("/").removesuffix(_API)
        self.endpoint = endpoint if "://" in endpoint else f"http://{endpoint}"
        self._lock = threading.RLock()
        self._session: requests.Session | None = None
        self._exists = False
        self._about: Mapping[str, Any] | None = None
        self._lets_all_read: bool | None = None

    @property
    def url(self) -> str:
        """Of the bucket itself, in the API."""
        return f"{self.endpoint}{_API}/b/{quote(self.name, safe='')}"

    @property
    def upload_url(self) -> str:
        """Where new objects are sent."""
        return f"{self.endpoint}/upload{_API}/b/{quote(self.name, safe='')}/o"

    def object_url(self, key: str) -> str:
        """Of an object: slashes of its name are no slashes of the path."""
        return f"{self.url}/o/{quote(key, safe='')}"

    def ask(
        self,
        doing: str,
        method: str,
        url: str,
        *,
        subject: str = "",
        parameters: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        stream: bool = False,
    ) -> Asked:
        """The answer to a request; with stream, its content is still to be read.

        doing, subject: for messages ("read", address of an object; "" for the bucket).
        Raises FileNotFoundError if there is no such object, Refused for other errors, StoreError if nothing answers.
        """
        import requests

        attempts, pause = 0, PAUSE
        while True:
            attempts += 1
            last = attempts == ATTEMPTS
            try:
                answer = self._session_for(doing).request(
                    method,
                    url,
                    params=parameters,
                    headers=dict(headers or {}),
                    data=body,
                    stream=stream,
                    timeout=_TIMEOUT,
                    # Nothing is elsewhere, and the answer to a part of an upload is no redirection.
                    allow_redirects=False,
                )
            except requests.RequestException as error:
                if last or not isinstance(error, broken_off()):
                    raise self.unanswered(doing, error) from error
            except google.errors() as error:
                if google.is_unreachable(error):
                    raise self.unanswered(doing, error) from error
                raise self._unaccepted(doing, str(error)) from error
            else:
                if answer.ok:
                    return Asked(answer, attempts)
                if last or answer.status_code not in TRANSIENT:
                    raise self._refused(doing, subject, answer, attempts)
                answer.close()
            # Several writers that were refused at once do not ask again at once.
            time.sleep(pause * random.uniform(0.5, 1))  # noqa: S311
            pause = min(pause * 2, LONGEST_PAUSE)

    def exists(self) -> bool:
        """Whether there is the bucket: whoever may list it learns that. Google says 404 of objects as well."""
        with self._lock:
            if not self._exists:
                parameters = {"maxResults": "1", "fields": "kind"}
                try:
                    self.ask("find", "GET", f"{self.url}/o", parameters=parameters)
                except Refused as error:
                    if error.status == NOT_FOUND:
                        return False
                    # May not be listed: what is asked for is said to be missing, not the bucket.
                self._exists = True
            return True

    def about(self) -> Mapping[str, Any] | None:
        """What is set for the bucket: versioning, softDeletePolicy, iamConfiguration; None if that may not be read."""
        with self._lock:
            if self._about is None:
                fields = "versioning,softDeletePolicy,iamConfiguration"
                try:
                    self._about = self.ask("read", "GET", self.url, parameters={"fields": fields}).answer.json()
                except Refused as error:
                    if error.status != FORBIDDEN:
                        raise
                    self._about = {"unknown": True}
            return None if "unknown" in self._about else self._about

    @property
    def is_uniform(self) -> bool:
        """Whether the rights to all objects are those to the bucket, so that objects have no ACL."""
        found = (self.about() or {}).get("iamConfiguration", {}).get("uniformBucketLevelAccess", {})
        return bool(found.get("enabled"))

    @property
    def lets_all_read(self) -> bool:
        """Whether the bucket's policy gives a role to everybody; if it may not be read, it is taken to do so."""
        with self._lock:
            if self._lets_all_read is None:
                try:
                    policy = self.ask("read the policy of", "GET", f"{self.url}/iam").answer.json()
                    members = (member for each in policy.get("bindings", ()) for member in each.get("members", ()))
                    self._lets_all_read = "allUsers" in members
                except Refused as error:
                    if error.status != FORBIDDEN:
                        raise
                    self._lets_all_read = True
            return self._lets_all_read

    def _session_for(self, doing: str) -> requests.Session:
        with self._lock:
            if self._session is None:
                self._session = self._connect(doing)
            return self._session

    def _connect(self, doing: str) -> requests.Session:
        import requests
        from requests.adapters import HTTPAdapter

        try:
            session = requests.Session() if self.is_anonymous else google.authorized_session()
        except KopsError as error:
            raise StoreError(f"cannot {doing} gs://{self.name}: {error}") from error
        for scheme in ("https://", "http://"):
            session.mount(scheme, HTTPAdapter(pool_maxsize=_CONNECTIONS))
        return session

    def unanswered(self, doing: str, error: Exception) -> StoreError:
        """The error for a request that nothing answers, or not to the end."""
        return StoreError(
            f"cannot {doing} gs://{self.name}: {error}; check the network, proxies, {EMULATOR} and {OVERRIDE}"
        )

    def _unaccepted(self, doing: str, said: str) -> StoreError:
        return StoreError(
            f"cannot {doing} gs://{self.name}: Google does not accept the credentials ({said}): run gcloud auth"
            f" application-default login, or check {google.CREDENTIALS_VARIABLE}"
        )

    def _refused(self, doing: str, subject: str, answer: requests.Response, attempts: int) -> Exception:
        status, said = answer.status_code, google.message_of(answer)
        what = subject or f"gs://{self.name}"
        if status == NOT_FOUND and subject and self.exists():
            return FileNotFoundError(subject)
        if status == NOT_FOUND:
            text = f"cannot {doing} gs://{self.name}: the bucket {self.name} does not exist; create it first"
        elif status == UNAUTHORIZED:
            text = str(self._unaccepted(doing, said))
        elif status == FORBIDDEN:
            text = f"cannot {doing} {what}: the credentials lack a permission ({said})"
        elif "requester pays" in said.lower():
            text = (
                f"cannot {doing} {what}: {said}; a state store is paid by its owner: gcloud storage buckets update"
                f" gs://{self.name} --no-requester-pays"
            )
        else:
            text = f"cannot {doing} {what}: {said}"
        return Refused(text, status, attempts)


def broken_off() -> tuple[type[Exception], ...]:
    """Errors of requests after which the same may well succeed: broken connections and late answers."""
    from requests import exceptions

    return (exceptions.ConnectionError, exceptions.Timeout, exceptions.ChunkedEncodingError)


def conflict_of(error: Refused, path: str) -> WriteConflict | None:
    """What a refused conditional write means; None if it was refused for another reason."""
    # Google answers so as well if the bucket keeps its objects from everybody ("public access prevention").
    if error.status != PRECONDITION_FAILED or "public access" in str(error).lower():
        return None
    return WriteConflict(f"{path} was changed meanwhile")


_BUCKETS: dict[tuple[str | None, ...], Bucket] = {}
_LOCK = threading.Lock()


def bucket_named(name: str) -> Bucket:
    """The bucket, one object for each name and account."""
    key = (name, *(os.environ.get(setting) for setting in _ACCOUNT))
    with _LOCK:
        return _BUCKETS.setdefault(key, Bucket(name))
