# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A client of the OCI distribution API: what copying images between registries needs, and nothing else.

Source: the OCI distribution specification 1.1, and for tokens the documentation of Docker's registry.
oras-py reads no lists of manifests, and python-dxf sends no logins over plain HTTP and no lengths with streams; both
would have to be installed, as would skopeo or crane, which cannot say in check mode what they would do.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote, urlencode, urljoin, urlsplit

from ...base.errors import KopsError
from ..download import DownloadError, attempted
from .credentials import Credentials
from .http import Refused, answer, fetch_to
from .references import DOCKER_HUB, is_digest

_DOCKER = "application/vnd.docker.distribution.manifest"
_OCI = "application/vnd.oci.image"
INDEXES = (f"{_OCI}.index.v1+json", f"{_DOCKER}.list.v2+json")
MANIFESTS = (f"{_OCI}.manifest.v1+json", f"{_DOCKER}.v2+json")
_ACCEPTED = {"Accept": ", ".join((*INDEXES, *MANIFESTS))}
# The specification lets registries refuse larger ones.
_LONGEST_MANIFEST = 4 << 20
_LONGEST_TOKEN = 1 << 20
_LOOPBACK = re.compile(r"(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?")
_CREATED = 201
_UNAUTHORIZED = 401
_NOT_FOUND = 404


@dataclass(frozen=True)
class Descriptor:
    """A part of an image: its digest ("sha256:..."), its size, and whether it is a manifest."""

    digest: str
    size: int

    @property
    def sha256(self) -> str:
        """The checksum as hexadecimal text."""
        return self.digest.partition(":")[2]

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Descriptor:
        """Read the descriptor in an entry of a manifest. Raises KopsError for a digest other than SHA-256."""
        digest, size = entry.get("digest"), entry.get("size")
        if not isinstance(digest, str) or not is_digest(digest) or not isinstance(size, int) or size < 0:
            raise KopsError(f"a part with the digest {digest!r} and the size {size!r} is not understood")
        return cls(digest, size)


@dataclass(frozen=True)
class Manifest:
    """A manifest, or a list of manifests, as bytes: they make its digest."""

    data: bytes
    media_type: str

    @property
    def digest(self) -> str:
        """Its digest."""
        return f"sha256:{hashlib.sha256(self.data).hexdigest()}"

    @property
    def descriptor(self) -> Descriptor:
        """Its digest and size."""
        return Descriptor(self.digest, len(self.data))

    def content(self) -> dict[str, Any]:
        """The manifest's JSON object. Raises KopsError if it is none."""
        try:
            content = json.loads(self.data)
        except ValueError as error:
            raise KopsError(f"its manifest is not JSON: {error}") from error
        if not isinstance(content, dict):
            raise KopsError("its manifest is not a JSON object")
        return content


