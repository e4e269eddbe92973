# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""script/lab cloud: an account of a cloud whose instances are machines (docs/lab-cloud.md)."""

from __future__ import annotations

import argparse
import os
import pathlib
import shlex
import subprocess
import sys
from typing import Any

import yaml
from ansible_collections.kubeops.kops.tests.lab import binaries, images, running, servers
from ansible_collections.kubeops.kops.tests.lab.cloud import (
    account,
    amazon,
    balancers,
    datacentre,
    machines,
    names,
    network,
)
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import CloudSite
from ansible_collections.kubeops.kops.tests.lab.digitalocean import account as digitalocean_account
from ansible_collections.kubeops.kops.tests.lab.digitalocean.sites import DigitalOceanSite
from ansible_collections.kubeops.kops.tests.lab.google import account as google_account
from ansible_collections.kubeops.kops.tests.lab.google.sites import GoogleSite
from ansible_collections.kubeops.kops.tests.lab.hetzner import account as hetzner_account
from ansible_collections.kubeops.kops.tests.lab.hetzner.sites import HetznerSite
from ansible_collections.kubeops.kops.tests.lab.openstack import account as openstack_account
from ansible_collections.kubeops.kops.tests.lab.openstack.sites import OpenStackSite
from ansible_collections.kubeops.kops.tests.lab.vsphere import account as vsphere_account
from ansible_collections.kubeops.kops.tests.lab.vsphere.sites import VSphereSite

AWS, DIGITALOCEAN, GCE, HETZNER, OPENSTACK = "aws", "digitalocean", "gce", "hetzner", "openstack"
VSPHERE = "vsphere"
# Of the environment of tests: the cloud in which they run.
VARIABLE = "KOPS_LAB_CLOUD"
# The programs in the cluster without which no node of a cloud becomes ready.
CONTROLLERS: dict[str, tuple[str, ...]] = {
    AWS: ("aws-cloud-controller-manager",),
    DIGITALOCEAN: ("server-cloud-controller-manager",),
    GCE: ("gce-cloud-controller-manager",),
    HETZNER: ("server-cloud-controller-manager", "livenessprobe"),
    OPENSTACK: ("openstack-cloud-controller-manager", "livenessprobe"),
    # vSphere's is not among the addons.
    VSPHERE: (),
}
_ACCOUNTS: dict[str, Any] = {
    AWS: account,
    DIGITALOCEAN: digitalocean_account.CENTRE,
    GCE: google_account,
    HETZNER: hetzner_account.CENTRE,
    OPENSTACK: openstack_account,
    VSPHERE: vsphere_account.CENTRE,
}
# The folder of tests/lab with a cloud's own tests, where it is not called like the cloud.
_FOLDERS = {AWS: "cloud", GCE: "google"}

