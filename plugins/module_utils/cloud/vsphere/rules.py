# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of DRS, which say which machines of a compute cluster must not share a host. They have names, and no marks."""

from __future__ import annotations

from typing import Any

from ...base.errors import KopsError
from .cloud import VSphereCloud
from .kinds import COMPUTE
from .ownership import machines


def rules(cloud: VSphereCloud, compute: str) -> list[Any]:
    """All rules of a compute cluster, as the library describes them. compute: its id. To be asked by `once`."""
    found = cloud.read(COMPUTE, [compute], ("configurationEx",), "read the rules of the compute cluster")
    return [rule for each in found for rule in each["configurationEx"].rule or ()]


def is_own(cloud: VSphereCloud, rule: Any, *, refuse: bool = False) -> bool:
    """Whether a rule is the cluster's: all machines that it names are. refuse: raise KopsError if it is not."""
    own = {str(each["id"]) for each in machines(cloud)}
    others = [each._moId for each in rule.vm or () if each._moId not in own]
    if others and refuse:
        raise KopsError(
            f"rule {rule.name} of the compute cluster is about machines of others, too: rename or delete it"
        )
    return not others


def change_rules(cloud: VSphereCloud, compute: str, doing: str, operation: str, rule: Any) -> None:
    """Add, edit or remove a rule, as the operation says, and read all of them anew the next time."""
    from pyVmomi import vim

    change = vim.cluster.RuleSpec(operation=operation)
    if operation == "remove":
        change.removeKey = rule.key
    else:
        change.info = rule
    spec = vim.cluster.ConfigSpecEx(rulesSpec=[change])
    found = cloud.object(COMPUTE, compute)
    cloud.run(doing, lambda: found.ReconfigureComputeResource_Task(spec, True))
    cloud.forget(rules, compute)
