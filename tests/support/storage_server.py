# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for Cloud Storage on loopback: the part of its JSON API that stores use, in this process.

It is our reading of Google's documentation. tests/unit/support/test_storage_server.py checks it by Google's own client
library, and the tests of stores run against the fake-gcs-server of others as well.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import re
import socket
import struct
import threading
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit


@dataclass
class StoredObject:
    """An object. acl: the predefined one that it was written with. about: the metadata that was sent with it."""

    name: str
    content: bytes
    generation: int
    acl: str = ""
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def md5_hash(self) -> str:
        return "" if self.about.get("composed") else base64.b64encode(hashlib.md5(self.content).digest()).decode()


@dataclass
class StoredBucket:
    """A bucket. settings: of the bucket itself, as the API has them. members: those that its policy names.

    denied: what the caller may not do: "get", "list", "create", "delete", "about", "policy".
    """

    objects: dict[str, StoredObject] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    members: list[str] = field(default_factory=list)
    denied: set[str] = field(default_factory=set)


@dataclass
class Fault:
    """What happens to the next request whose method and path match. act: first do what is asked for.

    status, content: the answer's; 0 breaks the connection. after: bytes of the answer that arrive before that.
    then: is called before the answer. passes: so many of these requests before it happens.
    """

    pattern: str
    status: int = 0
    act: bool = False
    content: bytes = b""
    after: int = 0
    then: Any = None
    passes: int = 0


class Answered(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, message: str, *, text: bool = False) -> None:
        self.status, self.message, self.text = status, message, text


class Service:
    """What the server has. asked: method and path of each request. tokens: those that it takes; None takes all.

    may: whether a token may do something with a bucket ("storage.objects.get").
    policy: answers requests for policies of buckets (method, bucket, body), else members are all that there is.
    page: names in a page of a listing. takes: bytes of a part of an upload that it takes at once; 0 for all.
    """

    def __init__(self) -> None:
        self.buckets: dict[str, StoredBucket] = {}
        self.uploads: dict[str, dict[str, Any]] = {}
        self.faults: list[Fault] = []
        self.asked: list[str] = []
        self.tokens: set[str] | None = None
        self.may: Callable[[str, str, str], bool] = lambda token, bucket, permission: True
        self.policy: Callable[[str, str, Any], Any] | None = None
        self.page = 1000
        self.takes = 0
        self.generation = 1_700_000_000_000_000
        self.lock = threading.RLock()

    def bucket(self, name: str) -> StoredBucket:
        if name not in self.buckets:
            raise Answered(404, "The specified bucket does not exist.")
        return self.buckets[name]

    def put(self, bucket: str, name: str, content: bytes, query: dict[str, str], about: dict[str, Any]) -> StoredObject:
        """Write an object, if the conditions allow it."""
        found = self.bucket(bucket)
        self.check(found.objects.get(name), query)
        if query.get("predefinedAcl") and found.settings.get("iamConfiguration", {}).get(
            "uniformBucketLevelAccess", {}
        ).get("enabled"):
            raise Answered(400, "Cannot insert legacy ACL for an object when uniform bucket-level access is enabled.")
        self.generation += 1
        stored = StoredObject(name, content, self.generation, query.get("predefinedAcl", ""), about)
        if about.get("md5Hash", stored.md5_hash) != stored.md5_hash:
            raise Answered(400, f'Provided MD5 hash "{about["md5Hash"]}" doesn\'t match calculated MD5 hash.')
        found.objects[name] = stored
        return stored

    def check(self, present: StoredObject | None, query: dict[str, str]) -> None:
        """ifGenerationMatch; 0 means that there is none."""
        wanted, actual = query.get("ifGenerationMatch"), present.generation if present else 0
        if wanted is not None and int(wanted) != actual:
            raise Answered(412, "At least one of the pre-conditions you specified did not hold.")


