# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The supported distributions of nodes, as a table. A new one is a new row.

Source of the rows: util/pkg/distributions and nodeup/pkg/model of kops.
"""

from __future__ import annotations

from dataclasses import dataclass

APT, DNF = "apt", "dnf"
DEBIAN, REDHAT = "debian", "redhat"


@dataclass(frozen=True)
class Distribution:
    """A distribution.

    name: ID and VERSION_ID of its os-release ("debian-12"). A row also matches minor versions: "rocky-9" matches
        "rocky-9.4", and "flatcar" any version.
    family: package names in a NodeConfig depend on it.
    package_manager: "apt" or "dnf"; "" if packages cannot be installed.
    binaries: the directory of programs that do not come from packages.
    traits: what conditions of a NodeConfig can ask for. nftables: iptables does not work. immutable: /usr is read-only.
    """

    name: str
    family: str
    package_manager: str = ""
    binaries: str = "/usr/local/bin"
    traits: frozenset[str] = frozenset()


_NFTABLES = frozenset({"nftables"})
_IMMUTABLE = frozenset({"immutable"})

DISTRIBUTIONS = (
    *(Distribution(f"debian-{version}", DEBIAN, APT) for version in ("11", "12", "13")),
    *(Distribution(f"ubuntu-{version}", DEBIAN, APT) for version in ("22.04", "24.04", "25.10", "26.04")),
    Distribution("amzn-2023", REDHAT, DNF),
    *(Distribution(f"{project}-{version}", REDHAT, DNF) for project in ("rhel", "rocky") for version in ("8", "9")),
    Distribution("centos-9", REDHAT, DNF),
    *(Distribution(f"{project}-10", REDHAT, DNF, traits=_NFTABLES) for project in ("rhel", "rocky", "centos")),
    *(Distribution(f"fedora-{version}", REDHAT, DNF, traits=_NFTABLES) for version in ("41", "42", "43", "44")),
    Distribution("flatcar", "flatcar", binaries="/opt/kubernetes/bin", traits=_IMMUTABLE),
    Distribution("cos", "containeros", binaries="/home/kubernetes/bin", traits=_IMMUTABLE),
)
FAMILIES = tuple(dict.fromkeys(row.family for row in DISTRIBUTIONS))
TRAITS = tuple(sorted(frozenset().union(*(row.traits for row in DISTRIBUTIONS))))


def find_distribution(os_release: str) -> Distribution | None:
    """The row that matches an os-release file; None if there is none."""
    identity = describe(os_release)
    return next((row for row in DISTRIBUTIONS if _is(identity, row.name)), None)


def describe(os_release: str) -> str:
    """ID and VERSION_ID of an os-release file, as "debian-12"; rolling releases have only an ID."""
    fields = dict(line.strip().split("=", 1) for line in os_release.splitlines() if "=" in line)
    parts = [fields.get(name, "").strip("\"'") for name in ("ID", "VERSION_ID")]
    return "-".join(part for part in parts if part)


def supported() -> str:
    """The names of all rows, for messages."""
    return ", ".join(row.name for row in DISTRIBUTIONS)


def _is(identity: str, name: str) -> bool:
    more = "." if "-" in name else "-"
    return identity == name or identity.startswith(name + more)
