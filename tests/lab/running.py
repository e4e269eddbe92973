# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests and benchmarks do with the lab: hosts, inventories, playbooks as a user runs them, and kubectl."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml
from ansible_collections.kubeops.kops.tests.lab import (
    addon_images,
    binaries,
    cache,
    distributions,
    hosts,
    images,
    network,
    servers,
)
from ansible_collections.kubeops.kops.tests.lab.commands import run

ADMIN_KUBECONFIG = "/var/lib/kubectl/kubeconfig"
CALLBACKS = pathlib.Path(__file__).with_name("callback")


@dataclass
class Run:
    """A playbook's run: code is Ansible's exit code, output what the user saw, the rest what tasks gave."""

    code: int
    output: str
    seconds: float
    tasks: list[dict[str, Any]]
    hosts: dict[str, dict[str, int]]

    @property
    def changed(self) -> int:
        """How many results are changes."""
        return sum(host["changed"] for host in self.hosts.values())

    def results(self, name: str) -> dict[str, Any]:
        """Results by host of the tasks whose name contains this text; the last one counts."""
        found: dict[str, Any] = {}
        for task in self.tasks:
            if name in task["name"]:
                found.update({host: given["result"] for host, given in task["hosts"].items()})
        return found

    def failures(self) -> dict[str, str]:
        """Host -> what its failed task said, with all problems."""
        return {
            host: "\n".join([str(given["result"].get("msg", given["result"])), *given["result"].get("problems", ())])
            for task in self.tasks
            for host, given in task["hosts"].items()
            if given["status"] in ("failed", "unreachable")
        }

    def slowest(self, count: int = 10) -> list[tuple[float, str]]:
        """Seconds and names of the tasks that took longest."""
        return sorted(((task.get("seconds", 0.0), task["name"]) for task in self.tasks), reverse=True)[:count]


def minors_of_tests(everything: bool) -> tuple[str, ...]:
    """The versions of Kubernetes that tests need: the newest one, and the older ones for the long tests."""
    return tuple(binaries.KUBERNETES) if everything else (binaries.NEWEST,)


def addons_of_tests(everything: bool) -> tuple[str, ...]:
    """The addons whose programs tests need: with the long ones all, and each test file asks for its own again."""
    return tuple(binaries.ADDON_RECIPES) if everything else ("aws-cloud-controller-manager",)


def prepare(minors: tuple[str, ...], addons: Sequence[str] = ()) -> None:
    """Binaries, network, servers and images; what is there already stays. addons: names in binaries.ADDON_RECIPES."""
    programs = binaries.build_all(minors)
    network.BRIDGE.up(images.anchor(programs["pause"]))
    servers.start(programs)
    images.push(servers.REGISTRY, images.images(minors), programs)
    images.push(servers.REGISTRY, addon_images.images(addons), {**programs, **binaries.build_addons(addons)})


def start_hosts(count: int, kind: str = "host", distribution: str = distributions.DEFAULT) -> list[str]:
    """Start so many hosts, host1 first; those that run already stay as they are. kind: of network.KINDS."""
    names = [f"{kind}{index + 1}" for index in range(count)]
    present = hosts.names()
    for name in names:
        if present.get(name) != "running":
            hosts.start(name, distribution)
    return names


def inventory(groups: Mapping[str, Sequence[str]], **variables: Any) -> dict[str, Any]:
    """An inventory with these hosts in groups that are called like instance groups, to be written as YAML."""
    return {
        "all": {
            "vars": {
                "ansible_user": "root",
                "ansible_python_interpreter": "/usr/bin/python3",
                "ansible_ssh_private_key_file": str(hosts.key_pair()),
                "ansible_ssh_common_args": (
                    "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
                ),
                **variables,
            },
            "children": {
                group: {"hosts": {host: {"ansible_host": network.address(host)} for host in names}}
                for group, names in groups.items()
            },
        }
    }


