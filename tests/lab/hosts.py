# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's hosts: containers with systemd and an SSH server, each a machine to all that runs in it."""

from __future__ import annotations

import contextlib
import json
import pathlib
import shutil
import threading
import time
from collections.abc import Iterator

from ansible_collections.kubeops.kops.tests.lab import cache, distributions, network
from ansible_collections.kubeops.kops.tests.lab.commands import PODMAN_LIMITS, run

IMAGE = "localhost/kops-lab"
PREFIX = "kops-lab-host-"
# Modules that are built into the machine's kernel: modprobe has to know, as there is no /lib/modules.
BUILT_IN = (
    *("net/bridge/br_netfilter", "fs/overlayfs/overlay", "drivers/net/vxlan/vxlan", "drivers/net/tun"),
    *(f"net/netfilter/{name}" for name in ("nf_conntrack", "nf_tables", "nfnetlink_queue", "ipset/ip_set", "xt_set")),
)
# A host's own file systems: overlayfs cannot lie on overlayfs.
VOLUMES = ("/var/lib/containerd", "/var/lib/kubelet", "/var/lib/etcd", "/mnt")
# A container may not raise limits, nor make the out-of-memory killer spare it: units leave both as they are.
LIMITS = "[Service]\nOOMScoreAdjust=0\nLimitNOFILE=20000\nLimitNPROC=30000\nLimitCORE=0\n"
LIMITED_UNITS = ("containerd.service", "kubelet.service")
# Settings of the machine's one kernel. Each host gets files of its own in their place: what a node sets stays with it.
KERNEL_SETTINGS = (
    *("vm/max_map_count", "vm/overcommit_memory", "vm/panic_on_oom", "fs/file-max", "kernel/panic"),
    *("kernel/panic_on_oops", "kernel/softlockup_panic", "kernel/softlockup_all_cpu_backtrace"),
)
BOOT = f"""#!/bin/sh
mount --make-rshared /
if [ ! -e /etc/.booted ]; then
  tr -d - </proc/sys/kernel/random/uuid >/etc/machine-id
  ln -sf /etc/machine-id /var/lib/dbus/machine-id
  ssh-keygen -A >/dev/null
  touch /etc/.booted
fi
mkdir -p /dev/lab-kernel
# All containers have the machine's kernel, which was not started again; a host was.
cp /proc/sys/kernel/random/uuid /dev/lab-kernel/boot_id
mount --bind /dev/lab-kernel/boot_id /proc/sys/kernel/random/boot_id
for setting in {" ".join(KERNEL_SETTINGS)}; do
  [ -e /proc/sys/$setting ] || continue
  own=/dev/lab-kernel/$(echo $setting | tr / .)
  cat /proc/sys/$setting >$own
  mount --bind $own /proc/sys/$setting
done
exec /sbin/init
"""

# What makes a container a machine. podman's own systemd mode would share one hierarchy of cgroups among all hosts where
# they are version 1.
MACHINE = ("--runtime", "runc", "--privileged", "--systemd=false", "--cgroupns=private", *PODMAN_LIMITS)


def image(distribution: str = distributions.DEFAULT) -> str:
    """The image of hosts with a distribution, made on first use."""
    kernel = run("uname", "-r").strip()
    plain = distributions.DISTRIBUTIONS[distribution]
    key = cache.key_of(kernel, BOOT, LIMITS, repr(plain), *distributions.PACKAGES, *BUILT_IN, *LIMITED_UNITS)
    name = f"{IMAGE}-{distribution}:{key}"
    with cache.locked("host-image"):
        if run("podman", "images", "--quiet", name):
            return name
        archive = distributions.plain(distribution)
        root, made = (archive.with_name(f"{archive.stem}.{kind}") for kind in ("root", "image"))
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir()
        run("tar", "--numeric-owner", "-C", str(root), "-xf", str(archive))
        _prepare(root, kernel)
        run("tar", "--numeric-owner", "-C", str(root), "-cf", str(made), ".")
        run("podman", "import", str(made), name)
        shutil.rmtree(root)
        made.unlink()
    return name


def _prepare(root: pathlib.Path, kernel: str) -> None:
    """Make of a plain system one that runs as a container and looks like a machine."""
    modules = root / "lib" / "modules" / kernel
    modules.mkdir(parents=True)
    (modules / "modules.builtin").write_text("".join(f"kernel/{name}.ko\n" for name in BUILT_IN))
    (modules / "modules.order").touch()
    run("chroot", str(root), "depmod", kernel)
    for unit in ("getty@tty1.service", "systemd-udevd.service", "systemd-networkd-wait-online.service"):
        (root / "etc/systemd/system" / unit).symlink_to("/dev/null")
    for unit in LIMITED_UNITS:
        directory = root / "etc/systemd/system" / f"{unit}.d"
        directory.mkdir()
        (directory / "lab.conf").write_text(LIMITS)
    # Every host makes its own at its first boot.
    for key in root.glob("etc/ssh/ssh_host_*"):
        key.unlink()
    boot = root / "usr/local/sbin/lab-boot"
    boot.write_text(BOOT)
    boot.chmod(0o755)


