# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a limit (--limit, or AWX' field) leaves out localhost, or hosts that would be taken for missing ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.specs import variables_of

HOSTS = "kops_hosts"
ALL_HOSTS = "all:!localhost"
# They look at each host by itself. To all others, the hosts of the inventory are the cluster: its members of etcd, the
# addresses of its control plane, what is cleared before its keys are deleted.
EACH_BY_ITSELF = ("host_facts", "toolbox_dump")
_SHOWN_NAMES = 4


def without_localhost(playbook: str, limit: str) -> str:
    """Message about a limit that leaves out localhost."""
    return (
        f"--limit ({limit}) leaves out localhost, where {playbook} does most of its work; run it without a limit"
        " (in AWX, an empty Limit), or name localhost in the limit as well"
    )


def problem_of_limit(
    playbook: str, limit: str, pattern: str, groups: Mapping[str, Sequence[str]], *, ignored: Collection[str] = ()
) -> str:
    """Problem of a limit that keeps localhost; "" for none.

    pattern: of the cluster's hosts; "" for all. groups: of the inventory, with their hosts. ignored: hosts that do not
    count.
    """
    if not limit or playbook in EACH_BY_ITSELF or HOSTS not in variables_of(playbook):
        return ""
    inventory = InventoryManager(DataLoader(), parse=False)
    for group, names in groups.items():
        inventory.add_group(group)
        for name in names:
            inventory.add_host(name, group=group)
    wanted = [str(host) for host in inventory.get_hosts(pattern or ALL_HOSTS)]
    inventory.subset(limit)
    kept = {str(host) for host in inventory.get_hosts(pattern or ALL_HOSTS)}
    left_out = [name for name in wanted if name not in kept and name not in ignored]
    if not left_out:
        return ""
    shown = ", ".join(left_out[:_SHOWN_NAMES]) + (" ..." if len(left_out) > _SHOWN_NAMES else "")
    return (
        f"--limit ({limit}) leaves out {shown}, and {playbook} needs all hosts of a cluster: it would take the others"
        " for the whole cluster. Run it without a limit (in AWX, an empty Limit); kops_hosts says which hosts of the"
        " inventory are the cluster's"
    )
