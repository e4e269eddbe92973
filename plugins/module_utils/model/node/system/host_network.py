# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the distribution's own network services must leave to the network of pods (eni_networking.go of nodeup).

Files tell systemd-networkd, udev and cloud-init so. A unit does the rest: it restarts systemd-networkd if this runs
since before its files were written, and in AWS keeps services away from interfaces that the network of pods attaches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ....exchange.distributions import DISTRIBUTIONS
from ..context import NodeContext
from ..draft import Draft, on
from ..systemd import unit_text

UNIT = "kops-host-network.service"
_SCRIPT = "/opt/kops/bin/host-network-setup"
_AMAZON, _DEBIAN_11, _RHEL_9 = "amzn-2023", "debian-11", "rhel-9"
_DEBIAN = ("debian-12", "debian-13")
_UBUNTU = tuple(row.name for row in DISTRIBUTIONS if row.name.startswith("ubuntu-"))
_NETWORKD = (_AMAZON, *_DEBIAN, *_UBUNTU)
_HOTPLUG = (*_DEBIAN, *(name for name in _UBUNTU if name != "ubuntu-22.04"))
# Where systemd-networkd would ask for addresses on every interface.
_SECONDARY = (_AMAZON, *_DEBIAN)

_SECONDARY_FILE = "/etc/systemd/network/75-eni-secondary.network"
_METADATA = "http://169.254.169.254/latest"


@dataclass(frozen=True)
class _File:
    """A file on some distributions. restarts: systemd-networkd reads it when it starts."""

    path: str
    content: str
    distributions: Sequence[str]
    restarts: bool = False


# systemd-networkd removes routes and rules that it did not make.
_FOREIGN_ROUTES = _File(
    "/usr/lib/systemd/networkd.conf.d/40-disable-manage-foreign-routes.conf",
    "[Network]\nManageForeignRoutes=no\nManageForeignRoutingPolicyRules=no\n",
    _NETWORKD,
    restarts=True,
)
# cloud-init configures interfaces that are attached.
_HOTPLUG_OFF = _File(
    "/etc/cloud/cloud.cfg.d/99-disable-network-hotplug.cfg",
    "updates:\n  network:\n    when: [boot-new-instance]\n",
    _HOTPLUG,
)
# udev gives interfaces addresses of its own, those of pods too.
_OWN_ADDRESSES = _File(
    "/etc/systemd/network/99-default.link",
    "[Match]\nOriginalName=*\n[Link]\nNamePolicy=keep kernel database onboard slot path\n"
    "AlternativeNamesPolicy=database onboard slot path\nMACAddressPolicy=none\n",
    _NETWORKD,
    restarts=True,
)
# Instead of the distribution's file of that name: its services put the addresses of pods on the host's interface.
_NO_POLICY_ROUTES = _File("/etc/udev/rules.d/99-vpc-policy-routes.rules", "", (_AMAZON,))
# The distribution's rule, but without names such as eni1234, which are those of pods.
_INTERFACES_OF_HOST = _File(
    "/etc/udev/rules.d/75-cloud-ifupdown.rules",
    'SUBSYSTEM=="net", ACTION=="add", ENV{INTERFACE}=="eth*|ens*", RUN+="/etc/network/cloud-ifupdown-helper"\n',
    (_DEBIAN_11,),
)

