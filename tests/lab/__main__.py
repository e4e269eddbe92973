# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab: real hosts on this machine, and what they download. `script/lab --help` says how it is used."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys

from ansible_collections.kubeops.kops.tests.lab import binaries, cache, hosts, images, network, servers

# Debian packages that the lab itself calls.
PROGRAMS = {"podman": "podman", "runc": "runc", "debootstrap": "debootstrap", "iptables": "iptables", "gcc": "gcc"}


def check_machine() -> None:
    """Raises SystemExit with everything that the lab lacks on this machine."""
    missing = sorted({package for program, package in PROGRAMS.items() if not shutil.which(program)})
    problems = [f"install these packages: {' '.join(missing)}"] if missing else []
    if os.geteuid() != 0:
        problems.append("run as root: hosts are privileged containers, and their network needs a firewall rule")
    if problems:
        raise SystemExit("script/lab: " + "; ".join(problems))
    binaries.go_version()


def up(count: int, minors: tuple[str, ...]) -> None:
    """Hosts, registry and file server; what is there already stays."""
    programs = binaries.build_all(minors)
    hosts.image()
    network.up(images.anchor(programs["pause"]))
    servers.start(programs)
    images.push(servers.REGISTRY, minors, programs)
    for index in range(count):
        hosts.start(f"host{index + 1}", network.address(index))
    show()


def show() -> None:
    """Print what runs, as an inventory that ansible-playbook can be given."""
    print("all:\n  vars:\n    ansible_user: root")
    print(f"    ansible_ssh_private_key_file: {hosts.key_pair()}")
    print("    ansible_ssh_common_args: -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR")
    print("  hosts:")
    for name, state in sorted(hosts.names().items()):
        print(f"    {name}: {{ansible_host: {network.address(int(name.removeprefix('host')) - 1)}}}  # {state}")
    print(f"# images: {servers.REGISTRY}    files: {servers.FILES}    cache: {cache.directory()}")


def down() -> None:
    """Remove hosts, servers and network; the cache stays."""
    found = hosts.names()
    if found:
        hosts.remove(*found)
    servers.stop()
    network.down()


def main(arguments: list[str]) -> int:
    """The command line. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="script/lab", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    start = commands.add_parser("up", help="start hosts, registry and file server, and print an inventory of them")
    start.add_argument("--hosts", type=int, default=3, help="how many (default 3)")
    start.add_argument(
        "--kubernetes",
        action="append",
        choices=sorted(binaries.KUBERNETES),
        help="versions whose binaries and images are there (default: all)",
    )
    commands.add_parser("build", help="only build binaries, into the cache")
    commands.add_parser("show", help="print the inventory")
    commands.add_parser("down", help="remove what up made, but not the cache")
    shell = commands.add_parser("shell", help="a shell in a host")
    shell.add_argument("host")
    options = parser.parse_args(arguments)
    check_machine()
    if options.command == "up":
        up(options.hosts, tuple(options.kubernetes or sorted(binaries.KUBERNETES)))
    elif options.command == "build":
        binaries.build_all()
    elif options.command == "show":
        show()
    elif options.command == "down":
        down()
    else:
        return subprocess.call(["podman", "exec", "-it", hosts.PREFIX + options.host, "bash"])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