def key_pair() -> pathlib.Path:
    """The private key that opens every host; its public half lies beside it."""
    private = cache.directory() / "id_ed25519"
    with cache.locked("key"):
        if not private.exists():
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "kops-lab", "-f", str(private))
    return private


def try_out(image: str) -> None:
    """Start and remove a container with a host's rights. Raises RuntimeError where the machine does not allow that."""
    name = f"{PREFIX}check"
    try:
        run("podman", "run", "--detach", "--name", name, *MACHINE, "--tmpfs", "/run", image)
    finally:
        run("podman", "rm", "--force", "--ignore", "--time", "0", "--volumes", name)


def start(name: str, distribution: str = distributions.DEFAULT) -> None:
    """Start the host (made if it is new, with this distribution) and wait until its system runs."""
    container = PREFIX + name
    if not run("podman", "ps", "--all", "--quiet", "--filter", f"name=^{container}$"):
        connection = ("--network", network.NAME, "--ip", network.address(name), "--dns", network.GATEWAY, "--no-hosts")
        create(container, name, distribution, *connection, "--mac-address", network.hardware_address(name))
        # podman's own would be written anew at every start.
        known = f"127.0.0.1\tlocalhost\n{network.address(name)}\t{name}\n"
        within(name, "sh", "-c", "cat >/etc/hosts", stdin=known)
    else:
        run("podman", "start", container)
    wait(name)
    public = key_pair().with_suffix(".pub").read_text()
    within(name, "sh", "-c", "mkdir -p /root/.ssh && cat >/root/.ssh/authorized_keys", stdin=public)


def create(container: str, host_name: str, distribution: str, *options: str) -> None:
    """Make a machine of a container and start it. options: of podman; its network, and whatever else it has."""
    run(
        *("podman", "run", "--detach", "--name", container, "--hostname", host_name),
        *MACHINE,
        *("--env", "container=podman"),
        *("--tmpfs", "/run", "--tmpfs", "/run/lock", "--tmpfs", "/tmp"),
        *("--stop-signal", "37", "--stop-timeout", "10"),
        *(part for path in VOLUMES for part in ("--volume", path)),
        *options,
        *(image(distribution), "/usr/local/sbin/lab-boot"),
    )


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


def restart(name: str, seconds: float = 90) -> None:
    """Let a host shut down in order, and switch it on again. Raises RuntimeError if that takes too long."""
    container, deadline = PREFIX + name, time.monotonic() + seconds
    within(name, "systemctl", "reboot", check=False)
    while run("podman", "inspect", "--format", "{{.State.Status}}", container).strip() == "running":
        if time.monotonic() > deadline:
            raise RuntimeError(f"host {name} did not shut down within {seconds:.0f} s")
        time.sleep(0.2)
    start(name)


def remove(*names: str) -> None:
    """Remove hosts with all that they held."""
    if names:
        run("podman", "rm", "--force", "--ignore", "--time", "0", "--volumes", *(PREFIX + name for name in names))


def add_user(name: str, user: str, may: str) -> None:
    """Make a user on a host, whom the key lets in. may: what sudo allows, as "ALL" or "NOPASSWD: ALL"."""
    home = f"/home/{user}"
    within(name, "useradd", "--create-home", "--shell", "/bin/bash", user)
    within(name, "sh", "-c", f"cat >/etc/sudoers.d/{user}", stdin=f"{user} ALL=(ALL:ALL) {may}\n")
    within(name, "cp", "-r", "/root/.ssh", f"{home}/.ssh")
    within(name, "chown", "-R", f"{user}:{user}", f"{home}/.ssh")


@contextlib.contextmanager
def switched_on(*names: str) -> Iterator[None]:
    """Whatever shuts these hosts down in this block, they start again: a container that ends stays off by itself."""
    enough = threading.Event()

    def watch() -> None:
        while not enough.wait(0.5):
            for name in names:
                if run("podman", "inspect", "--format", "{{.State.Status}}", PREFIX + name).strip() == "exited":
                    start(name)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield
    finally:
        enough.set()
        watching.join()


def names() -> dict[str, str]:
    """The hosts that exist, running or not: name -> state."""
    found = json.loads(run("podman", "ps", "--all", "--format", "json", "--filter", f"name=^{PREFIX}"))
    return {item["Names"][0][len(PREFIX) :]: item["State"] for item in found}
