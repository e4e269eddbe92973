# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab: real hosts on this machine, a registry and a file server. See docs/lab.md."""

from __future__ import annotations

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

import yaml
from ansible_collections.kubeops.kops.tests.lab import (
    binaries,
    cache,
    cis,
    cluster,
    distributions,
    hosts,
    images,
    network,
    running,
    servers,
)
from ansible_collections.kubeops.kops.tests.lab.cloud import command_line as cloud
from ansible_collections.kubeops.kops.tests.lab.commands import run

# Programs that the lab itself calls -> their Debian packages.
PROGRAMS = {
    "podman": "podman",
    "runc": "runc",
    "/usr/lib/podman/netavark": "netavark",
    "/usr/lib/podman/aardvark-dns": "aardvark-dns",
    "/usr/bin/conmon": "conmon",
    "fuse-overlayfs": "fuse-overlayfs",
    "debootstrap": "debootstrap",
    "iptables": "iptables",
    "gcc": "gcc",
    "ssh-keygen": "openssh-client",
    "dnsmasq": "dnsmasq-base",
    "haproxy": "haproxy",
    "losetup": "mount",
    "nsenter": "util-linux",
}
# Without them podman has no policy of images, and Go's linker no C library.
CONFIGURATIONS = {"/etc/containers/policy.json": "golang-github-containers-common", "/usr/include/stdio.h": "libc6-dev"}


def missing_packages() -> list[str]:
    """Debian packages that the lab needs and this machine does not have."""
    missing = {package for program, package in PROGRAMS.items() if not shutil.which(program)}
    return sorted(missing | {package for path, package in CONFIGURATIONS.items() if not os.path.exists(path)})


def check_machine(*, install: bool) -> None:
    """Raises SystemExit with everything that the lab lacks on this machine. install: missing packages of Debian."""
    missing = missing_packages()
    if missing and install and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        run("apt-get", "update", environment=quiet)
        run("apt-get", "install", "--yes", "--no-install-recommends", *missing, environment=quiet)
        missing = missing_packages()
    problems = [f"these packages are missing (--install installs them): {' '.join(missing)}"] if missing else []
    if os.geteuid() != 0:
        problems.append("run as root: hosts are privileged containers, and their network needs a firewall rule")
    if problems:
        raise SystemExit("script/lab: " + "; ".join(problems))
    binaries.go_version()


def up(count: int, minors: tuple[str, ...], kind: str, distribution: str) -> None:
    """Hosts, registry and file server; what is there already stays."""
    running.prepare(minors)
    running.start_hosts(count, kind, distribution)
    show(kind)


def present(kind: str | None) -> dict[str, str]:
    """The hosts that exist of a kind, or all of them: name -> state."""
    return {name: state for name, state in hosts.names().items() if kind in (None, network.kind_of(name))}


def show(kind: str | None) -> None:
    """Print what runs, as an inventory that ansible-playbook can be given. kind: only these hosts."""
    states = present(kind)
    print(yaml.safe_dump(running.inventory({"lab": sorted(states)}), sort_keys=False), end="")
    print(f"# {', '.join(f'{name} is {state}' for name, state in sorted(states.items())) or 'there are no hosts'}")
    print(f"# images: {servers.REGISTRY}    files: {servers.FILES}    cache: {cache.directory()}")
    print("# For clusters of `script/lab manifest`, ansible-playbook needs this in its environment:")
    for name, value in running.environment().items():
        print(f"# export {name}={value}")


def down(kind: str | None) -> None:
    """Remove hosts, servers and network; the cache stays. kind: only these hosts, and nothing else."""
    hosts.remove(*present(kind))
    if kind is None:
        servers.stop()
        network.BRIDGE.down()


def molecule(words: list[str]) -> int:
    """Run Molecule; its scenarios start and remove their own hosts. Returns its exit code."""
    running.prepare((binaries.NEWEST,))
    programs = f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, **running.environment(), "PATH": programs}
    return subprocess.call(["molecule", *(words or ["test", "--all"])], env=environment)


def test(options: argparse.Namespace) -> int:
    """Run the tests on hosts. Returns pytest's exit code."""
    # Here, as pytest would show what is built, and for how long, only once everything is.
    # Chosen files ask for what they need by themselves.
    if not options.files:
        running.prepare(running.minors_of_tests(options.all), running.addons_of_tests(options.all))
    directory = pathlib.Path(__file__).parent
    chosen = [str(directory / name) for name in options.files] or [str(directory)]
    command = [sys.executable, "-m", "pytest", "--numprocesses=0", "--durations=10", "-rs", *chosen, *options.pytest]
    turn = [] if options.turn is None else [f"--turn={options.turn}"]
    return subprocess.call([*command, *(["--all"] if options.all else turn)])