_STOP_POLICY_ROUTES = """\
if compgen -G '/run/systemd/network/*/ec2net_alias.conf' > /dev/null; then
  systemctl stop 'policy-routes@*.service' 'refresh-policy-routes@*.service' 'refresh-policy-routes@*.timer'
  systemctl disable 'policy-routes@*.service' 'refresh-policy-routes@*.timer'
  rm -f /run/systemd/network/*/ec2net_alias.conf
  systemctl restart systemd-networkd.service
fi
"""
# The names of interfaces differ by the kind of machine; that of the first one is known by its address.
_LEAVE_SECONDARY = f"""\
token=$(curl -sf -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 60' {_METADATA}/api/token) || exit 1
address=$(curl -sf -H "X-aws-ec2-metadata-token: ${{token}}" {_METADATA}/meta-data/mac) || exit 1
primary=()
for device in /sys/class/net/*/device; do
  interface=${{device%/device}}
  [ "$(< "${{interface}}/address")" = "${{address}}" ] && primary+=("${{interface##*/}}")
done
if [ "${{#primary[@]}}" != 1 ]; then
  echo "interfaces with the address ${{address}}: ${{primary[*]:-none}}; expected one" >&2
  exit 1
fi
wanted=$(printf '[Match]\\nDriver=ena\\nProperty=!INTERFACE=%s\\n\\n[Link]\\nUnmanaged=yes' "${{primary[0]}}")
if [ "${{wanted}}" != "$(cat {_SECONDARY_FILE} 2> /dev/null)" ]; then
  echo "${{wanted}}" > {_SECONDARY_FILE}
fi
"""
# It makes rules for the addresses of pods that come before those of the network of pods.
_STOP_CLOUD_SETUP = """\
if [ "$(systemctl is-enabled nm-cloud-setup.timer 2> /dev/null)" != masked ]; then
  systemctl disable --now nm-cloud-setup.service nm-cloud-setup.timer 2> /dev/null
  systemctl mask nm-cloud-setup.service nm-cloud-setup.timer
  nmcli -t -f NAME connection show --active | while read -r name; do
    nmcli connection down "${name}"
    nmcli connection up "${name}"
  done
fi
true
"""
_RESTART_NETWORKD = """\
systemctl is-active --quiet systemd-networkd.service || exit 0
started=$(systemctl show --property ActiveEnterTimestamp --value systemd-networkd.service)
newer=$(find {files} -newermt "${{started}}" 2> /dev/null)
[ -z "${{newer}}" ] || systemctl restart systemd-networkd.service
"""


@dataclass
class _Setup:
    """What a distribution gets: parts of the script, and the files that matter to systemd-networkd."""

    parts: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)


def build(context: NodeContext, draft: Draft) -> None:
    """Files and the unit, for networks that attach interfaces to the machine, and for Cilium, which sets routes."""
    networking = context.cluster.spec.networking
    amazon, cilium = networking.amazon_vpc is not None, networking.cilium
    attaches = amazon or (cilium is not None and cilium.ipam == "eni")
    if not attaches and cilium is None:
        return
    files = [_FOREIGN_ROUTES, _HOTPLUG_OFF]
    if attaches:
        files += [_OWN_ADDRESSES, _NO_POLICY_ROUTES]
    if amazon:
        files.append(_INTERFACES_OF_HOST)
    for file in files:
        draft.file(file.path, file.content, when=on(distribution=file.distributions))
    if attaches:
        draft.package("curl", when=on(family="debian"))
    for names, setup in _grouped(_setups(files, attaches=attaches, amazon=amazon)):
        when = on(distribution=names)
        draft.file(_SCRIPT, "#!/bin/bash\n" + "".join(setup.parts), "0755", when=when)
        draft.unit(UNIT, _unit(), restart_on=[f"file:{path}" for path in setup.files], when=when)


def _setups(files: Sequence[_File], *, attaches: bool, amazon: bool) -> dict[str, _Setup]:
    """Distribution -> what it gets."""
    found: dict[str, _Setup] = {name: _Setup() for name in _NETWORKD}
    for name, setup in found.items():
        setup.files = [file.path for file in files if file.restarts and name in file.distributions]
        watched = list(setup.files)
        if attaches and name == _AMAZON:
            setup.parts.append(_STOP_POLICY_ROUTES)
        if attaches and name in _SECONDARY:
            setup.parts.append(_LEAVE_SECONDARY)
            watched.append(_SECONDARY_FILE)
        setup.parts.append(_RESTART_NETWORKD.format(files=" ".join(watched)))
    if amazon:
        found[_RHEL_9] = _Setup([_STOP_CLOUD_SETUP])
    return found


def _grouped(setups: dict[str, _Setup]) -> Iterable[tuple[list[str], _Setup]]:
    """Distributions that get the same, together."""
    groups: list[tuple[list[str], _Setup]] = []
    for name, setup in setups.items():
        group = next((names for names, other in groups if other == setup), None)
        if group is None:
            groups.append(([name], setup))
        else:
            group.append(name)
    return groups


def _unit() -> str:
    return unit_text(
        {
            "Unit": [
                ("Description", "Keep the distribution's network services off the network of pods"),
                ("Wants", "network-online.target"),
                ("After", "network-online.target"),
                ("Before", "kubelet.service"),
            ],
            "Service": [("Type", "oneshot"), ("RemainAfterExit", "yes"), ("ExecStart", _SCRIPT)],
            "Install": [("WantedBy", "multi-user.target")],
        }
    )