def described(bucket: str, stored: StoredObject) -> dict[str, Any]:
    """An object as the API describes it."""
    return {
        "kind": "storage#object",
        "bucket": bucket,
        "name": stored.name,
        "generation": str(stored.generation),
        "metageneration": "1",
        "size": str(len(stored.content)),
        **({"md5Hash": stored.md5_hash} if stored.md5_hash else {}),
        "etag": f"CL{stored.generation}",
        "timeCreated": "2026-01-01T00:00:00.000Z",
        "updated": "2026-01-01T00:00:00.000Z",
        **{name: stored.about[name] for name in ("contentType", "cacheControl") if name in stored.about},
    }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    service: Service
    # Headers and content leave in one piece, so that an answer does not wait for the acknowledgement of its first part.
    wbufsize = -1

    def _handle(self) -> None:
        parts = urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        service = self.service
        with service.lock:
            service.asked.append(f"{self.command} {self.path}")
            fault = next((each for each in service.faults if re.search(each.pattern, service.asked[-1])), None)
            if fault and fault.passes:
                fault.passes -= 1
                fault = None
            if fault:
                service.faults.remove(fault)
            status, headers, content = 503, dict[str, str](), b"busy"
            if fault is None or fault.act:
                status, headers, content = self._answered(
                    [unquote(each) for each in parts.path.strip("/").split("/")], dict(parse_qsl(parts.query)), body
                )
            if fault and fault.then:
                fault.then()
        if fault and not fault.status:
            self._break(status, headers, content[: fault.after], len(content))
            return
        if fault:
            status, content = fault.status, fault.content or content
            headers = headers if fault.act else {}
        self._send(status, headers, content, len(content))

    do_GET = do_POST = do_PUT = do_DELETE = _handle

    def _send(self, status: int, headers: dict[str, str], content: bytes, length: int) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(length)}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def _break(self, status: int, headers: dict[str, str], content: bytes, length: int) -> None:
        if content:
            self._send(status, headers, content, length)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(self.connection.detach())
        self.close_connection = True

    def _answered(self, path: list[str], query: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
        try:
            scheme, _space, token = self.headers.get("Authorization", "").partition(" ")
            if self.service.tokens is not None and (scheme != "Bearer" or token not in self.service.tokens):
                raise Answered(401, "Invalid Credentials")
            return self._act(path, query, body)
        except Answered as refused:
            if refused.text:
                return refused.status, {"Content-Type": "text/plain"}, refused.message.encode()
            error = {"error": {"code": refused.status, "message": refused.message}}
            return refused.status, {"Content-Type": "application/json"}, json.dumps(error).encode()

    def _act(self, path: list[str], query: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
        prefix = path.pop(0) if path[0] in ("upload", "download") else ""
        match (self.command, prefix, path[2:]):
            case ("POST", "", ["b"]):
                given = json.loads(body)
                if given["name"] in self.service.buckets:
                    raise Answered(409, "Your previous request to create the named bucket succeeded.")
                self.service.buckets[given["name"]] = StoredBucket()
                return _json({"name": given["name"], "kind": "storage#bucket"})
            case ("GET", "", ["b", bucket]):
                self._allow(bucket, "about", "storage.buckets.get")
                return _json({"name": bucket, **self.service.bucket(bucket).settings})
            case ("GET" | "PUT", "", ["b", bucket, "iam"]) if self.service.policy is not None:
                return _json(self.service.policy(self.command, bucket, json.loads(body or b"null")))
            case ("GET", "", ["b", bucket, "iam"]):
                self._allow(bucket, "policy", "storage.buckets.getIamPolicy")
                members = self.service.bucket(bucket).members
                return _json({"bindings": [{"role": "roles/storage.objectViewer", "members": members}]})
            case ("GET", "", ["b", bucket, "o"]):
                self._allow(bucket, "list", "storage.objects.list")
                return _json(self._listed(bucket, query))
            case ("GET", _, ["b", bucket, "o", name]):
                self._allow(bucket, "get", "storage.objects.get")
                return self._read(bucket, name, query)
            case ("DELETE", "", ["b", bucket, "o", name]):
                self._allow(bucket, "delete", "storage.objects.delete")
                objects = self.service.bucket(bucket).objects
                self.service.check(objects.get(name), query)
                if name not in objects:
                    raise Answered(404, f"No such object: {bucket}/{name}")
                del objects[name]
                return 204, {}, b""
            case ("POST" | "PUT", "upload", ["b", bucket, "o"]):
                self._allow(bucket, "create", "storage.objects.create")
                return self._upload(bucket, query, body)
        raise Answered(404, "Not Found")

    def _allow(self, bucket: str, what: str, permission: str) -> None:
        token = self.headers.get("Authorization", "").partition(" ")[2]
        if what in self.service.bucket(bucket).denied or not self.service.may(token, bucket, permission):
            raise Answered(403, f"robot@example.com does not have {permission} access to the bucket.")

    def _listed(self, bucket: str, query: dict[str, str]) -> dict[str, Any]:
        objects, prefix = self.service.bucket(bucket).objects, query.get("prefix", "")
        after = base64.b64decode(query.get("pageToken", "")).decode()
        names = sorted(name for name in objects if name.startswith(prefix) and name > after)
        size = min(self.service.page, int(query.get("maxResults", self.service.page)))
        page: dict[str, Any] = {"kind": "storage#objects"}
        if names:
            page["items"] = [described(bucket, objects[name]) for name in names[:size]]
        if len(names) > size:
            page["nextPageToken"] = base64.b64encode(names[size - 1].encode()).decode()
        return page

    def _read(self, bucket: str, name: str, query: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        stored, is_media = self.service.bucket(bucket).objects.get(name), query.get("alt") == "media"
        if stored is None or query.get("generation", str(stored.generation)) != str(stored.generation):
            raise Answered(404, f"No such object: {bucket}/{name}", text=is_media)
        self.service.check(stored, query)
        if query.get("ifGenerationNotMatch") == str(stored.generation):
            return 304, {}, b""
        if not is_media:
            return _json(described(bucket, stored))
        hashes = f"crc32c=AAAAAA==,md5={stored.md5_hash}" if stored.md5_hash else "crc32c=AAAAAA=="
        headers = {
            "Content-Type": "application/octet-stream",
            "X-Goog-Generation": str(stored.generation),
            "X-Goog-Hash": hashes,
        }
        found = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if found is None:
            return 200, headers, stored.content
        start, size = int(found[1]), len(stored.content)
        if start >= size:
            raise Answered(416, "The requested range cannot be satisfied.", text=True)
        end = min(int(found[2] or size), size - 1)
        return 206, {**headers, "Content-Range": f"bytes {start}-{end}/{size}"}, stored.content[start : end + 1]

    def _upload(self, bucket: str, query: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
        if query["uploadType"] == "media":
            return _json(described(bucket, self.service.put(bucket, query["name"], body, query, {})))
        if query["uploadType"] == "multipart":
            about, data = _parts(body, self.headers["Content-Type"])
            metadata = json.loads(about)
            return _json(described(bucket, self.service.put(bucket, metadata["name"], data, query, metadata)))
        if "upload_id" not in query:
            self.service.bucket(bucket)
            number, about = uuid.uuid4().hex, json.loads(body or b"{}")
            self.service.uploads[number] = {"about": about, "query": query, "content": b"", "stored": None}
            host = self.headers["Host"]
            place = f"http://{host}/upload/storage/v1/b/{bucket}/o?uploadType=resumable&upload_id={number}"
            return 200, {"Location": place}, b""
        return self._part(bucket, self.service.uploads[query["upload_id"]], body)

    def _part(self, bucket: str, upload: dict[str, Any], body: bytes) -> tuple[int, dict[str, str], bytes]:
        if upload["stored"] is None:
            found = re.fullmatch(r"bytes (?:(\d+)-\d+|\*)/(\d+|\*)", self.headers["Content-Range"])
            assert found, self.headers["Content-Range"]
            # What it has already is passed over; what would leave a hole is refused.
            start, has = int(found[1] or 0), len(upload["content"])
            if start > has:
                raise Answered(503, "Invalid request. There is a hole.")
            new = body[has - start :] if found[1] else b""
            upload["content"] += new[: self.service.takes or None]
            if found[2] == "*" or len(upload["content"]) < int(found[2]):
                taken = len(upload["content"])
                return 308, {"Range": f"bytes=0-{taken - 1}"} if taken else {}, b""
            query, about = upload["query"], upload["about"]
            name = query.get("name") or about["name"]
            upload["stored"] = self.service.put(bucket, name, upload["content"], query, about)
        return _json(described(bucket, upload["stored"]))

    def log_message(self, *_arguments: object) -> None:
        """Nothing: requests are looked at in tests."""


def _json(document: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
    return 200, {"Content-Type": "application/json; charset=UTF-8"}, json.dumps(document).encode()


def _parts(body: bytes, content_type: str) -> list[bytes]:
    """The contents of both parts of a multipart/related message."""
    found = re.search(r"boundary=[\"']?([^\"';]+)", content_type)
    assert found
    _before, *parts, _end = body.split(f"--{found[1]}".encode())
    return [part.split(b"\r\n\r\n", 1)[1].removesuffix(b"\r\n") for part in parts]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # Several writers come at once.
    request_queue_size = 64


@contextlib.contextmanager
def running(address: str = "127.0.0.1", port: int = 0) -> Iterator[tuple[str, Service]]:
    """Its URL (for STORAGE_EMULATOR_HOST), and what it has."""
    handler = type("Handler", (_Handler,), {"service": Service()})
    with _Server((address, port), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield f"http://{address}:{server.server_port}", handler.service  # type: ignore[attr-defined]
        finally:
            server.shutdown()