def _add_kind(parser: argparse.ArgumentParser, default: str | None) -> None:
    kinds = sorted(network.KINDS)
    parser.add_argument("--kind", choices=kinds, default=default, help=f"which hosts (default: {default or 'all'})")


def _add_versions(parser: argparse.ArgumentParser) -> None:
    """The option for versions of Kubernetes."""
    known = sorted(binaries.KUBERNETES)
    text = f"a Kubernetes version to build; can be repeated (default: {binaries.NEWEST})"
    parser.add_argument("--kubernetes", action="append", choices=known, help=text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="script/lab", description=__doc__)
    parser.add_argument(
        "--install",
        action="store_true",
        default=os.environ.get("KOPS_LAB_INSTALL") == "1",
        help="install missing Debian packages; $KOPS_LAB_INSTALL=1 is the same",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    start = commands.add_parser("up", help="start hosts, registry and file server, and print an inventory of them")
    start.add_argument("--hosts", type=int, default=3, help="how many (default 3)")
    start.add_argument(
        "--distribution",
        choices=sorted(distributions.DISTRIBUTIONS),
        default=distributions.DEFAULT,
        help=f"of hosts that are not there yet (default: {distributions.DEFAULT})",
    )
    _add_kind(start, default="host")
    _add_versions(start)
    manifest = commands.add_parser("manifest", help="print the manifest of a cluster for these hosts")
    manifest.add_argument("--control-planes", type=int, default=1)
    manifest.add_argument("--kubernetes", default=binaries.NEWEST, choices=sorted(binaries.KUBERNETES))
    manifest.add_argument("--name", default=cluster.NAME)
    manifest.add_argument("--hardened", action="store_true", help="as create_cluster does with kops_hardened=true")
    _add_kind(manifest, default="host")
    tests = commands.add_parser("test", help="run the tests on hosts, which they start and remove themselves")
    tests.add_argument("--all", action="store_true", help="also the long tests")
    tests.add_argument("--turn", type=int, help="only those whose turn it is (tests/support/turns.py)")
    tests.add_argument("files", nargs="*", help="test_cluster.py, or a test of it as test_cluster.py::NAME; else all")
    tests.add_argument("--pytest", nargs=argparse.REMAINDER, default=[], help="what follows are options of pytest")
    commands.add_parser("check", help="only check whether this machine can run the lab")
    _add_versions(commands.add_parser("build", help="only build binaries, into the cache"))
    commands.add_parser("show", help="print the inventory")
    checks = commands.add_parser("cis", help="check the cluster on these hosts by the CIS Kubernetes Benchmark")
    _add_kind(checks, default="host")
    stop = commands.add_parser("down", help="remove what up created, except the cache")
    _add_kind(stop, default=None)
    scenarios = commands.add_parser("molecule", help="run the roles' Molecule scenarios, on their own hosts")
    scenarios.add_argument("words", nargs=argparse.REMAINDER, help="as for molecule (default: test --all)")
    cloud.add_commands(commands)
    shell = commands.add_parser("shell", help="a shell in a host, or a command")
    shell.add_argument("host")
    shell.add_argument("words", nargs=argparse.REMAINDER)
    return parser


def main(arguments: list[str]) -> int:
    """The command line. Returns the exit code."""
    options = _parser().parse_args(arguments)
    if options.command == "manifest":
        address = network.address(f"{options.kind}1")
        given = {"control_planes": options.control_planes, "kubernetes": options.kubernetes}
        print(cluster.manifest(options.name, api=address, hardened=options.hardened, **given), end="")
        return 0
    check_machine(install=options.install)
    if options.command == "cloud":
        return cloud.run(options)
    if options.command == "shell":
        terminal = ["--tty"] if sys.stdin.isatty() else []
        words = options.words or ["bash"]
        return subprocess.call(["podman", "exec", "--interactive", *terminal, hosts.PREFIX + options.host, *words])
    if options.command == "check":
        try:
            hosts.try_out(images.anchor(binaries.pause()))
        except RuntimeError as error:
            print(error, file=sys.stderr)
            raise SystemExit("script/lab: this machine does not run privileged containers") from None
        return 0
    if options.command == "test":
        return test(options)
    if options.command == "molecule":
        return molecule(options.words)
    if options.command == "up":
        up(options.hosts, tuple(options.kubernetes or [binaries.NEWEST]), options.kind, options.distribution)
    elif options.command == "build":
        binaries.build_all(tuple(options.kubernetes or [binaries.NEWEST]))
        binaries.build_addons(running.addons_of_tests(everything=False))
    elif options.command == "show":
        show(None)
    elif options.command == "cis":
        return 0 if cis.show(sorted(name for name, state in present(options.kind).items() if state == "running")) else 1
    else:
        down(options.kind)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
