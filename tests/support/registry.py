# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real registry of images on loopback, and small images for it."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import gzip
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.tests.lab import cache
from ansible_collections.kubeops.kops.tests.support.etcd import free_ports

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
# "kops" with the password "hunter2", as `htpasswd -B` writes it.
USER, PASSWORD = "kops", "hunter2"
HTPASSWD = "kops:$2b$05$k3cp63ucrQGjjk5/ME4xgeTbU1HqAtVw50A/d6wA3WZcLNt91SPDy\n"


@functools.cache
def program(name: str) -> str:
    """The lab's registry or crane: of its cache, or where the PATH has it."""
    found = sorted((cache.directory() / "bin" / name).glob(f"*/{name}"))
    path = str(found[-1]) if found else shutil.which(name)
    if not path:
        pytest.skip(f"no {name} here: build the lab's programs (script/lab build)")
    return path


@dataclasses.dataclass
class Registry:
    """A registry that runs. host: as images' names have it. log: its requests. directory: what it keeps."""

    host: str
    log: pathlib.Path
    directory: pathlib.Path

    def _put(self, path: str, data: bytes, kind: str) -> None:
        request = urllib.request.Request(
            f"http://{self.host}/v2/{path}", data=data, method="PUT", headers={"Content-Type": kind}
        )
        urllib.request.urlopen(request).close()

    def push_blob(self, repository: str, data: bytes) -> dict[str, Any]:
        """Put a blob into a repository; its descriptor."""
        digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
        begin = urllib.request.Request(f"http://{self.host}/v2/{repository}/blobs/uploads/", data=b"", method="POST")
        with urllib.request.urlopen(begin) as answer:
            place = answer.headers["Location"]
        place += ("&" if "?" in place else "?") + f"digest={digest}"
        headers = {"Content-Type": "application/octet-stream"}
        urllib.request.urlopen(urllib.request.Request(place, data=data, method="PUT", headers=headers)).close()
        return {"digest": digest, "size": len(data)}

    def push(self, name: str, architectures: Sequence[str], layers: Sequence[bytes]) -> str:
        """Put an image ("kube-proxy:v1") there, with these layers and one of each architecture's own; its digest.

        For one architecture it is no list of manifests.
        """
        repository, _colon, tag = name.rpartition(":")
        entries = []
        for architecture in architectures:
            content = [_layer(layer) for layer in (*layers, f"{architecture} {name}".encode())]
            differences = [f"sha256:{hashlib.sha256(gzip.decompress(layer)).hexdigest()}" for layer in content]
            config = json.dumps(
                {
                    "architecture": architecture,
                    "os": "linux",
                    "config": {"Labels": {"image": name}},
                    "rootfs": {"type": "layers", "diff_ids": differences},
                }
            ).encode()
            manifest = {
                "schemaVersion": 2,
                "mediaType": MANIFEST,
                "config": {
                    "mediaType": "application/vnd.oci.image.config.v1+json",
                    **self.push_blob(repository, config),
                },
                "layers": [
                    {"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", **self.push_blob(repository, layer)}
                    for layer in content
                ],
            }
            data = json.dumps(manifest).encode()
            digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
            self._put(f"{repository}/manifests/{tag if len(architectures) == 1 else digest}", data, MANIFEST)
            platform = {"os": "linux", "architecture": architecture}
            entries.append({"mediaType": MANIFEST, "digest": digest, "size": len(data), "platform": platform})
        if len(architectures) == 1:
            return str(entries[0]["digest"])
        data = json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries}).encode()
        self._put(f"{repository}/manifests/{tag}", data, INDEX)
        return f"sha256:{hashlib.sha256(data).hexdigest()}"

    def digest(self, name: str) -> str:
        """The digest of an image of this registry ("kube-proxy:v1")."""
        repository, _colon, tag = name.rpartition(":")
        request = urllib.request.Request(f"http://{self.host}/v2/{repository}/manifests/{tag}", method="HEAD")
        request.add_header("Accept", f"{INDEX}, {MANIFEST}")
        with urllib.request.urlopen(request) as answer:
            return str(answer.headers["Docker-Content-Digest"])

    def crane(self, *arguments: str) -> str:
        """What crane says: another client than the collection's."""
        done = subprocess.run([program("crane"), *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def requests(self) -> list[str]:
        """Method and path of the requests until now."""
        lines = [line.split('"') for line in self.log.read_text().splitlines() if "HTTP/1.1" in line]
        return [parts[1].removesuffix(" HTTP/1.1") for parts in lines if len(parts) > 1]

    def writes(self) -> list[str]:
        """Those of the requests that change something."""
        return [request for request in self.requests() if not request.startswith(("GET ", "HEAD "))]


def _layer(content: bytes) -> bytes:
    """A layer with one file, always the same."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as packed:
        member = tarfile.TarInfo("file")
        member.size = len(content)
        packed.addfile(member, io.BytesIO(content))
    return gzip.compress(buffer.getvalue(), mtime=0)


def blob_of(content: bytes) -> str:
    """The checksum of the layer with this content, as hexadecimal text."""
    return hashlib.sha256(_layer(content)).hexdigest()


@contextlib.contextmanager
def running(directory: pathlib.Path, *, password: bool = False, port: int = 0) -> Iterator[Registry]:
    """A registry that keeps its content in a directory. password: whether it wants to know USER and PASSWORD."""
    directory.mkdir(exist_ok=True)
    host = f"127.0.0.1:{port or free_ports(1)[0]}"
    configuration: dict[str, Any] = {
        "version": 0.1,
        "log": {"level": "error"},
        "storage": {"filesystem": {"rootdirectory": str(directory / "data")}},
        "http": {"addr": host},
    }
    if password:
        (directory / "htpasswd").write_text(HTPASSWD)
        configuration["auth"] = {"htpasswd": {"realm": "test", "path": str(directory / "htpasswd")}}
    (directory / "config.yml").write_text(yaml.safe_dump(configuration))
    log = directory / "log"
    with log.open("ab") as stream:
        process = subprocess.Popen(
            [program("registry"), "serve", str(directory / "config.yml")],
            stdout=stream,
            stderr=stream,
            # Variables that begin so would be its configuration.
            env={name: value for name, value in os.environ.items() if not name.startswith("REGISTRY_")},
        )
    try:
        _wait(f"http://{host}/v2/", process)
        yield Registry(host, log, directory)
    finally:
        process.terminate()
        process.wait()


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 20
    while True:
        try:
            urllib.request.urlopen(url).close()
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            assert time.monotonic() < deadline and process.poll() is None, "the registry does not answer"
            time.sleep(0.05)
