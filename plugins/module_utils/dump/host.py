# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a machine says of itself: journals, logs, network, limits. It runs on the machine, as root.

Source of what is collected: pkg/dump/dumper.go of kops. Files with keys, credentials or users are never opened: only
what is named here is.
"""

from __future__ import annotations

import errno
import fnmatch
import os
import signal
import stat
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from .archive import Archive, copy_end, file_name, spooled

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/bin"
# No single command may use up the time of all.
_LONGEST_COMMAND = 20.0
# A line of a journal has about that many characters.
_LINE = 100

COMMANDS: Mapping[str, str] = {
    "kern.log": "journalctl --no-pager --output=short-precise -k --lines={lines}",
    "journal.log": "journalctl --no-pager --output=short-precise --lines={lines}",
    "units.txt": "systemctl list-units --all --no-pager --plain",
    "failed-units.txt": "systemctl list-units --failed --no-pager --plain",
    "timers.txt": "systemctl list-timers --all --no-pager",
    "iptables-nat.log": "iptables -t nat --list-rules",
    "iptables-filter.log": "iptables -t filter --list-rules",
    "nftables-ruleset.log": "nft list ruleset",
    "ip-address.log": "ip address",
    "ip-routes.log": "ip route show table all",
    "ip-rules.log": "ip rule list",
    "ip-link.log": "ip -s link",
    "netstat.log": "ss -s",
    "listening.log": "ss -tulnp",
    "sysctls": "sysctl -a",
    "disks.txt": "df -h",
    "inodes.txt": "df -i",
    "block-devices.txt": "lsblk -f",
    "processes.txt": "ps -eo pid,ppid,user,stat,start,time,rss,nlwp,comm",
    "uname.txt": "uname -a",
    "clock.txt": "timedatectl",
    "containers.txt": "ctr -n k8s.io containers list",
    "tasks.txt": "ctr -n k8s.io tasks list",
    "images.txt": "ctr -n k8s.io images list",
}
# Journals of their own, and how they are started. Of kops, and of this collection.
UNITS = (
    *("kubelet", "containerd", "docker", "protokube", "kops-configuration", "node-problem-detector", "cloud-init"),
    *("kops-controller", "kops-controller-manager", "kubeops-*", "kops-*", "keepalived", "haproxy"),
)
FILES = (
    *("/etc/hosts", "/etc/resolv.conf", "/etc/os-release", "/etc/fstab"),
    *("/proc/modules", "/proc/self/mounts", "/proc/meminfo", "/proc/loadavg", "/proc/swaps", "/proc/cmdline"),
    *("/proc/pressure/cpu", "/proc/pressure/memory", "/proc/pressure/io", "/proc/net/sockstat", "/proc/uptime"),
    *("/var/lib/kubelet/kubelet.conf", "/var/lib/kops/state.json", "/etc/kubeops/boot.json"),
)
# Directory -> the names that are taken from it and from what is below.
TREES: Mapping[str, tuple[str, ...]] = {
    "/etc/containerd": ("*.toml", "*.template"),
    "/etc/cni/net.d": ("*.conf", "*.conflist"),
    "/etc/kubernetes/manifests": ("*.manifest", "*.yaml", "*.yml", "*.json"),
}
LOGS = "/var/log"
# Of the logs, beside those of pods: as kops, and what else is text there.
LOG_NAMES = ("*.log", "*.log.1", "*.log-[0-9]*", "syslog", "messages", "cloud-init*", "startupscript*")
_NEVER = ("*.gz", "*.xz", "*.zst", "*.key", "*.pem", "auth.log*", "secure*", "*audit*")
_POD_LOGS = "pods"
_OTHER_FORMS = (_POD_LOGS, "containers", "journal", "private", "audit")


@dataclass(frozen=True)
class HostLimits:
    """log_bytes: of the end of each log. seconds: for everything. namespaces: whose pods' logs; all if empty."""

    log_bytes: int
    seconds: float
    namespaces: Sequence[str] = ()


def planned() -> list[str]:
    """What would be collected, for a reader."""
    return [
        *(f"command: {command.partition(' --lines')[0]}" for command in COMMANDS.values()),
        *(f"journal of {name}" for name in UNITS),
        *(f"file: {path}" for path in FILES),
        *(f"files: {directory}/**/{pattern}" for directory, patterns in TREES.items() for pattern in patterns),
        *(f"logs: {LOGS}/**/{pattern}" for pattern in LOG_NAMES),
        f"logs: {LOGS}/{_POD_LOGS}/**/*.log",
    ]