@dataclass
class Registry:
    """One registry. Threads may share it. Every method raises DownloadError where the registry does not do its part.

    host: as images' names have it. is_plain: whether it speaks HTTP without TLS.
    """

    host: str
    credentials: Credentials
    is_plain: bool = False
    _tokens: dict[tuple[str, bool], str] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def _url(self) -> str:
        host = "registry-1.docker.io" if self.host == DOCKER_HUB else self.host
        return f"{'http' if self.is_plain else 'https'}://{host}/v2/"

    def manifest(self, repository: str, reference: str) -> Manifest:
        """The manifest of a tag or a digest."""

        def ask() -> Manifest:
            with self._answer(repository, f"manifests/{reference}", headers=_ACCEPTED) as opened:
                data = opened.read(_LONGEST_MANIFEST + 1)
                media_type = (opened.headers.get("Content-Type") or "").partition(";")[0].strip()
            return Manifest(data, media_type)

        found = attempted(ask)
        if is_digest(reference) and found.digest != reference:
            raise DownloadError(f"its manifest has the digest {found.digest}, not {reference}", may_pass=False)
        return found

    def digest(self, repository: str, reference: str) -> str:
        """The digest of a tag's manifest; "" if there is none."""

        def ask() -> str | None:
            with self._answer(repository, f"manifests/{reference}", method="HEAD", headers=_ACCEPTED) as opened:
                return opened.headers.get("Docker-Content-Digest")

        try:
            # Registries may leave the header out.
            return attempted(ask) or self.manifest(repository, reference).digest
        except Refused as error:
            if error.status == _NOT_FOUND:
                return ""
            raise

    def has(self, repository: str, blob: Descriptor) -> bool:
        """Whether a blob is in a repository."""

        def ask() -> bool:
            with self._answer(repository, f"blobs/{blob.digest}", method="HEAD"):
                return True

        try:
            return attempted(ask)
        except Refused as error:
            if error.status == _NOT_FOUND:
                return False
            raise

    def download(self, repository: str, blob: Descriptor, path: Path) -> None:
        """Download a blob to a file, which may have its beginning already."""
        url = self._at(repository, f"blobs/{blob.digest}")

        def ask(authorization: str) -> None:
            fetch_to(url, path, sha256=blob.sha256, size=blob.size, authorization=authorization)

        try:
            ask(self._token(repository, writes=False))
        except Refused as error:
            if error.status != _UNAUTHORIZED:
                raise
            ask(self._authorize(repository, error, writes=False))

    def mount(self, repository: str, blob: Descriptor, elsewhere: str) -> bool:
        """Give a repository a blob that another one of this registry has; False where the registry does not do that."""

        def attempt() -> bool:
            query = urlencode({"mount": blob.digest, "from": elsewhere})
            with self._answer(repository, f"blobs/uploads/?{query}", method="POST", data=b"", writes=True) as opened:
                # Else it has begun an upload, which it forgets by itself.
                return bool(opened.status == _CREATED)

        return attempted(attempt)

    def upload(self, repository: str, blob: Descriptor, stream: IO[bytes]) -> None:
        """Put a blob into a repository."""

        def attempt() -> None:
            with self._answer(repository, "blobs/uploads/", method="POST", data=b"", writes=True) as opened:
                place = urljoin(opened.url, opened.headers.get("Location") or "")
            separator = "&" if urlsplit(place).query else "?"
            target = f"{place}{separator}{urlencode({'digest': blob.digest})}"
            stream.seek(0)
            with answer(
                target,
                method="PUT",
                headers={"Content-Type": "application/octet-stream", "Content-Length": str(blob.size)},
                # A place on another server has what it needs in its address.
                authorization=self._token(repository, writes=True) if self._is_here(target) else "",
                data=stream if blob.size else b"",
            ):
                pass

        attempted(attempt)

    def put(self, repository: str, reference: str, manifest: Manifest) -> None:
        """Give a manifest to a repository under a tag or its digest, after all that it refers to."""

        def attempt() -> None:
            headers = {"Content-Type": manifest.media_type}
            path = f"manifests/{reference}"
            with self._answer(repository, path, method="PUT", headers=headers, data=manifest.data, writes=True):
                pass

        attempted(attempt)

    def _at(self, repository: str, path: str) -> str:
        return f"{self._url}{quote(repository)}/{path}"

    def _is_here(self, url: str) -> bool:
        return urlsplit(url)[:2] == urlsplit(self._url)[:2]

    @contextmanager
    def _answer(self, repository: str, path: str, *, writes: bool = False, **request: Any) -> Iterator[Any]:
        """The answer to a request, which is made again with a login when the registry wants one."""
        url = self._at(repository, path)
        try:
            with answer(url, authorization=self._token(repository, writes), **request) as opened:
                yield opened
            return
        except Refused as error:
            if error.status != _UNAUTHORIZED:
                raise
            authorization = self._authorize(repository, error, writes)
        with answer(url, authorization=authorization, **request) as opened:
            yield opened

    def _token(self, repository: str, writes: bool) -> str:
        with self._lock:
            return self._tokens.get((repository, writes), "")

    def _authorize(self, repository: str, refusal: Refused, writes: bool) -> str:
        """The header Authorization that a registry's refusal asks for. Raises Refused if there is no login for it."""
        login = self.credentials.login(self.host, repository)
        challenges = refusal.headers.get_all("WWW-Authenticate")
        challenge = next((text for text in challenges or () if text.lower().startswith("bearer ")), "")
        if challenge:
            authorization = f"Bearer {self._new_token(dict(_parameters(challenge)), repository, writes)}"
        elif login is not None and login.password:
            authorization = login.basic
        else:
            raise Refused(f"{refusal}; there is no login for {self.host}", _UNAUTHORIZED, refusal.headers)
        with self._lock:
            self._tokens[repository, writes] = authorization
        return authorization

    def _new_token(self, challenge: Mapping[str, str], repository: str, writes: bool) -> str:
        """A token of the server that the registry names. Raises KopsError where it is not to be had."""
        login = self.credentials.login(self.host, repository)
        realm = challenge.get("realm", "")
        if urlsplit(realm).scheme != "https" and not (self.is_plain and urlsplit(realm).scheme == "http"):
            raise KopsError(
                f"{self.host} names {realm!r} as the server of tokens, which is not HTTPS: no login is sent"
            )
        scope = challenge.get("scope") or f"repository:{repository}:{'pull,push' if writes else 'pull'}"
        asked = {"service": challenge.get("service", ""), "scope": scope}
        request: dict[str, Any]
        if login is not None and login.identity_token:
            form = {**asked, "grant_type": "refresh_token", "refresh_token": login.identity_token}
            form["client_id"] = "kubeops.kops"
            request = {"url": realm, "method": "POST", "data": urlencode(form).encode()}
            request["headers"] = {"Content-Type": "application/x-www-form-urlencoded"}
        else:
            separator = "&" if urlsplit(realm).query else "?"
            query = urlencode([(name, value) for name, value in asked.items() if value])
            request = {"url": f"{realm}{separator}{query}", "authorization": login.basic if login else ""}

        def ask() -> str:
            with answer(**request) as opened:
                content = json.loads(opened.read(_LONGEST_TOKEN))
            return str(content.get("token") or content["access_token"])

        try:
            return attempted(ask)
        except DownloadError as error:
            kind = "the login" if login else "no login, and anonymous access"
            raise DownloadError(
                f"{urlsplit(realm).netloc} gives no token for {kind}: {error}", may_pass=False
            ) from error
        except (ValueError, KeyError, AttributeError) as error:
            raise KopsError(f"{urlsplit(realm).netloc} gives no valid token") from error


class Registries:
    """The registries of one run. plain: hosts that speak HTTP; those on this machine are tried so by themselves."""

    def __init__(self, credentials: Credentials, plain: Collection[str] = ()) -> None:
        self._credentials = credentials
        self._plain = plain
        self._found: dict[str, Registry] = {}
        self._lock = threading.Lock()

    def of(self, host: str) -> Registry:
        """The registry of a host."""
        with self._lock:
            if host not in self._found:
                is_plain = host in self._plain or bool(_LOOPBACK.fullmatch(host))
                self._found[host] = Registry(host, self._credentials, is_plain)
            return self._found[host]


def _parameters(challenge: str) -> list[tuple[str, str]]:
    """Parameters of a header WWW-Authenticate."""
    return re.findall(r'(\w+)="([^"]*)"', challenge)
