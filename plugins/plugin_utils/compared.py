# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of comparing the hosts of an inventory with their NodeConfigs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PLAN = "kops_plan"
COMPARED = "kops_compared"


def compared(hostvars: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Options of drift_info: hosts, and hosts_problem. Nothing if the hosts were not asked.

    hostvars: those of localhost have the result of node_configs as kops_plan, and those of each host the one of
    node_converge as kops_compared. Only what is needed is taken: the plan has private keys.
    """
    plan = hostvars["localhost"].get(PLAN) if "localhost" in hostvars else None
    if not plan:
        return {}
    rolling = plan.get("rolling") or {}
    newcomers, disabled = rolling.get("newcomers") or (), rolling.get("disabled") or ()
    hosts: dict[str, Any] = {str(name): {"problem": str(why)} for name, why in (plan.get("problems") or {}).items()}
    for name, planned in (plan.get("hosts") or {}).items():
        if name in newcomers or "config" not in planned:
            hosts[str(name)] = {"node": False}
        else:
            result = hostvars[name].get(COMPARED) if name in hostvars else None
            hosts[str(name)] = {**_said(result or {}), "rolled": name not in disabled}
    return {"hosts": hosts, "hosts_problem": str(plan.get("problem") or plan.get("msg") or "")}


def _said(result: Mapping[str, Any]) -> dict[str, Any]:
    if "changes" in result:
        return {"changes": result["changes"], "deferred_changes": result.get("deferred_changes") or []}
    message = " ".join(str(result.get("msg") or "it did not answer").split())
    return {"problem": f"cannot be reached: {message}" if result.get("unreachable") else message}
