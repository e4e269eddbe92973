# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the image of Cilium's agent has below its programs: a compiler, and what the agent compiles with it.

The agent compiles its programs for the kernel when it starts. Their sources and the scripts of its image come with its
Go module; the compiler, which has to be as new as upstream's, is Debian's. There is no Envoy.
"""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess

from ansible_collections.kubeops.kops.tests.lab import binaries, cache, distributions, systems
from ansible_collections.kubeops.kops.tests.lab.commands import run

# Path in the image -> program; the agent's comes first.
PROGRAMS = {
    "/usr/bin/cilium-agent": "cilium-agent",
    "/usr/bin/cilium-dbg": "cilium-dbg",
    "/usr/bin/cilium-health-responder": "cilium-health-responder",
    "/usr/bin/cilium-mount": "cilium-mount",
    "/usr/bin/cilium-sysctlfix": "cilium-sysctlfix",
    "/opt/cni/bin/cilium-cni": "cilium-cni",
    "/cni/loopback": "loopback",
}
_COMPILER = "clang-19"
_PACKAGES = (_COMPILER, "iptables", "iproute2", "util-linux", "mount", "findutils")
_SYSTEM_PROGRAMS = (
    *("/usr/sbin/xtables-nft-multi", "/usr/bin/ip", "/usr/bin/bash", "/usr/bin/dash", "/usr/bin/grep"),
    *(f"/usr/bin/{name}" for name in ("cp", "mv", "rm", "cat", "ls", "mkdir", "sleep", "basename", "dirname", "find")),
    *("/usr/bin/env", "/usr/bin/mount", "/usr/bin/umount", "/usr/bin/nsenter", f"/usr/bin/{_COMPILER}"),
)
_LINKS = {**systems.NETWORK_LINKS, "/usr/bin/clang": _COMPILER}
# Path in the module -> path in the image.
_OF_THE_MODULE = {
    "bpf": "var/lib/cilium/bpf",
    "images/cilium/init-container.sh": "init-container.sh",
    "plugins/cilium-cni/install-plugin.sh": "install-plugin.sh",
    "plugins/cilium-cni/cni-uninstall.sh": "cni-uninstall.sh",
}


def system() -> pathlib.Path:
    """The directory with all of it, made on first use."""
    key = cache.key_of(*_PACKAGES, repr(_SYSTEM_PROGRAMS), repr(_LINKS), repr(_OF_THE_MODULE), _version())
    target = cache.directory() / f"cilium-root-{key}"
    with cache.locked("cilium-root"):
        if not target.is_dir():
            root, made = (target.with_suffix(f".{kind}") for kind in ("debootstrap", "made"))
            for directory in (root, made):
                shutil.rmtree(directory, ignore_errors=True)
            include = f"--include={','.join(_PACKAGES)}"
            suite = distributions.DISTRIBUTIONS[distributions.DEFAULT].suite
            run("debootstrap", "--variant=minbase", include, suite, str(root))
            systems.copy_programs(root, made, _SYSTEM_PROGRAMS, _LINKS)
            shutil.rmtree(root)
            _copy_of_module(made)
            made.rename(target)
    return target


def _version() -> str:
    return binaries.VERSIONS["cilium"]


def _copy_of_module(root: pathlib.Path) -> None:
    """Files in the cache of Go modules cannot be written to; those of the image can."""
    command = ["go", "mod", "download", "-json", f"github.com/cilium/cilium@v{_version()}"]
    done = subprocess.run(command, cwd=binaries.MODULES / "cilium", check=True, capture_output=True, text=True)
    module = pathlib.Path(json.loads(done.stdout)["Dir"])
    for name, path in _OF_THE_MODULE.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        run("cp", "--recursive", "--no-preserve=mode", str(module / name), str(place))
        if place.suffix == ".sh":
            place.chmod(0o755)
