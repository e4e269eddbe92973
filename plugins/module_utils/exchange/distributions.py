# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The supported distributions of nodes, as a table. A new one is a new row; docs/distributions.md is written from it.

Source of the rows: util/pkg/distributions and nodeup/pkg/model of kops, which has no AlmaLinux, Oracle Linux and SUSE.
"""

from __future__ import annotations

from dataclasses import dataclass

APT, DNF, ZYPPER = "apt", "dnf", "zypper"
DEBIAN, REDHAT, SUSE, FLATCAR = "debian", "redhat", "suse", "flatcar"

# Where distributions keep the certificates of public authorities. Missing ones are made where /usr can be written.
_AUTHORITIES = ("/etc/ssl", "/etc/pki/tls", "/etc/pki/ca-trust")
_AUTHORITIES_ELSEWHERE = (
    *("/usr/share/ssl", "/usr/ssl", "/usr/lib/ssl", "/usr/local/openssl", "/var/ssl", "/etc/openssl"),
)


@dataclass(frozen=True)
class Clock:
    """chrony of a distribution: its unit and its configuration."""

    unit: str
    configuration: str


@dataclass(frozen=True)
class Family:
    """What distributions of a family have in common.

    package_manager: a key of packages.MANAGERS; "" if packages cannot be installed.
    packages: what every node gets. clock: None if the distribution sees to its clock by itself.
    hosts_template: cloud-init's template of /etc/hosts. authorities: directories of public authorities' certificates.
    modules_package: the package with what the usual one of the running kernel does not have.
    volume_plugins: the directory of the kubelet's volume plug-ins.
    runtime: whether containerd and runc are part of the distribution. rotates: whether its logrotate.service is used.
    """

    name: str
    package_manager: str = ""
    packages: tuple[str, ...] = ()
    clock: Clock | None = None
    hosts_template: str = ""
    authorities: tuple[str, ...] = (*_AUTHORITIES, *_AUTHORITIES_ELSEWHERE)
    modules_package: str = ""
    volume_plugins: str = "/usr/libexec/kubernetes/kubelet-plugins/volume/exec/"
    runtime: bool = False
    rotates: bool = False


FAMILIES = {
    family.name: family
    for family in (
        Family(
            DEBIAN,
            APT,
            ("iptables", "libapparmor1", "libseccomp2", "util-linux"),
            Clock("chrony.service", "/etc/chrony/chrony.conf"),
            "/etc/cloud/templates/hosts.debian.tmpl",
        ),
        Family(
            REDHAT,
            DNF,
            ("libseccomp", "util-linux", "container-selinux"),
            Clock("chronyd.service", "/etc/chrony.conf"),
            "/etc/cloud/templates/hosts.redhat.tmpl",
            modules_package="kernel-modules-extra-$(uname -r)",
        ),
        Family(
            SUSE,
            ZYPPER,
            ("iptables", "libseccomp2", "util-linux"),
            Clock("chronyd.service", "/etc/chrony.conf"),
            "/etc/cloud/templates/hosts.suse.tmpl",
            # /etc/ssl/certs is a link to there.
            (*_AUTHORITIES, *_AUTHORITIES_ELSEWHERE, "/var/lib/ca-certificates"),
            # In place of kernel-default-base.
            modules_package="kernel-default",
            # Newer versions have the configuration of logrotate below /usr/etc, and their service knows it.
            rotates=True,
        ),
        Family(
            FLATCAR,
            authorities=(*_AUTHORITIES, "/usr/share/ca-certificates"),
            volume_plugins="/var/lib/kubelet/volumeplugins/",
            runtime=True,
            rotates=True,
        ),
    )
}


@dataclass(frozen=True)
class Distribution:
    """A distribution.

    name: ID and VERSION_ID of its os-release ("debian-12"). A row also matches minor versions: "rocky-9" matches
        "rocky-9.4", and "flatcar" any version.
    title: what people call it, without the version. family: a key of FAMILIES.
    packages: those besides the family's. modules: of the kernel, that it does not load when they are needed.
    binaries: the directory of programs that do not come from packages.
    traits: what conditions of a NodeConfig can ask for. nftables: iptables does not work. immutable: /usr is read-only.
    """

    name: str
    title: str
    family: str
    packages: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    binaries: str = "/usr/local/bin"
    traits: frozenset[str] = frozenset()

    @property
    def version(self) -> str:
        """The version in its name; "" if any version matches."""
        return self.name.rpartition("-")[2] if "-" in self.name else ""

    @property
    def package_manager(self) -> str:
        """That of its family."""
        return FAMILIES[self.family].package_manager


_NFTABLES = frozenset({"nftables"})
_IMMUTABLE = frozenset({"immutable"})
# The front end of the name iptables that makes rules of nftables: plug-ins of CNI call it.
_IPTABLES_NFT = ("nftables", "iptables-nft")
# kube-proxy reads settings of it.
_CONNTRACK = ("nf_conntrack",)
# Modules that kernels of distributions without iptables do not load by themselves; Calico needs ip_set even there.
_NFTABLES_MODULES = ("nf_tables", "nf_conntrack", "ip_set")


def _without_iptables(name: str, title: str) -> Distribution:
    return Distribution(name, title, REDHAT, _IPTABLES_NFT, _NFTABLES_MODULES, traits=_NFTABLES)


DISTRIBUTIONS = (
    *(Distribution(f"debian-{version}", "Debian", DEBIAN) for version in ("11", "12", "13")),
    *(Distribution(f"ubuntu-{version}", "Ubuntu", DEBIAN) for version in ("22.04", "24.04", "25.10", "26.04")),
    Distribution("amzn-2023", "Amazon Linux", REDHAT, ("iptables-nft",)),
    *(Distribution(f"rhel-{version}", "Red Hat Enterprise Linux", REDHAT, ("iptables",)) for version in ("8", "9")),
    Distribution("rocky-8", "Rocky Linux", REDHAT, ("iptables",)),
    Distribution("rocky-9", "Rocky Linux", REDHAT, _IPTABLES_NFT, _CONNTRACK),
    Distribution("almalinux-9", "AlmaLinux", REDHAT, _IPTABLES_NFT, _CONNTRACK),
    Distribution("ol-9", "Oracle Linux", REDHAT, _IPTABLES_NFT, _CONNTRACK),
    Distribution("centos-9", "CentOS Stream", REDHAT, _IPTABLES_NFT),
    _without_iptables("rhel-10", "Red Hat Enterprise Linux"),
    _without_iptables("rocky-10", "Rocky Linux"),
    _without_iptables("almalinux-10", "AlmaLinux"),
    _without_iptables("ol-10", "Oracle Linux"),
    _without_iptables("centos-10", "CentOS Stream"),
    *(_without_iptables(f"fedora-{version}", "Fedora") for version in ("41", "42", "43", "44")),
    # Up to 15, AppArmor confines programs; from 16 on, SELinux.
    Distribution("opensuse-leap-15.6", "openSUSE Leap", SUSE, ("libapparmor1",)),
    Distribution("opensuse-leap-16", "openSUSE Leap", SUSE, ("container-selinux",)),
    *(
        Distribution(f"sles-{version}", "SUSE Linux Enterprise Server", SUSE, ("libapparmor1",))
        for version in ("15.6", "15.7")
    ),
    Distribution("sles-16", "SUSE Linux Enterprise Server", SUSE, ("container-selinux",)),
    Distribution(
        "flatcar",
        "Flatcar Container Linux",
        FLATCAR,
        binaries="/opt/kubernetes/bin",
        traits=_IMMUTABLE,
    ),
)
TRAITS = tuple(sorted(frozenset().union(*(row.traits for row in DISTRIBUTIONS))))


def find_distribution(os_release: str) -> Distribution | None:
    """The row that matches an os-release file; None if there is none."""
    identity = describe(os_release)
    return next((row for row in DISTRIBUTIONS if _is(identity, row.name)), None)


def describe(os_release: str) -> str:
    """ID and VERSION_ID of an os-release file, as "debian-12"; rolling releases have only an ID."""
    return "-".join(part for part in (field_of(os_release, name) for name in ("ID", "VERSION_ID")) if part)


def field_of(os_release: str, name: str) -> str:
    """The value of a field of an os-release file, without its quotes; "" if there is none."""
    fields = dict(line.strip().split("=", 1) for line in os_release.splitlines() if "=" in line)
    return fields.get(name, "").strip("\"'")


def supported() -> str:
    """All rows for messages: titles with their versions."""
    versions: dict[str, list[str]] = {}
    for row in DISTRIBUTIONS:
        versions.setdefault(row.title, []).extend(filter(None, [row.version]))
    return "; ".join(f"{title} {', '.join(versions[title])}".rstrip() for title in sorted(versions, key=str.lower))


def rows_with(attribute: str) -> dict[str, list[str]]:
    """Value -> names of the distributions that have it. attribute: packages or modules."""
    found: dict[str, list[str]] = {}
    for row in DISTRIBUTIONS:
        for value in getattr(row, attribute):
            found.setdefault(value, []).append(row.name)
    return found


def _is(identity: str, name: str) -> bool:
    more = "." if "-" in name else "-"
    return identity == name or identity.startswith(name + more)