class HostDump:
    """Collects. root: of the files; tests have another one than "/"."""

    def __init__(self, archive: Archive, limits: HostLimits, root: str = "/") -> None:
        self.archive = archive
        self.limits = limits
        self._root = root.rstrip("/")
        self._end = time.monotonic() + limits.seconds

    def collect(self) -> None:
        """Everything; what cannot be read is noted. What is short and helps most comes first."""
        lines = str(max(100, self.limits.log_bytes // _LINE))
        for path in FILES:
            # Some systems have a link there.
            self._file(path, path.lstrip("/"), links=True)
        for name, command in COMMANDS.items():
            self._command(name, command.format(lines=lines).split())
        for unit in self._units():
            self._command(f"{unit.removesuffix('.service')}.log", _journal(unit, lines))
            self._command(f"units/{unit}", ["systemctl", "cat", unit])
            self._command(
                f"units/{unit}.status", ["systemctl", "status", "--no-pager", "--lines=0", unit], codes=(0, 3)
            )
        for directory, patterns in TREES.items():
            for path in self._below(directory, patterns):
                self._file(path, path.lstrip("/"))
        for path in self._below(LOGS, LOG_NAMES):
            if path.split("/")[3] not in _OTHER_FORMS:
                self._file(path, path.lstrip("/"))
        for path in self._below(f"{LOGS}/{_POD_LOGS}", ("*.log",)):
            # Directories are named <namespace>_<pod>_<uid>.
            if not self.limits.namespaces or path.split("/")[4].split("_")[0] in self.limits.namespaces:
                self._file(path, path.lstrip("/"))

    def _units(self) -> list[str]:
        with spooled() as output:
            command = ["systemctl", "list-units", "--all", "--type=service", "--no-legend", "--no-pager", "--plain"]
            if self._run(command, output):
                return []
            output.seek(0)
            found = [line.split()[0].decode(errors="replace") for line in output if line.split()]
        return [name for name in found if any(fnmatch.fnmatch(name.removesuffix(".service"), each) for each in UNITS)]

    def _command(self, name: str, command: Sequence[str], codes: Sequence[int] = (0,)) -> None:
        with spooled() as output:
            why = self._run(command, output, codes)
            output.seek(0)
            if why:
                self.archive.miss(name, why)
            if output.read(1):
                output.seek(0)
                with self.archive.file(name) as stream:
                    copy_end(output, stream, self.limits.log_bytes)

    def _run(self, command: Sequence[str], output: IO[bytes], codes: Sequence[int] = (0,)) -> str:
        """Write the output of a command. Returns why it is not whole, "" if it is."""
        left = self._end - time.monotonic()
        if left <= 0:
            return f"the time for this host is over ({self.limits.seconds:g} s)"
        # The output is written by the command itself, so that it may have any size.
        try:
            process = subprocess.Popen(  # noqa: S603 - no shell; commands are those above
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=output.fileno(),
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env={"PATH": _PATH, "LC_ALL": "C", "SYSTEMD_COLORS": "0"},
            )
        except FileNotFoundError:
            return f"there is no command {command[0]}"
        try:
            code = process.wait(min(left, _LONGEST_COMMAND))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return f"it took longer than {min(left, _LONGEST_COMMAND):.0f} s"
        finally:
            output.seek(0, os.SEEK_END)
        return "" if code in codes else f"exit code {code}"

    def _file(self, path: str, name: str, *, links: bool = False) -> None:
        if time.monotonic() > self._end:
            self.archive.miss(name, f"the time for this host is over ({self.limits.seconds:g} s)")
            return
        try:
            # No link may lead to another file, and no pipe may keep us waiting.
            flags = os.O_RDONLY | os.O_NONBLOCK | (0 if links else os.O_NOFOLLOW)
            descriptor = os.open(self._root + path, flags)
        except FileNotFoundError:
            return
        except OSError as error:
            self.archive.miss(name, _reason(error))
            return
        with open(descriptor, "rb") as source, spooled() as content:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                return
            try:
                # Of a large log, only the end is read; files of the kernel have no size.
                source.seek(max(0, status.st_size - 2 * self.limits.log_bytes))
                copy_end(source, content, self.limits.log_bytes)
            except OSError as error:
                self.archive.miss(name, _reason(error))
                return
            content.seek(0)
            self.archive.add(name, content)

    def _below(self, directory: str, patterns: Sequence[str]) -> Iterator[str]:
        """Paths of files with such names, sorted. Links are not followed."""
        for parent, directories, files in os.walk(self._root + directory):
            directories.sort()
            for name in sorted(files):
                if is_taken(name, patterns):
                    yield os.path.join(parent, name)[len(self._root) :]


def is_taken(name: str, patterns: Sequence[str]) -> bool:
    """Whether a file with such a name is collected. Keys and logs of logins never are."""
    return any(fnmatch.fnmatch(name, each) for each in patterns) and not any(
        fnmatch.fnmatch(name, each) for each in _NEVER
    )


def _journal(unit: str, lines: str) -> list[str]:
    return ["journalctl", "--no-pager", "--output=short-precise", f"--unit={unit}", f"--lines={lines}"]


def _reason(error: OSError) -> str:
    return "it is a link" if error.errno == errno.ELOOP else str(error.strerror or error)


def directory_of(node: str) -> str:
    """Where the files of a node are in the archive."""
    return f"nodes/{file_name(node)}"
