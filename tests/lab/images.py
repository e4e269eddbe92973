# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's container images, made from its own binaries and pushed to its registry under their publishers' names.

Nothing of them is downloaded: an image is one layer with the program, on nothing or on the few files of the hosts'
system that the program calls (iptables, ip, conntrack).
"""

from __future__ import annotations

import os
import pathlib
import shutil
import tempfile
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass

from ansible_collections.kubeops.kops.tests.lab import binaries, cache, hosts
from ansible_collections.kubeops.kops.tests.lab.commands import run

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Programs of the hosts' system that kube-proxy, flannel and the tests' pods call, and what they are called beside.
NETWORK_PROGRAMS = (
    *("/usr/sbin/xtables-nft-multi", "/usr/sbin/conntrack", "/usr/bin/ip", "/usr/bin/dash"),
    *("/usr/bin/cp", "/usr/bin/cat", "/usr/bin/sleep", "/usr/bin/ls"),
)
NETWORK_LINKS = {
    **{
        f"/usr/sbin/{family}tables{suffix}": "xtables-nft-multi"
        for family in ("ip", "ip6")
        for suffix in ("", "-save", "-restore", "-nft", "-nft-save", "-nft-restore")
    },
    "/usr/bin/sh": "dash",
    "/usr/sbin/ip": "../bin/ip",
}


@dataclass(frozen=True)
class Image:
    """One image: its publisher's name, {path within: program}, the first of which is its entry point.

    tags: further tags, for versions that cannot be built from the module proxy; this one replaces them.
    """

    name: str
    programs: Mapping[str, str]
    network_programs: bool = False
    tags: tuple[str, ...] = ()

    @property
    def references(self) -> list[str]:
        """Where the registry has it: below its publisher's path for mirrors, flat for spec.assets.containerRegistry."""
        names = [self.name, *(f"{self.name.rpartition(':')[0]}:{tag}" for tag in self.tags)]
        flat = [name.removeprefix("registry.k8s.io/").replace("/", "-") for name in names]
        return list(dict.fromkeys([*(name.partition("/")[2] for name in names), *flat]))


def _of_kubernetes(minor: str) -> list[Image]:
    version = binaries.KUBERNETES[minor]
    names = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy")
    return [
        Image(
            f"registry.k8s.io/{name}:v{version}",
            {f"/usr/local/bin/{name}": f"{minor}/{name}", "/go-runner": "go-runner"},
            name == "kube-proxy",
        )
        for name in names
    ]


def images(minors: tuple[str, ...]) -> list[Image]:
    """All images of the lab, for clusters of these Kubernetes versions ("1.34")."""
    version = binaries.VERSIONS
    etcd = {f"/usr/local/bin/{name}": name for name in ("etcd", "etcdctl", "etcdutl")}
    kubernetes, flannel = "registry.k8s.io", "ghcr.io/flannel-io"
    return [
        Image(f"{kubernetes}/pause:{version['pause']}", {"/pause": "pause"}, tags=("3.10",)),
        Image(f"{kubernetes}/etcd:v{version['etcd']}", etcd, tags=(f"{version['etcd']}-0",)),
        Image(f"{kubernetes}/coredns/coredns:v{version['coredns']}", {"/coredns": "coredns"}),
        Image(
            f"{flannel}/flannel:v{version['flannel']}",
            {"/opt/bin/flanneld": "flanneld", "/opt/bin/install-conf": "install-conf"},
            True,
            tags=("v0.28.9",),
        ),
        Image(f"{flannel}/flannel-cni-plugin:v0.9.1", {"/flannel": "flannel"}, True, tags=("v1.9.1-flannel3",)),
        Image(f"{kubernetes}/e2e-test-images/agnhost:{version['agnhost']}", {"/agnhost": "agnhost"}, True),
        *(image for minor in minors for image in _of_kubernetes(minor)),
    ]


def anchor(pause: pathlib.Path) -> str:
    """The image of the container that holds the network: nothing but the sandbox's program."""
    name = f"localhost/kops-lab-anchor:{binaries.VERSIONS['pause']}"
    if not run("podman", "images", "--quiet", name):
        with tempfile.TemporaryDirectory(dir=cache.directory()) as directory:
            layer = f"{directory}/layer.tar"
            run("tar", "-C", str(pause.parent), "-cf", layer, pause.name)
            run("podman", "import", "--change", 'ENTRYPOINT ["/pause"]', layer, name)
    return name


