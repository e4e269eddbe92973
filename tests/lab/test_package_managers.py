# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The node program with real package managers of distributions that the lab has no hosts of.

Real are the node program, apt, dnf, zypper and rpm. Made up are os-release and the packages (package_managers.py). It
needs root and debootstrap, but neither the lab's hosts nor its network.
"""

from __future__ import annotations

import os
import shutil

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.distributions import DISTRIBUTIONS, FAMILIES
from ansible_collections.kubeops.kops.tests.lab.package_managers import CLAIMED, Made, System

pytestmark = pytest.mark.long

# One of each package manager; Debian is what the directory is made of.
ONE_OF_EACH = {"apt": ("debian", "13"), "dnf": ("rocky", "9.6"), "zypper": ("sles", "15.7")}
MADE = (Made("kops-made-a"), Made("kops-made-b"))
# How a shell takes the lock of each package manager for so many seconds, as another process that installs would.
TAKEN = {
    "apt": """python3 - << 'END' &
import fcntl, time
lock = open("/var/lib/apt/lists/lock", "w")
fcntl.lockf(lock, fcntl.LOCK_EX)
open("/taken", "w")
time.sleep(4)
open("/released", "w")
END
""",
    "dnf": """(sleep 4; touch /released) &
mkdir -p /var/cache/dnf
echo -n $! > /var/cache/dnf/metadata_lock.pid
touch /taken
""",
    "zypper": """(sleep 4; touch /released) &
mkdir -p /run
echo $! > /run/zypp.pid
touch /taken
""",
}
WAIT = "while [ ! -e /taken ]; do sleep 0.1; done"


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> System:
    """The directory with the package managers."""
    if os.geteuid() != 0 or not shutil.which("debootstrap") or not shutil.which("unshare"):
        pytest.skip("needs root, debootstrap and unshare; script/lab check --install installs them")
    return System(tmp_path_factory.mktemp("system") / "root")


@pytest.fixture(params=ONE_OF_EACH)
def managed(system: System, request: pytest.FixtureRequest) -> System:
    """The same, with one of the package managers and two packages in its repository."""
    system.claim(*ONE_OF_EACH[request.param], MADE)
    if system.manager == "apt":
        system.within("dpkg", "--purge", "--force-all", *(package.name for package in MADE))
    return system


@pytest.mark.parametrize("name", CLAIMED)
def test_a_node_gets_the_packages_of_its_distribution_and_a_second_run_asks_only(system: System, name: str) -> None:
    row = next(row for row in DISTRIBUTIONS if row.name == name)
    wanted = [*FAMILIES[row.family].packages, *row.packages, "logrotate", "chrony"]
    # From Red Hat 9 on, what is called iptables is another package, which provides this name.
    renamed = {"iptables": Made("iptables-nft", provides=("iptables = 1.0-1",))} if row.family == "redhat" else {}
    system.claim(*CLAIMED[name], {package: renamed.get(package, Made(package)) for package in wanted}.values())
    checked = system.converge(*wanted)
    assert checked.code == 0, checked.said
    assert checked.changed == [f"package:{package}" for package in wanted]
    installed = system.within("rpm", "--query", "--all", "--queryformat", "%{NAME}\n").split()
    assert set(installed) == {renamed[each].name if each in renamed else each for each in wanted}
    with system.offline():
        again = system.converge(*wanted)
    assert (again.code, again.changed) == (0, []), again.said


def test_a_version_is_installed_and_changed(managed: System) -> None:
    pinned = [{"name": "kops-made-a", "version": "1.0-1"}]
    assert managed.converge(*pinned).changed == ["package:kops-made-a"]
    managed.publish([Made("kops-made-a", "2.0")])
    assert managed.converge(*pinned).changed == []
    newer = managed.converge({"name": "kops-made-a", "version": "2.0-1"})
    assert newer.changed == ["package:kops-made-a"], newer.said
    query = {"apt": ("dpkg-query", "-W", "-f", "${Version}")}.get(
        managed.manager, ("rpm", "-q", "--qf", "%{VERSION}-%{RELEASE}")
    )
    assert managed.within(*query, "kops-made-a") == "2.0-1"


def test_a_package_that_nobody_has_is_named(managed: System) -> None:
    failed = managed.converge("kops-made-a", "kops-made-never")
    assert failed.code == 1
    # The command has the name as well; what the package manager says comes after it.
    assert "kops-made-never" in failed.said.partition("ended with exit code")[2]
    assert managed.converge("kops-made-a").code == 0, "what failed leaves nothing that is in the way"


def test_without_a_repository_it_is_said_what_could_not_be_reached(managed: System) -> None:
    with managed.offline():
        failed = managed.converge("kops-made-b")
    assert failed.code == 1
    assert "/repository" in failed.said
    assert managed.converge("kops-made-b").changed == ["package:kops-made-b"]


def test_another_process_that_works_with_packages_is_waited_for(managed: System) -> None:
    for path in ("/taken", "/released"):
        managed.path(path).unlink(missing_ok=True)
    outcome = managed.converge("kops-made-a", before=f"{TAKEN[managed.manager]}{WAIT}")
    assert outcome.code == 0, outcome.said
    assert outcome.changed == ["package:kops-made-a"]
    assert managed.path("/released").exists(), "it ended before the lock was free"


def test_a_distribution_that_cannot_be_a_node_is_left_as_it_is(system: System) -> None:
    system.claim(*ONE_OF_EACH["dnf"], MADE)
    system.path("/etc/os-release").write_text('PRETTY_NAME="CentOS Linux 7 (Core)"\nID="centos"\nVERSION_ID="7"\n')
    refused = system.converge("kops-made-a")
    assert refused.code == 2
    assert "CentOS Linux 7 (Core) (centos-7) cannot be a node; distributions that can: AlmaLinux 9, 10;" in refused.said
    assert not system.path("/var/lib/kops").exists()