SITES: dict[str, type[CloudSite]] = {
    AWS: CloudSite,
    DIGITALOCEAN: DigitalOceanSite,
    GCE: GoogleSite,
    HETZNER: HetznerSite,
    OPENSTACK: OpenStackSite,
    VSPHERE: VSphereSite,
}


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add "cloud" to the command line of the lab."""
    cloud = commands.add_parser("cloud", help="a cloud on this machine, whose instances are hosts")
    verbs = cloud.add_subparsers(dest="verb", required=True)
    start = verbs.add_parser("up", help="start it, and print what a controller's environment needs")
    start.add_argument("--cloud", choices=[*SITES], default=AWS, help="an AWS account, or a project of the others")
    start.add_argument(
        "--addon",
        action="append",
        default=[],
        choices=sorted(binaries.ADDON_RECIPES),
        help="build and publish its programs, too; can be repeated",
    )
    verbs.add_parser("down", help="remove the account, and all that its instances had")
    verbs.add_parser("show", help="print what runs, and the environment again")
    manifest = verbs.add_parser(
        "manifest", help="print the manifest of a cluster: as create_cluster makes it, for here"
    )
    manifest.add_argument(
        "options", nargs="*", metavar="NAME=VALUE", help="options of create_cluster: zones=us-east-1a"
    )
    shell = verbs.add_parser("shell", help="a shell in the machine of an instance, or a command")
    shell.add_argument("instance")
    shell.add_argument("words", nargs=argparse.REMAINDER)
    terminate = verbs.add_parser("terminate", help="end instances beside their groups, which start others")
    terminate.add_argument("instances", nargs="+")
    kubectl = verbs.add_parser("kubectl", help="kubectl of the lab, with $KUBECONFIG")
    kubectl.add_argument("words", nargs=argparse.REMAINDER)
    tests = verbs.add_parser("test", help="run the tests of the cloud; they start and remove it themselves")
    tests.add_argument("--cloud", choices=[*SITES], default=AWS, help="whose tests")
    tests.add_argument("--all", action="store_true", help="also the long tests")
    tests.add_argument("files", nargs="*", help="test_loop.py, or a test of it; else all")
    tests.add_argument("--pytest", nargs=argparse.REMAINDER, default=[], help="what follows are options of pytest")


def run(options: argparse.Namespace) -> int:
    """Carry a command out. Returns the exit code."""
    if options.verb == "up":
        running.prepare((binaries.NEWEST,), [*CONTROLLERS[options.cloud], *options.addon])
        up(options.cloud)
        show()
    elif options.verb == "down":
        down()
    elif options.verb == "show":
        show()
    elif options.verb == "manifest":
        print(_site().made_by.manifest(_given(options.options)), end="")
    elif options.verb == "shell":
        terminal = ["--tty"] if sys.stdin.isatty() else []
        words = options.words or ["bash"]
        return subprocess.call(
            ["podman", "exec", "--interactive", *terminal, machines.PREFIX + options.instance, *words]
        )
    elif options.verb == "terminate":
        _site()(pathlib.Path()).terminate(*options.instances)
    elif options.verb == "kubectl":
        programs = binaries.build(binaries.RECIPES[f"kubernetes-{binaries.NEWEST}"])
        return subprocess.call([str(programs / "kubectl"), *options.words])
    else:
        chosen = _chosen(options.cloud, options.files)
        command = [sys.executable, "-m", "pytest", "--numprocesses=0", "--durations=10", "-rs", *chosen]
        arguments = [*command, *options.pytest, *(["--all"] if options.all else [])]
        return subprocess.call(arguments, env={**os.environ, VARIABLE: options.cloud})
    return 0


def _chosen(cloud: str, names: list[str]) -> list[str]:
    """The files of tests: a cloud's own, else those of AWS, which are run in that cloud."""
    shared = pathlib.Path(__file__).parent
    own = shared.parent / _FOLDERS.get(cloud, cloud)
    return [str(own / name if (own / name).exists() else shared / name) for name in names] or [str(own)]


def up(cloud: str = AWS) -> None:
    """Start all of it; what runs already stays. Needs the lab's registry and files. Raises SystemExit."""
    if running_cloud() not in ("", cloud):
        raise SystemExit("another cloud runs on this machine: script/lab cloud down")
    network.up(images.anchor(binaries.pause()))
    if not running_cloud():
        # Without the cloud, what is left of its instances is nobody's.
        amazon.stop()
        datacentre.clear()
    names.start()
    balancers.start()
    _ACCOUNTS[cloud].start()
    if cloud == AWS:
        amazon.start()


def running_cloud() -> str:
    """The cloud that runs; "" for none."""
    return next((name for name, each in _ACCOUNTS.items() if each.is_running()), "")


def _site() -> type[CloudSite]:
    """Of the cloud that runs."""
    return SITES[running_cloud() or AWS]


def down() -> None:
    """Remove all of it."""
    amazon.stop()
    for name, each in _ACCOUNTS.items():
        if name != AWS:
            each.stop()
    datacentre.clear()
    balancers.stop()
    names.stop()
    account.stop()
    network.down()


def show() -> None:
    """Print what runs and what a controller needs."""
    for name, state in sorted(machines.present().items()):
        print(f"# {name} is {state}")
    print(
        f"# images: {servers.REGISTRY}    files: {servers.FILES}    load balancers: http://{network.BRIDGE.gateway}:8404/"
    )
    found = _site().made_by.environment()
    for name, value in found.items():
        print(f"export {name}={shlex.quote(value)}")


def _given(words: list[str]) -> dict[str, object]:
    """Options of create_cluster as a user writes them; a comma separates the items of a list."""
    found: dict[str, object] = {}
    for word in words:
        name, _equals, value = word.partition("=")
        found[name] = value.split(",") if "," in value or name == "zones" else yaml.safe_load(value)
    return found
