# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows the progress of the module of this name while it runs."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.modules import update_cluster
from ansible_collections.kubeops.kops.plugins.plugin_utils.progress import ProgressActionModule, display


class ActionModule(ProgressActionModule):
    """kubeops.kops.update_cluster"""

    module = update_cluster

    def outcome(self, result: dict[str, Any], check: bool) -> list[str]:
        """The plan; once it is done, the lines before have told, and the counts are left."""
        lines = self._plan(result) if check else self._done(result)
        if "out" in result and (check or not result["changed"]):
            count, where = len(result["files"]), result["out"]
            lines.append(f"Files that would change in {where}: {count}" if count else f"Nothing to do in {where}")
        return lines

    def _plan(self, result: dict[str, Any]) -> list[str]:
        """The plan as text. What is created is only named, unless somebody wants to know more."""
        if "out" in result and not result.get("plan"):
            return []
        lines, names_only = [], False
        for line in str(result.get("plan_text", "")).splitlines():
            if line == "Will create:" and not display.verbosity:
                names_only = True
                lines.append("Will create (--diff shows every field):")
                continue
            names_only = names_only and (not line or line.startswith(" "))
            is_field = line.startswith("    ")
            if not (names_only and is_field) and not line.startswith("Warning:"):
                lines.append(line)
        return lines

    @staticmethod
    def _done(result: dict[str, Any]) -> list[str]:
        count = result.get("summary", {})
        done = {"created": count.get("create"), "changed": count.get("update"), "deleted": count.get("delete")}
        lines = [] if "out" in result else str(result.get("plan_text", "")).splitlines()[-1:]
        if any(done.values()):
            told = ", ".join(f"{number} {verb}" for verb, number in done.items())
            lines = [f"Done: {told}, {count['unchanged']} were as they should be."]
        kept = sum(entry["action"] == "delete" for entry in result.get("plan", ())) - count.get("delete", 0)
        if kept > 0:
            lines.append(f"Kept for instances that still run: {kept}. With prune: true they are deleted.")
        return lines
