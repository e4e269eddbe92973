# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the lab's hosts download from: a registry of images, and a server of files laid out as publishers' sites."""

from __future__ import annotations

import functools
import gzip
import hashlib
import http.server
import pathlib
import shutil
import sys
import tarfile
from collections.abc import Mapping

from ansible_collections.kubeops.kops.tests.lab import binaries, cache, network, processes

REGISTRY = f"{network.GATEWAY}:5000"
FILES = f"http://{network.GATEWAY}:5001"
# Changes with the way in which files are packed: kept directories have another name then.
_LAYOUT = "2"
_PLUGINS_VERSION = binaries.VERSIONS["cni-plugins"]
CNI_PLUGINS = (
    f"containernetworking/plugins/releases/download/v{_PLUGINS_VERSION}/"
    f"cni-plugins-linux-{binaries.ARCHITECTURE}-v{_PLUGINS_VERSION}.tgz"
)
# What the credential providers are below: that of AWS as its publisher has it, and that of Google Cloud.
CREDENTIAL_PROVIDER = f"https://artifacts.k8s.io/binaries/cloud-provider-aws/v1.31.7{binaries.BUILD}"
_CREDENTIAL_PROVIDERS = {
    "ecr-credential-provider": f"linux/{binaries.ARCHITECTURE}/ecr-credential-provider-linux-{binaries.ARCHITECTURE}",
    "auth-provider-gcp": f"auth-provider-gcp/linux/{binaries.ARCHITECTURE}/auth-provider-gcp",
}


def published(programs: Mapping[str, pathlib.Path]) -> dict[str, Mapping[str, pathlib.Path]]:
    """Path below the file server -> what it holds: members of an archive, or {"": the program itself}."""
    version, architecture = binaries.VERSIONS, binaries.ARCHITECTURE
    containerd, plugins, runc = (version[name] for name in ("containerd", "cni-plugins", "runc"))
    files: dict[str, Mapping[str, pathlib.Path]] = {
        f"release/v{release}/bin/linux/{architecture}/{name}": {"": programs[f"{minor}/{name}"]}
        for minor, release in binaries.KUBERNETES.items()
        for name in ("kubelet", "kubectl", "kubeadm")
        if f"{minor}/{name}" in programs
    }
    files[f"opencontainers/runc/releases/download/v{runc}/runc.{architecture}"] = {"": programs["runc"]}
    files[
        f"containerd/containerd/releases/download/v{containerd}/containerd-{containerd}-linux-{architecture}.tar.gz"
    ] = {f"bin/{name}": programs[name] for name in binaries.RECIPES["containerd"].packages}
    location = CREDENTIAL_PROVIDER.partition("://")[2].partition("/")[2]
    files.update({f"{location}/{path}": {"": programs[name]} for name, path in _CREDENTIAL_PROVIDERS.items()})
    files[CNI_PLUGINS] = {
        f"./{name}": programs[name] for name in (*binaries.RECIPES["cni-plugins"].packages, "flannel")
    }
    return files


def lay_out_files(programs: Mapping[str, pathlib.Path]) -> pathlib.Path:
    """The directory that the file server shows: each file where its publisher has it, with its .sha256."""
    files = published(programs)
    key = cache.key_of(_LAYOUT, repr(sorted((path, sorted(members.items())) for path, members in files.items())))
    target = cache.directory() / f"files-{key}"
    with cache.locked("files"):
        if target.is_dir():
            return target
        partial = target.with_suffix(".partial")
        shutil.rmtree(partial, ignore_errors=True)
        for path, members in files.items():
            file = partial / path
            file.parent.mkdir(parents=True, exist_ok=True)
            if "" in members:
                file.hardlink_to(members[""])
            else:
                _pack(file, members)
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            file.with_name(file.name + ".sha256").write_text(f"{digest}  {file.name}\n")
        partial.rename(target)
    return target


def _pack(archive: pathlib.Path, members: Mapping[str, pathlib.Path]) -> None:
    """The same members make the same bytes: a running cluster knows the checksum that an archive had."""
    with (
        archive.open("wb") as file,
        gzip.GzipFile("", "wb", compresslevel=1, fileobj=file, mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w") as packed,
    ):
        for name, path in members.items():
            packed.add(path, name)


def _holds(shown: pathlib.Path, wanted: pathlib.Path) -> bool:
    """Whether a directory of files has all that another one has, and perhaps more."""
    checksums = {path.relative_to(wanted): path.read_text() for path in wanted.rglob("*.sha256")}
    return all((shown / path).is_file() and (shown / path).read_text() == text for path, text in checksums.items())


class _Server(http.server.ThreadingHTTPServer):
    # Many nodes ask at once.
    request_queue_size = 64


def serve_files(directory: str) -> None:
    """Serve a directory for ever."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=directory)
    with _Server((network.GATEWAY, int(FILES.rpartition(":")[2])), handler) as server:
        server.serve_forever()


def start(programs: Mapping[str, pathlib.Path]) -> None:
    """Start both servers, if they do not run, and wait until they answer."""
    configuration = cache.directory() / "registry.yml"
    configuration.write_text(
        "version: 0.1\nlog: {level: warn, accesslog: {disabled: true}}\n"
        f"storage: {{filesystem: {{rootdirectory: {cache.directory() / 'registry'}}}, delete: {{enabled: true}}}}\n"
        f"http: {{addr: '{REGISTRY}'}}\n"
    )
    command = [str(programs["registry"]), "serve", str(configuration)]
    processes.start("registry", command, functools.partial(processes.has_page, f"http://{REGISTRY}/v2/"))
    wanted = lay_out_files(programs)
    shown = processes.content("files") if processes.is_running("files") else ""
    # Clusters of two runs may need the server at the same time; the one with more Kubernetes versions serves both.
    files = shown if shown and _holds(pathlib.Path(shown), wanted) else str(wanted)
    command = [sys.executable, "-m", __spec__.name, files]
    processes.start("files", command, functools.partial(processes.has_page, FILES), content=files)


def directory() -> pathlib.Path:
    """What the file server shows. Raises FileNotFoundError when it does not run."""
    return pathlib.Path(processes.content("files"))


def stop() -> None:
    """Stop both servers."""
    processes.stop("registry")
    processes.stop("files")


if __name__ == "__main__":
    serve_files(sys.argv[1])
