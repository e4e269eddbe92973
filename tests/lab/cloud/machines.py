# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The machines of instances: hosts as those of the lab, which run their user data at their first boot."""

from __future__ import annotations

import json
import pathlib
import textwrap
from collections.abc import Iterable, Mapping

from ansible_collections.kubeops.kops.tests.lab import cache, capabilities, distributions, hosts
from ansible_collections.kubeops.kops.tests.lab.cloud import network
from ansible_collections.kubeops.kops.tests.lab.commands import run

PREFIX = "kops-cloud-"
# In place of cloud-init, which takes a minute to find out that a container is an instance: a program for the cloud asks
# the metadata service.
_PROGRAM = "/usr/local/sbin/lab-user-data"
_UNIT = f"""[Unit]
After=network.target
[Service]
Type=oneshot
ExecStart={_PROGRAM}
"""
# What every such program begins with. run(): a script, in a place of its own. run_once(): at the first boot only.
_COMMON = """#!/usr/bin/python3
import os, pathlib, subprocess, sys, time, urllib.request
DONE = pathlib.Path("/var/lib/lab-user-data")
DONE.mkdir(exist_ok=True)
def ask(url, method="GET", **headers):
    while True:
        try:
            asked = urllib.request.Request(url, method=method, headers=headers)
            return urllib.request.urlopen(asked, timeout=5).read()
        except OSError as error:
            if getattr(error, "code", 0) == 404:
                return b""
            print("waiting for the metadata service:", error, flush=True)
            time.sleep(0.5)
def run(text, name):
    script = DONE / name
    script.write_bytes(text)
    script.chmod(0o700)
    subprocess.run([script], check=True)
def run_once(text):
    if text and not (DONE / "done").exists():
        run(text, "user-data")
        (DONE / "done").touch()
def open_for(keys):
    pathlib.Path("/root/.ssh").mkdir(mode=0o700, exist_ok=True)
    pathlib.Path("/root/.ssh/authorized_keys").write_bytes(keys + b"\\n")
"""


def files_of(cloud: str, program: str, environment: Mapping[str, str]) -> list[str]:
    """Options of podman for the files that all machines of a cloud have, read-only.

    program: what carries user data out, after what _COMMON defines. environment: of all that runs there, and in pods.
    """
    settings = " ".join(f"{name}={value}" for name, value in environment.items())
    files = {
        _PROGRAM: _COMMON + textwrap.dedent(program),
        "/etc/systemd/system/lab-user-data.service": _UNIT,
        "/etc/systemd/system/multi-user.target.d/lab.conf": "[Unit]\nWants=lab-user-data.service\n",
        "/etc/systemd/system.conf.d/lab.conf": f"[Manager]\nDefaultEnvironment={settings}\n",
        # Where udev would say which disks there are; drivers of volumes look for it.
        "/etc/tmpfiles.d/lab.conf": "d /run/udev\n",
        # Nobody logs in there: an empty unit is not started.
        "/etc/systemd/system/console-getty.service": "",
        capabilities.RUNC: capabilities.script(environment),
    }
    volumes = [f"{_kept(cloud, target, text)}:{target}:ro" for target, text in files.items()]
    return [part for volume in volumes for part in ("--volume", volume)]


def _kept(cloud: str, target: str, text: str) -> pathlib.Path:
    """A file here, for machines."""
    source = cache.directory() / f"{cloud}-files" / target.lstrip("/").replace("/", "-")
    source.parent.mkdir(exist_ok=True)
    if not source.exists() or source.read_text() != text:
        source.write_text(text)
    source.chmod(0o755)
    return source


def present() -> dict[str, str]:
    """Instance -> state of its machine, as podman calls it."""
    found = json.loads(run("podman", "ps", "--all", "--format", "json", "--filter", f"name=^{PREFIX}"))
    states = {each["Names"][0]: each["State"] for each in found}
    return {name[len(PREFIX) :]: state for name, state in states.items() if name != network.BRIDGE.anchor}


def start(name: str, host_name: str, address: str, options: Iterable[str]) -> None:
    """Start the machine of an instance; it is made if it is new. options: of podman."""
    container = PREFIX + name
    if run("podman", "ps", "--all", "--quiet", "--filter", f"name=^{container}$"):
        run("podman", "start", container)
        return
    hosts.create(
        container,
        host_name,
        distributions.DEFAULT,
        *("--network", network.BRIDGE.name, "--ip", address, "--dns", network.RESOLVER),
        # podman would write the file anew at every start; a machine's is its own.
        "--no-hosts",
        *options,
    )


def stop(name: str) -> None:
    """Shut the machine of an instance down."""
    run("podman", "stop", "--time", "20", PREFIX + name)


def hang(name: str) -> None:
    """Let the machine of an instance answer nothing any more; to the cloud it runs."""
    within(name, "ip", "link", "set", "eth0", "down")
    run("podman", "pause", PREFIX + name)


def remove(*names: str) -> None:
    """Remove machines with all that they held, but for the volumes of the cloud."""
    if names:
        run("podman", "rm", "--force", "--ignore", "--time", "0", "--volumes", *(PREFIX + name for name in names))


def process(name: str) -> int:
    """The first process of a machine, another one after each boot; 0 if it does not run."""
    return int(run("podman", "inspect", "--format", "{{.State.Pid}}", PREFIX + name, check=False).strip() or 0)


def within(name: str, *command: str, stdin: str | None = None, check: bool = True) -> str:
    """Run a command in the machine of an instance; returns what it printed."""
    interactive = ["--interactive"] if stdin is not None else []
    return run("podman", "exec", *interactive, PREFIX + name, *command, stdin=stdin, check=check)