def environment() -> dict[str, str]:
    """What the controller's environment has for clusters of the lab: where its CNI plugins are."""
    file = servers.directory() / servers.CNI_PLUGINS
    return {
        "CNI_VERSION_URL": f"{servers.FILES}/{servers.CNI_PLUGINS}",
        "CNI_ASSET_HASH_STRING": hashlib.sha256(file.read_bytes()).hexdigest(),
        "CREDENTIAL_PROVIDER_LOCATION": servers.CREDENTIAL_PROVIDER,
    }


def playbook(
    name: str,
    inventory: Mapping[str, Any] | None = None,
    extra_vars: Mapping[str, Any] | None = None,
    *options: str,
    variables: Mapping[str, str] | None = None,
    killed_when: Callable[[], bool] | None = None,
) -> Run:
    """Run a playbook as a user does. name: of this collection's ("create_cluster"), or a file.

    options: of ansible-playbook ("--check", "--limit=host1"). variables: more of the environment.
    killed_when: kill -9 the controller as soon as this holds.
    Whether it went well is up to the caller.
    """
    with tempfile.TemporaryDirectory(dir=cache.directory()) as directory:
        results, given = pathlib.Path(directory, "results.json"), pathlib.Path(directory, "vars.json")
        given.write_text(json.dumps(dict(extra_vars or {})))
        command = [str(pathlib.Path(sys.executable).with_name("ansible-playbook"))]
        if inventory is not None:
            hosts_file = pathlib.Path(directory, "hosts.yml")
            hosts_file.write_text(yaml.safe_dump(dict(inventory), sort_keys=False))
            command += ["--inventory", str(hosts_file)]
        command += ["--extra-vars", f"@{given}", *options]
        command.append(name if name.endswith(".yml") else f"kubeops.kops.{name}")
        settings = {
            **os.environ,
            **environment(),
            "ANSIBLE_CALLBACK_PLUGINS": str(CALLBACKS),
            "ANSIBLE_CALLBACKS_ENABLED": "lab_results",
            "ANSIBLE_LOCALHOST_WARNING": "false",
            "ANSIBLE_NOCOLOR": "1",
            # A connection that outlives its run would lead to a host that is gone, though another has its address.
            "ANSIBLE_SSH_CONTROL_PATH_DIR": directory,
            "KOPS_LAB_RESULTS": str(results),
            **(variables or {}),
        }
        started = time.monotonic()
        with subprocess.Popen(
            command,
            env=settings,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as process:
            if killed_when is not None:
                threading.Thread(target=_kill, args=(process, killed_when), daemon=True).start()
            output = process.communicate()[0]
        seconds = time.monotonic() - started
        kept = json.loads(results.read_text()) if results.exists() else {"tasks": [], "hosts": {}}
        return Run(process.returncode, output, seconds, kept["tasks"], kept["hosts"])


def _kill(process: subprocess.Popen[str], when: Callable[[], bool]) -> None:
    while process.poll() is None:
        if when():
            os.killpg(process.pid, signal.SIGKILL)
            return
        time.sleep(0.2)


def kubectl(*arguments: str, host: str = "host1", stdin: str | None = None, check: bool = True) -> str:
    """Run kubectl on a control plane's host, as its administrator; returns what it printed."""
    words = ("kubectl", f"--kubeconfig={ADMIN_KUBECONFIG}", *arguments)
    return hosts.within(host, "/usr/local/bin/" + words[0], *words[1:], stdin=stdin, check=check)


def kubectl_json(*arguments: str, host: str = "host1") -> Any:
    """What `kubectl ARGUMENTS -o json` says, parsed."""
    return json.loads(kubectl(*arguments, "--output=json", host=host))


def ready_nodes(host: str = "host1") -> list[str]:
    """The names of nodes that are ready; none while the API does not answer."""
    try:
        nodes = kubectl_json("get", "nodes", host=host)["items"]
    except (RuntimeError, ValueError):
        return []
    return sorted(
        node["metadata"]["name"]
        for node in nodes
        if any(each["type"] == "Ready" and each["status"] == "True" for each in node["status"]["conditions"])
    )


def logs(host: str, unit: str, lines: int = 50) -> str:
    """The last lines of a unit's journal."""
    return run("podman", "exec", hosts.PREFIX + host, "journalctl", "-u", unit, "-n", str(lines), "--no-pager")
