# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's container images, made from its own binaries and pushed to its registry under their publishers' names.

Nothing of them is downloaded: an image is one layer with the program, on nothing or on the few files of the hosts'
system that the program calls (iptables, ip, conntrack).
"""

from __future__ import annotations

import pathlib
import shutil
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ansible_collections.kubeops.kops.tests.lab import binaries, cache, systems
from ansible_collections.kubeops.kops.tests.lab.commands import run

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True)
class Image:
    """One image: its publisher's name, {path within: program}, the first of which is its entry point.

    tags: further tags, for versions that cannot be built from the module proxy; this one replaces them.
    system: makes the directory of files that lie below the programs; its name changes with its content.
    words: what follows the entry point. is_bare: it has none, as pods name the program. user: whom it runs as, if not
    as root.
    """

    name: str
    programs: Mapping[str, str]
    network_programs: bool = False
    tags: tuple[str, ...] = ()
    system: Callable[[], pathlib.Path] | None = field(default=None, repr=False)
    words: tuple[str, ...] = ()
    is_bare: bool = False
    user: int = 0

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
        # It has no module: in its place a program that does nothing.
        Image(
            f"{kubernetes}/cpa/cluster-proportional-autoscaler:v1.9.0", {"/cluster-proportional-autoscaler": "pause"}
        ),
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


def push(registry: str, wanted: Sequence[Image], programs: Mapping[str, pathlib.Path]) -> None:
    """Make every image that the registry does not have yet from the present programs."""
    crane = str(programs["crane"])
    for image in wanted:
        below = [str(image.system())] if image.system else []
        key = cache.key_of(repr(image), *(str(programs[name]) for name in image.programs.values()), *below)
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
        system = systems.network if image.network_programs else image.system
        if system:
            shutil.copytree(system(), root, symlinks=True)
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
        entry = [] if image.is_bare else ["--entrypoint", ",".join([next(iter(image.programs)), *image.words])]
        run(
            *(crane, "mutate", "--insecure", "--set-platform", f"linux/{binaries.ARCHITECTURE}", *entry),
            *("--env", f"PATH={PATH}", "--user", str(image.user), "--tag", reference, reference),
        )
