# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host whose commands do to a directory what the real ones do to a machine, and are written down.

What it knows is in a file beside that directory, so that it outlives a process that is killed.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
from collections.abc import Mapping
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.node.system.host import NOT_FOUND, CommandOutcome, Host

KERNEL = "6.1.0-test"
OWNER = f"{os.getuid()}:{os.getgid()}"


class FakeHost(Host):
    """root: the directory. fail: begin of a command -> what it ends with, instead of doing anything."""

    def __init__(self, root: pathlib.Path) -> None:
        self.root = root
        self.file = root.with_name(root.name + ".host.json")
        self.fail: dict[str, CommandOutcome] = {}
        self.journals: dict[str, str] = {}
        self.modules = {"br_netfilter", "overlay"}
        self.distribution_units: dict[str, dict[str, str]] = {}

    @classmethod
    def make(cls, root: pathlib.Path, distribution: str = "debian-12") -> FakeHost:
        """A fresh machine below a directory that is not there yet."""
        name, _dash, version = distribution.partition("-")
        files = {
            "etc/os-release": f'NAME=Test\nID={name}\nVERSION_ID="{version}"\n',
            "etc/passwd": f"root:x:{OWNER}:root:/root:/bin/bash\n",
            "etc/group": f"root:x:{os.getgid()}:\n",
            "etc/hosts": "127.0.0.1 localhost\n",
            "proc/modules": "ext4 1 0 - Live 0x0\n",
            f"lib/modules/{KERNEL}/modules.builtin": "kernel/net/bridge/nf-tables.ko\n",
            "proc/sys/net/ipv4/ip_forward": "0\n",
            "proc/sys/net/ipv4/tcp_rmem": "4096\t131072\t6291456\n",
            "proc/sys/net/ipv4/conf/lxc1/rp_filter": "1\n",
            "proc/sys/net/ipv4/conf/lxc2/rp_filter": "0\n",
        }
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        for path in ("etc/systemd/system", "usr/local/bin", "var/lib", "var/cache", "run"):
            (root / path).mkdir(parents=True, exist_ok=True)
        return cls(root)

    @property
    def state(self) -> dict[str, Any]:
        """Everything that the commands have brought about."""
        if self.file.exists():
            return json.loads(self.file.read_text())
        return {"calls": [], "units": {}, "packages": {}, "held": [], "images": [], "filesystems": {}}

    @property
    def calls(self) -> list[str]:
        """The commands that change something, as they were called."""
        return self.state["calls"]

    def forget_calls(self) -> None:
        self._keep({**self.state, "calls": []})

    def _keep(self, state: dict[str, Any]) -> None:
        temporary = self.file.with_suffix(".new")
        temporary.write_text(json.dumps(state))
        temporary.replace(self.file)

    def hostname(self) -> str:
        return "Node-1"

    def architecture(self) -> str:
        return "amd64"

    def kernel(self) -> str:
        return KERNEL

    def address(self) -> str:
        return "10.0.0.7"

    def interface(self, address: str) -> str:
        return {"10.0.0.7": "eth0", "10.1.0.7": "eth1"}.get(address, "")

    def run(self, *command: str, timeout: float = 900, environment: Mapping[str, str] | None = None) -> CommandOutcome:
        text = " ".join(command)
        for begin, outcome in self.fail.items():
            if text.startswith(begin):
                return outcome
        if command[0] == "flock":
            command = command[2:]
        handler = getattr(self, "_" + command[0].replace("-", "_").replace(".", "_"), None)
        if handler is None:
            return CommandOutcome(NOT_FOUND, "", f"{command[0]}: command not found")
        state = self.state
        before = json.dumps(state)
        outcome = handler(state, [each for each in command[1:] if each != "--"])
        if json.dumps(state) != before:
            state["calls"].append(text)
            self._keep(state)
        return outcome

    # systemd

    def unit_files(self, name: str) -> str:
        """What the files of a unit say, as a checksum; "" if there are none."""
        folder = self.root / "etc/systemd/system"
        files = [folder / name, *sorted(folder.glob(f"{name}.d/*"))]
        texts = [each.read_text() for each in files if each.exists()]
        return hashlib.sha256("\0".join(texts).encode()).hexdigest() if texts else ""

    def _systemctl(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        verb, names = arguments[0], [each for each in arguments[1:] if not each.startswith("--")]
        units = state["units"]
        if verb == "show":
            return CommandOutcome(0, "\n\n".join(self._show(units, name) for name in names) + "\n")
        if verb == "daemon-reload":
            for name in units:
                units[name]["loaded"] = self.unit_files(name)
            state["reloads"] = state.get("reloads", 0) + 1
            return CommandOutcome(0)
        for name in names:
            if name not in self.distribution_units and not self.unit_files(name) and name not in units:
                return CommandOutcome(5, "", f"Unit {name} not found.")
            unit = units.setdefault(name, dict(self.distribution_units.get(name, {})))
            if verb in ("start", "restart"):
                if verb == "restart" or unit.get("active") != "active":
                    unit["ran_with"] = self.inputs()
                    unit["starts"] = unit.get("starts", 0) + 1
                oneshot = "Type=oneshot" in self._text(name)
                unit.update(active="inactive" if oneshot else "active", loaded=self.unit_files(name))
            elif verb in ("stop", "reset-failed"):
                unit["active"] = "inactive"
            elif verb in ("enable", "disable"):
                unit["enabled"] = f"{verb}d"
        return CommandOutcome(0)

    def _text(self, name: str) -> str:
        path = self.root / "etc/systemd/system" / name
        return path.read_text() if path.exists() else ""

    def _show(self, units: dict[str, Any], name: str) -> str:
        known = bool(self.unit_files(name)) or name in self.distribution_units
        unit = {**self.distribution_units.get(name, {}), **units.get(name, {})}
        stale = "loaded" in unit and unit["loaded"] != self.unit_files(name)
        values = {
            "Type": "oneshot" if "Type=oneshot" in self._text(name) else "simple",
            "NRestarts": unit.get("restarts", "0"),
            "LoadState": "loaded" if known else "not-found",
            "ActiveState": unit.get("active", "inactive"),
            "SubState": "dead",
            "UnitFileState": unit.get("enabled", "disabled") if known else "",
            "Result": "success",
            "NeedDaemonReload": "yes" if stale else "no",
        }
        return "\n".join(f"{key}={value}" for key, value in values.items())

    def inputs(self) -> str:
        """What a unit that starts now reads: everything of the configuration, as a checksum."""
        digest = hashlib.sha256()
        for path in sorted((self.root / "etc/app").rglob("*")) + sorted((self.root / "usr/local/bin").rglob("*")):
            if path.is_file() and not path.name.endswith(".kops-new"):
                digest.update(f"{path.relative_to(self.root)}\0".encode() + path.read_bytes())
        return digest.hexdigest()

    def _journalctl(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        unit = next(each.partition("=")[2] for each in arguments if each.startswith("--unit="))
        return CommandOutcome(0, self.journals.get(unit, ""))

    # packages

    def _dpkg_query(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        names = [each for each in arguments if not each.startswith("--") and each in state["packages"]]
        lines = [f"{name}\t{state['packages'][name]}\t1.0\n" for name in names]
        return CommandOutcome(0 if len(lines) == len(arguments) - 2 else 1, "".join(lines))

    def _apt_get(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        if "install" in arguments:
            for name in arguments[arguments.index("install") + 2 :]:
                state["packages"][name.partition("=")[0]] = "ii "
        else:
            state["refreshed"] = state.get("refreshed", 0) + 1
        return CommandOutcome(0)

    def _apt_mark(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        for name in arguments[1:]:
            state["packages"][name] = "hi " if arguments[0] == "hold" else "ii "
        return CommandOutcome(0)

    def _dpkg(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        state["packages"] = dict.fromkeys(state["packages"], "ii ")
        return CommandOutcome(0)

    # accounts

    def _edit(self, file: str, name: str, line: str | None) -> CommandOutcome:
        path = self.root / "etc" / file
        kept = [each for each in path.read_text().splitlines() if not each.startswith(f"{name}:")]
        temporary = path.with_suffix(".edited")
        temporary.write_text("".join(f"{each}\n" for each in [*kept, *([line] if line else [])]))
        temporary.replace(path)
        return CommandOutcome(0)

    def _useradd(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        state["accounts"] = state.get("accounts", 0) + 1
        options = dict(zip(arguments, arguments[1:]))
        home, shell = options.get("--home-dir", "/home"), options.get("--shell", "/bin/sh")
        return self._edit("passwd", arguments[-1], f"{arguments[-1]}:x:{options.get('--uid', 900)}:0::{home}:{shell}")

    def _usermod(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        state["accounts"] = state.get("accounts", 0) + 1
        return CommandOutcome(0)

    def _groupadd(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        state["accounts"] = state.get("accounts", 0) + 1
        gid = dict(zip(arguments, arguments[1:])).get("--gid", "901")
        return self._edit("group", arguments[-1], f"{arguments[-1]}:x:{gid}:")

    def _userdel(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        state["accounts"] = state.get("accounts", 0) + 1
        return self._edit("passwd", arguments[-1], None)

    def _groupdel(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        state["accounts"] = state.get("accounts", 0) + 1
        return self._edit("group", arguments[-1], None)

    # kernel, images, volumes

    def _modprobe(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        name = arguments[-1]
        if name not in self.modules:
            return CommandOutcome(1, "", f"modprobe: FATAL: Module {name} not found in directory /lib/modules/{KERNEL}")
        if "--dry-run" not in arguments:
            state["modules"] = [*state.get("modules", []), name]
            if name == "br_netfilter":
                (self.root / "proc/sys/net/bridge").mkdir(exist_ok=True)
                (self.root / "proc/sys/net/bridge/bridge-nf-call-iptables").write_text("0\n")
            with (self.root / "proc/modules").open("a") as stream:
                stream.write(f"{name} 1 0 - Live 0x0\n")
        return CommandOutcome(0)

    def _ctr(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        if "import" in arguments:
            state["images"] = sorted({*state["images"], pathlib.Path(arguments[-1]).read_text()})
        return CommandOutcome(0, "".join(f"{name}\n" for name in state["images"]))

    def _blkid(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        found = state["filesystems"].get(arguments[-1])
        return CommandOutcome(0, f"{found}\n") if found else CommandOutcome(2)

    def _findmnt(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        found = state.get("mounts", {}).get(arguments[-1])
        return CommandOutcome(0, f"{found}\n") if found else CommandOutcome(1)

    def _mount(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        """The place is a link to a directory that is the device's content."""
        device, place = arguments[-2:]
        if state["filesystems"].get(device) != arguments[arguments.index("-t") + 1]:
            return CommandOutcome(32, "", f"mount: {place}: wrong fs type, bad superblock on {device}.")
        self.content(device).mkdir(parents=True, exist_ok=True)
        (self.root / place.lstrip("/")).rmdir()
        (self.root / place.lstrip("/")).symlink_to(self.content(device))
        state.setdefault("mounts", {})[device] = place
        return CommandOutcome(0)

    def _umount(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        (self.root / arguments[-1].lstrip("/")).unlink()
        (self.root / arguments[-1].lstrip("/")).mkdir()
        state["mounts"] = {device: place for device, place in state["mounts"].items() if place != arguments[-1]}
        return CommandOutcome(0)

    def content(self, device: str) -> pathlib.Path:
        """What is on a disk."""
        return self.root.with_name(self.root.name + ".disks") / device.lstrip("/").replace("/", "-")

    def _mkfs_ext4(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        state["filesystems"][arguments[-1]] = "ext4"
        return CommandOutcome(0)
