# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The machines of instances: hosts as those of the lab, which run their user data at their first boot."""

from __future__ import annotations

import json
import pathlib

from ansible_collections.kubeops.kops.tests.lab import cache, capabilities, distributions, hosts
from ansible_collections.kubeops.kops.tests.lab.cloud import account, network
from ansible_collections.kubeops.kops.tests.lab.cloud.instances import Instance
from ansible_collections.kubeops.kops.tests.lab.commands import run

PREFIX = "kops-cloud-"
# In place of cloud-init, which takes a minute to find out that a container is an instance: scripts are run, once, and
# the instance's key opens the machine for root.
_USER_DATA = """#!/usr/bin/python3
import email, os, pathlib, subprocess, time, urllib.request
LATEST, DONE = "http://169.254.169.254/latest", pathlib.Path("/var/lib/lab-user-data")
def ask(path, method="GET", **headers):
    while True:
        try:
            asked = urllib.request.Request(f"{LATEST}/{path}", method=method, headers=headers)
            return urllib.request.urlopen(asked, timeout=5).read()
        except OSError as error:
            if getattr(error, "code", 0) == 404:
                return b""
            print("waiting for the metadata service:", error, flush=True)
            time.sleep(0.5)
token = ask("api/token", "PUT", **{"X-aws-ec2-metadata-token-ttl-seconds": "300"}).decode()
key = ask("meta-data/public-keys/0/openssh-key", **{"X-aws-ec2-metadata-token": token})
if key:
    pathlib.Path("/root/.ssh").mkdir(mode=0o700, exist_ok=True)
    pathlib.Path("/root/.ssh/authorized_keys").write_bytes(key + b"\\n")
text = ask("user-data", **{"X-aws-ec2-metadata-token": token})
parts = [text]
if not text.startswith(b"#!"):
    documents = email.message_from_bytes(text).walk()
    parts = [each.get_payload(decode=True) for each in documents if each.get_content_type() == "text/x-shellscript"]
DONE.mkdir(exist_ok=True)
for number, part in enumerate(parts):
    script = DONE / f"part-{number}"
    script.write_bytes(part)
    script.chmod(0o700)
    subprocess.run([script], check=True)
(DONE / "done").touch()
"""
_UNIT = """[Unit]
After=network.target
ConditionPathExists=!/var/lib/lab-user-data/done
[Service]
Type=oneshot
ExecStart=/usr/local/sbin/lab-user-data
"""
# Read-only files of every machine. What runs in it, or in a pod, finds the cloud's API by its environment.
_ENDPOINT = "AWS_ENDPOINT_URL"
_FILES = {
    "/usr/local/sbin/lab-user-data": _USER_DATA,
    "/etc/systemd/system/lab-user-data.service": _UNIT,
    "/etc/systemd/system/multi-user.target.d/lab.conf": "[Unit]\nWants=lab-user-data.service\n",
    "/etc/systemd/system.conf.d/lab.conf": f"[Manager]\nDefaultEnvironment={_ENDPOINT}={account.URL}\n",
    # Nobody logs in there: an empty unit is not started.
    "/etc/systemd/system/console-getty.service": "",
}


def present() -> dict[str, str]:
    """Instance id -> state of its machine, as podman calls it."""
    found = json.loads(run("podman", "ps", "--all", "--format", "json", "--filter", f"name=^{PREFIX}i-"))
    return {each["Names"][0][len(PREFIX) :]: each["State"] for each in found}


def start(instance: Instance) -> None:
    """Start the machine of an instance; it is made if it is new."""
    container = PREFIX + instance.id
    if run("podman", "ps", "--all", "--quiet", "--filter", f"name=^{container}$"):
        run("podman", "start", container)
        return
    mounts = [part for source, target in _files() for part in ("--volume", f"{source}:{target}:ro")]
    hosts.create(
        container,
        instance.name.partition(".")[0],
        distributions.DEFAULT,
        *("--network", network.BRIDGE.name, "--ip", instance.address),
        *("--mac-address", instance.interface["MacAddress"], "--dns", network.RESOLVER),
        # podman would write the file anew at every start; a machine's is its own.
        "--no-hosts",
        # It has a console, and what is printed there is what EC2 gives as the instance's console output.
        *("--tty", "--log-driver", "k8s-file", "--log-opt", f"path={account.consoles() / instance.id}"),
        *mounts,
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


def _files() -> list[tuple[pathlib.Path, str]]:
    """The files that all machines share: here, and in them."""
    found = []
    for target, text in {**_FILES, capabilities.RUNC: capabilities.script({_ENDPOINT: account.URL})}.items():
        source = cache.directory() / "cloud-files" / target.lstrip("/").replace("/", "-")
        source.parent.mkdir(exist_ok=True)
        if not source.exists() or source.read_text() != text:
            source.write_text(text)
        source.chmod(0o755)
        found.append((source, target))
    return found
