# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's hosts: Debian with systemd and an SSH server, each a container that is a machine to all that runs in it."""

from __future__ import annotations

import json
import pathlib
import shutil
import time

from ansible_collections.kubeops.kops.tests.lab import cache, network
from ansible_collections.kubeops.kops.tests.lab.commands import run

IMAGE = "localhost/kops-lab-debian:12"
PREFIX = "kops-lab-host-"
SUITE = "bookworm"
# What a plain server has, and the few programs that kubelet, kube-proxy and the container runtime call.
PACKAGES = (
    *("systemd", "systemd-sysv", "dbus", "openssh-server", "python3", "ca-certificates", "udev", "curl"),
    *("iproute2", "iptables", "kmod", "procps", "iputils-ping", "conntrack", "ethtool", "socat"),
)
# Modules that are built into the machine's kernel: modprobe has to know, as there is no /lib/modules.
BUILT_IN = ("net/bridge/br_netfilter", "fs/overlayfs/overlay", "drivers/net/vxlan/vxlan", "net/netfilter/nf_conntrack")
# A host's own file systems: overlayfs cannot lie on overlayfs.
VOLUMES = ("/var/lib/containerd", "/var/lib/kubelet", "/var/lib/etcd", "/mnt")
FIRST_BOOT = (
    "mount --make-rshared /;"
    " [ -e /etc/.booted ] || { tr -d - </proc/sys/kernel/random/uuid >/etc/machine-id;"
    " ln -sf /etc/machine-id /var/lib/dbus/machine-id; ssh-keygen -A >/dev/null; touch /etc/.booted; };"
    " exec /sbin/init"
)


def image() -> str:
    """The hosts' image, made by debootstrap on first use and kept in the cache as an archive."""
    if run("podman", "images", "--quiet", IMAGE):
        return IMAGE
    key = cache.key_of(SUITE, *PACKAGES, *BUILT_IN)
    archive = cache.directory() / f"host-{SUITE}-{key}.tar"
    with cache.locked("host-image"):
        if not archive.exists():
            root = archive.with_suffix(".root")
            shutil.rmtree(root, ignore_errors=True)
            run("debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", SUITE, str(root))
            _prepare(root)
            partial = archive.with_suffix(".partial")
            run("tar", "--numeric-owner", "-C", str(root), "-cf", str(partial), ".")
            shutil.rmtree(root)
            partial.rename(archive)
        run("podman", "import", str(archive), IMAGE)
    return IMAGE


def _prepare(root: pathlib.Path) -> None:
    modules = root / "lib" / "modules" / run("uname", "-r").strip()
    modules.mkdir(parents=True)
    (modules / "modules.builtin").write_text("".join(f"kernel/{name}.ko\n" for name in BUILT_IN))
    (modules / "modules.order").touch()
    run("chroot", str(root), "depmod", modules.name)
    for unit in ("getty@tty1.service", "systemd-udevd.service", "systemd-networkd-wait-online.service"):
        (root / "etc/systemd/system" / unit).symlink_to("/dev/null")
    # Every host makes its own at its first boot.
    for key in root.glob("etc/ssh/ssh_host_*"):
        key.unlink()


def key_pair() -> pathlib.Path:
    """The private key that opens every host; its public half lies beside it."""
    private = cache.directory() / "id_ed25519"
    with cache.locked("key"):
        if not private.exists():
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "kops-lab", "-f", str(private))
    return private


def start(name: str, address: str) -> None:
    """Start the host (made if it is new) and wait until its system runs."""
    container = PREFIX + name
    if not run("podman", "ps", "--all", "--quiet", "--filter", f"name=^{container}$"):
        volumes = [part for path in VOLUMES for part in ("--volume", path)]
        run(
            *("podman", "run", "--detach", "--name", container, "--hostname", name),
            *("--runtime", "runc", "--privileged"),
            # podman's own systemd mode shares one hierarchy of cgroups among all hosts where they are version 1.
            *("--systemd=false", "--cgroupns=private", "--env", "container=podman"),
            *("--tmpfs", "/run", "--tmpfs", "/run/lock", "--tmpfs", "/tmp"),
            *("--stop-signal", "37", "--stop-timeout", "10"),
            *("--ulimit", "nproc=30000:30000", "--ulimit", "nofile=20000:20000"),
            *("--network", network.NAME, "--ip", address, "--dns", network.GATEWAY, *volumes),
            *(image(), "/bin/sh", "-c", FIRST_BOOT),
        )
    else:
        run("podman", "start", container)
    wait(name)
    public = key_pair().with_suffix(".pub").read_text()
    within(name, "sh", "-c", "mkdir -p /root/.ssh && cat >/root/.ssh/authorized_keys", stdin=public)


def wait(name: str, seconds: float = 60) -> None:
    """Wait until a host's system has started. Raises RuntimeError when it has not within so many seconds."""
    deadline = time.monotonic() + seconds
    state = ""
    while time.monotonic() < deadline:
        state = within(name, "systemctl", "is-system-running", check=False).strip()
        if state in ("running", "degraded"):
            return
        time.sleep(0.1)
    raise RuntimeError(f"host {name} did not start within {seconds:.0f} s; its system is {state or 'not reachable'}")


def within(name: str, *command: str, stdin: str | None = None, check: bool = True) -> str:
    """Run a command in a host, beside SSH; returns what it printed."""
    interactive = ["--interactive"] if stdin is not None else []
    return run("podman", "exec", *interactive, PREFIX + name, *command, stdin=stdin, check=check)


def kill(name: str) -> None:
    """Take a host's power away."""
    run("podman", "kill", PREFIX + name)


def remove(*names: str) -> None:
    """Remove hosts with all that they held."""
    run("podman", "rm", "--force", "--ignore", "--time", "1", "--volumes", *(PREFIX + name for name in names))


def names() -> dict[str, str]:
    """The hosts that exist, running or not: name -> state."""
    found = json.loads(run("podman", "ps", "--all", "--format", "json", "--filter", f"name=^{PREFIX}"))
    return {item["Names"][0][len(PREFIX) :]: item["State"] for item in found}
