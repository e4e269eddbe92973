# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the services of distributions must leave to the network of pods, and the script that sees to it."""

from __future__ import annotations

import pathlib
import subprocess
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.system.host_network import UNIT

FOREIGN = "/usr/lib/systemd/networkd.conf.d/40-disable-manage-foreign-routes.conf"
HOTPLUG = "/etc/cloud/cloud.cfg.d/99-disable-network-hotplug.cfg"
ADDRESSES = "/etc/systemd/network/99-default.link"
POLICY_ROUTES = "/etc/udev/rules.d/99-vpc-policy-routes.rules"
IFUPDOWN = "/etc/udev/rules.d/75-cloud-ifupdown.rules"
SCRIPT = "/opt/kops/bin/host-network-setup"
SECONDARY = "/etc/systemd/network/75-eni-secondary.network"
BASE = {"nonMasqueradeCIDR": "100.64.0.0/10", "serviceClusterIPRange": "100.64.0.0/13"}
AMAZON = {"amazonVPC": {}}
ENI = {"cilium": {"ipam": "eni"}}


def on(config: dict[str, Any], distribution: str) -> dict[str, Any]:
    """Path or name -> item, of the files and units that a distribution gets."""
    listed = [*config.get("files", ()), *config.get("units", ())]
    named = [each for each in listed if "distribution" in each.get("when", {})]
    return {each.get("path") or each["name"]: each for each in named if distribution in each["when"]["distribution"]}


@pytest.mark.parametrize(
    ("network", "distribution", "expected"),
    [
        (AMAZON, "amzn-2023", {FOREIGN, ADDRESSES, POLICY_ROUTES, SCRIPT, UNIT}),
        (AMAZON, "ubuntu-22.04", {FOREIGN, ADDRESSES, SCRIPT, UNIT}),
        (AMAZON, "ubuntu-24.04", {FOREIGN, ADDRESSES, HOTPLUG, SCRIPT, UNIT}),
        (AMAZON, "debian-13", {FOREIGN, ADDRESSES, HOTPLUG, SCRIPT, UNIT}),
        (AMAZON, "debian-11", {IFUPDOWN}),
        (AMAZON, "rhel-9", {SCRIPT, UNIT}),
        (AMAZON, "rocky-9", set()),
        (ENI, "debian-12", {FOREIGN, ADDRESSES, HOTPLUG, SCRIPT, UNIT}),
        (ENI, "rhel-9", set()),
        (ENI, "debian-11", set()),
        ({"cilium": {}}, "amzn-2023", {FOREIGN, SCRIPT, UNIT}),
        ({"cilium": {}}, "ubuntu-24.04", {FOREIGN, HOTPLUG, SCRIPT, UNIT}),
        ({"calico": {}}, "ubuntu-24.04", set()),
    ],
)
def test_files_by_network_and_distribution(
    config_of: Any, network: dict[str, Any], distribution: str, expected: set[str]
) -> None:
    found = on(config_of(fields={"networking": {**BASE, **network}}), distribution)
    assert {path for path in found if path in {FOREIGN, HOTPLUG, ADDRESSES, POLICY_ROUTES, IFUPDOWN, SCRIPT, UNIT}} == (
        expected
    )


def script(config_of: Any, network: dict[str, Any], distribution: str) -> str:
    text: str = on(config_of(fields={"networking": {**BASE, **network}}), distribution)[SCRIPT]["content"]
    return text


@pytest.mark.parametrize("distribution", ["amzn-2023", "debian-12", "ubuntu-24.04", "rhel-9"])
def test_scripts_are_ones_of_bash(config_of: Any, distribution: str) -> None:
    done = subprocess.run(["bash", "-n"], input=script(config_of, AMAZON, distribution), text=True, check=False)
    assert done.returncode == 0


def run(text: str, root: pathlib.Path, *, metadata: str) -> subprocess.CompletedProcess[str]:
    """Run a script below a directory. metadata: the address of the first interface."""
    for name, body in {
        "curl": f"case $* in *token) echo secret;; *mac) echo {metadata};; esac",
        "systemctl": f"""echo "$*" >> {root}/calls; [ "$1" != show ] || echo "2020-01-01 00:00:00 UTC\"""",
    }.items():
        program = root / "bin" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/bash\n{body}\n")
        program.chmod(0o755)
    for path in ("/sys/class/net", "/etc/systemd", "/usr/lib/systemd"):
        text = text.replace(path, f"{root}{path}")
    environment = {"PATH": f"{root / 'bin'}:/usr/bin:/bin"}
    return subprocess.run(["bash"], input=text, text=True, check=False, env=environment, capture_output=True)


@pytest.fixture()
def root(tmp_path: pathlib.Path) -> pathlib.Path:
    """A machine with two interfaces of its own and one of a pod, which has the first one's address."""
    for name, address in {"ens5": "0a:01", "ens6": "0a:02", "eni1a": "0a:01"}.items():
        (tmp_path / "sys/class/net" / name).mkdir(parents=True)
        (tmp_path / "sys/class/net" / name / "address").write_text(f"{address}\n")
        if name != "eni1a":
            (tmp_path / "sys/class/net" / name / "device").mkdir()
    (tmp_path / "etc/systemd/network").mkdir(parents=True)
    return tmp_path


def calls(root: pathlib.Path) -> list[str]:
    return (root / "calls").read_text().splitlines()


def test_all_interfaces_but_the_first_are_left_alone(config_of: Any, root: pathlib.Path) -> None:
    text = script(config_of, AMAZON, "debian-12")
    assert run(text, root, metadata="0a:01").returncode == 0
    found = (root / SECONDARY.lstrip("/")).read_text()
    assert found == "[Match]\nDriver=ena\nProperty=!INTERFACE=ens5\n\n[Link]\nUnmanaged=yes\n"
    assert calls(root)[-1] == "restart systemd-networkd.service"
    # It runs at every boot.
    before = (root / SECONDARY.lstrip("/")).stat().st_mtime_ns
    assert run(text, root, metadata="0a:01").returncode == 0
    assert (root / SECONDARY.lstrip("/")).stat().st_mtime_ns == before


def test_an_unknown_first_interface_is_an_error_and_changes_nothing(config_of: Any, root: pathlib.Path) -> None:
    done = run(script(config_of, AMAZON, "debian-12"), root, metadata="0a:09")
    assert done.returncode == 1
    assert "interfaces with the address 0a:09: none; expected one" in done.stderr
    assert not (root / SECONDARY.lstrip("/")).exists()


@pytest.mark.parametrize(("age", "restarts"), [("2019-01-01", False), ("2021-01-01", True)])
def test_systemd_networkd_restarts_if_its_files_are_newer(
    config_of: Any, root: pathlib.Path, age: str, restarts: bool
) -> None:
    file = root / FOREIGN.lstrip("/")
    file.parent.mkdir(parents=True)
    file.touch()
    subprocess.run(["touch", "-d", age, str(file)], check=True)
    assert run(script(config_of, {"cilium": {}}, "ubuntu-24.04"), root, metadata="").returncode == 0
    assert ("restart systemd-networkd.service" in calls(root)) is restarts