def push(registry: str, minors: tuple[str, ...], programs: Mapping[str, pathlib.Path]) -> None:
    """Make every image that the registry does not have yet from the present programs."""
    crane = str(programs["crane"])
    for image in images(minors):
        key = cache.key_of(repr(image), *(str(programs[name]) for name in image.programs.values()))
        marker = cache.directory() / "pushed" / key
        first, *others = (f"{registry}/{reference}" for reference in image.references)
        if marker.exists() and _exists(first):
            continue
        _push(crane, first, image, programs)
        for other in others:
            run(crane, "copy", "--insecure", first, other)
        marker.parent.mkdir(exist_ok=True)
        marker.touch()


def _exists(reference: str) -> bool:
    host, _slash, rest = reference.partition("/")
    name, _colon, tag = rest.rpartition(":")
    request = urllib.request.Request(
        f"http://{host}/v2/{name}/manifests/{tag}",
        method="HEAD",
        headers={"Accept": "application/vnd.oci.image.manifest.v1+json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=5):
            return True
    except urllib.error.HTTPError:
        return False


def _push(crane: str, reference: str, image: Image, programs: Mapping[str, pathlib.Path]) -> None:
    with tempfile.TemporaryDirectory(dir=cache.directory()) as directory:
        root = pathlib.Path(directory) / "root"
        if image.network_programs:
            shutil.copytree(_network_root(), root, symlinks=True)
        for path, name in image.programs.items():
            target = root / path.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(programs[name], target)
        (root / "tmp").mkdir(parents=True, exist_ok=True)
        (root / "tmp").chmod(0o1777)
        layer = f"{directory}/layer.tar"
        # The same programs give the same layer, to the byte.
        stable = ("--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner")
        run("tar", *stable, "-C", str(root), "-cf", layer, ".")
        run(crane, "append", "--insecure", "--oci-empty-base", "-f", layer, "-t", reference)
        entry = next(iter(image.programs))
        run(
            *(crane, "mutate", "--insecure", "--set-platform", f"linux/{binaries.ARCHITECTURE}", "--entrypoint", entry),
            *("--env", f"PATH={PATH}", "--tag", reference, reference),
        )


def _network_root() -> pathlib.Path:
    """The part of the hosts' system that NETWORK_PROGRAMS need: themselves, their libraries, iptables' extensions."""
    name = hosts.image()
    target = cache.directory() / f"network-root-{cache.key_of(repr(NETWORK_PROGRAMS), repr(NETWORK_LINKS), name)}"
    with cache.locked("network-root"):
        if target.is_dir():
            return target
        container = run("podman", "create", "--runtime", "runc", name, "/bin/true").strip()
        mounted = pathlib.Path(run("podman", "mount", container).strip())
        try:
            partial = target.with_suffix(".partial")
            shutil.rmtree(partial, ignore_errors=True)
            _copy_programs(mounted, partial)
            partial.rename(target)
        finally:
            run("podman", "umount", container)
            run("podman", "rm", container)
    return target


def _copy_programs(source: pathlib.Path, target: pathlib.Path) -> None:
    for name in ("usr/bin", "usr/sbin", "usr/lib", "usr/lib64", "run", "etc", "proc", "sys", "dev", "var", "opt/bin"):
        (target / name).mkdir(parents=True)
    for name in ("bin", "sbin", "lib", "lib64"):
        (target / name).symlink_to(f"usr/{name}")
    (target / "var/run").symlink_to("../run")
    (extensions,) = source.glob("usr/lib/*-linux-gnu/xtables")
    inside = [f"/{path.relative_to(source)}" for path in sorted(extensions.glob("*.so"))]
    wanted = {*NETWORK_PROGRAMS, *inside}
    # An extension that lacks a library is skipped silently by iptables, and rules fail much later: take theirs, too.
    for line in run("chroot", str(source), "ldd", *sorted(wanted), check=False).splitlines():
        wanted.update(word for word in line.split() if word.startswith("/") and not word.endswith(":"))
    for path in sorted(wanted):
        real = pathlib.Path(run("chroot", str(source), "readlink", "-f", path).strip())
        for copy in sorted({real, pathlib.Path(os.path.normpath(path))}):
            place = target / str(copy).lstrip("/")
            if not place.exists():
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source / str(real).lstrip("/"), place)
    for path, aim in NETWORK_LINKS.items():
        (target / path.lstrip("/")).symlink_to(aim)
    for name in ("protocols", "services"):
        if (source / "etc" / name).exists():
            shutil.copy2(source / "etc" / name, target / "etc" / name)
    (target / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (target / "etc/nsswitch.conf").write_text("hosts: files dns\n")
