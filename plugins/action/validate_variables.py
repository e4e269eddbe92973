# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the variables and the limit that a run of a playbook has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ansible import context
from ansible.errors import AnsibleError
from ansible.plugins.action import ActionBase
from ansible.utils.vars import load_extra_vars
from ansible_collections.kubeops.kops.plugins.plugin_utils.failures import readable
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.checks import PREFIX, Given, problems_of
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.inventory_hosts import hosts_of, no_hosts
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.limit import (
    HOSTS,
    problem_of_limit,
    without_localhost,
)
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.run import playbooks_of_run
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.specs import playbooks, variables_of
from ansible_collections.kubeops.kops.plugins.plugin_utils.readers import outlive_readers

# The first action plugin of each playbook.
outlive_readers()

# AWX gives the variables of a workflow, and what earlier nodes pass on, to all nodes, whatever these take.
_OF_WORKFLOWS = ("awx_workflow_job_id", "tower_workflow_job_id")


class ActionModule(ActionBase):
    """kubeops.kops.validate_variables"""

    TRANSFERS_FILES = False
    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ansible's entry point."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        playbook = str(self._task.args.get("playbook", ""))
        if playbook not in playbooks():
            return {**result, "failed": True, "msg": f"the collection has no playbook {playbook!r}"}
        variables, limit = task_vars or {}, str((task_vars or {}).get("ansible_limit") or "")
        if limit and "localhost" not in variables["ansible_play_hosts_all"]:
            # The variables are those of another host.
            return {**result, "failed": True, "changed": False, "msg": without_localhost(playbook, limit)}
        given = self._given(playbook, variables)
        problems = problems_of(playbook, given)
        if not problems:
            limited = self._problem_of_limit(playbook, limit, given, variables)
            return {**result, "changed": False, **({"failed": True, "msg": limited} if limited else {})}
        lines = "\n".join([f"wrong variables for {playbook}:", *problems])
        return {**result, **readable({"failed": True, "changed": False, "msg": lines})}

    def _given(self, playbook: str, task_vars: dict[str, Any]) -> Given:
        extra = load_extra_vars(self._loader)
        meant = {*extra, *self._task.get_play().vars}
        # Those of an import are for the playbook, too.
        own = dict(self._values(playbook, task_vars))
        found = playbooks_of_run(context.CLIARGS.get("args", ()))
        others = None if found is None or any(name in extra for name in _OF_WORKFLOWS) else found
        unprefixed = {} if others is None else {name: extra[name] for name in extra if not name.startswith(PREFIX)}
        return Given(
            {name: value for name, value in own.items() if name in meant},
            {name: value for name, value in own.items() if name not in meant},
            dict(_of_hosts(task_vars)),
            others=others,
            unprefixed=unprefixed,
        )

    @staticmethod
    def _problem_of_limit(playbook: str, limit: str, given: Given, task_vars: Mapping[str, Any]) -> str:
        groups = task_vars["groups"]
        pattern = str({**given.inventory, **given.extra}.get(HOSTS) or "")
        return problem_of_limit(playbook, limit, pattern, groups, ignored=no_hosts(groups))

    def _values(self, playbook: str, task_vars: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """The variables of localhost. Templates of those that the playbook takes are filled in, except secrets."""
        taken = variables_of(playbook)
        for name in task_vars:
            if name.startswith(PREFIX):
                value = task_vars[name]
                if name in taken and not taken[name].get("no_log"):
                    try:
                        value = self._templar.template(value)
                    except AnsibleError:
                        # It needs what is only known later.
                        continue
                yield name, value


def _of_hosts(task_vars: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The variables of each host of the inventory, as a user has written them there."""
    hostvars = task_vars["hostvars"]
    for name in hosts_of(task_vars["groups"]):
        found = hostvars.raw_get(name)
        yield name, {variable: found[variable] for variable in found if variable.startswith(PREFIX)}
