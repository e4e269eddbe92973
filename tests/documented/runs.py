# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which commands of the documentation an account on loopback can answer, and why the others are only proved."""

from __future__ import annotations

from ansible_collections.kubeops.kops.tests.documented.proofs import extra_variables, parsed, playbook_of
from ansible_collections.kubeops.kops.tests.documented.shell import Command, commands

HOSTS = "it connects to hosts by SSH: tests/lab/test_documented_commands.py types it"
_INSTANCES = "it connects to instances of a cloud by SSH: tests/lab/cloud/test_dump.py runs the playbook for those"
_RUNNING = "it asks the API of a running cluster: tests/lab"
# Those tests take their commands from taken_by().
MIRROR = "it downloads images and files of Kubernetes: tests/integration/test_mirror.py types it, with small ones"
AWX = "it loads AWX: tests/integration/test_awx.py types it, where a server has its API"
# Playbooks that need more than an account and a state store.
_PLAYBOOKS = {
    "assets_bundle": MIRROR,
    "assets_copy": MIRROR,
    "assets_load": MIRROR,
    "awx": AWX,
    "delete_instance": _RUNNING,
    "etcd_restore": _RUNNING,
    "reconcile": _RUNNING,
    "repair": _RUNNING,
    "rolling_update": _RUNNING,
    "rotate": _RUNNING,
    "upgrade_cluster": _RUNNING,
    "validate_cluster": _RUNNING,
}
# The address of a control plane on a host: its cluster is made by commands before, which are not run.
_ON_A_HOST = "kops_kubeconfig_api_server"


def why_not_run(command: Command) -> str:
    """Why a command of ansible-playbook is not run; "" if it is."""
    name = playbook_of(command)
    if command.mentioned:
        return "a sentence only names it"
    if name and parsed(command).inventory:
        return HOSTS if _lists_hosts(parsed(command).inventory) else _INSTANCES
    if command.page.startswith("playbooks/"):
        return "tests/integration/test_playbooks.py runs the playbooks"
    if not name:
        return "it is a playbook of the user's own"
    if name in _PLAYBOOKS:
        return _PLAYBOOKS[name]
    variables = extra_variables(command)
    if variables.get("kops_validate_wait", "0") != "0":
        return _RUNNING
    if _ON_A_HOST in variables:
        return HOSTS
    if str(variables.get("kops_manifest", "")).startswith("$"):
        return "the lab prints its manifest: tests/lab"
    return ""


def _lists_hosts(inventories: list[str]) -> bool:
    """Whether these are the inventories that pages show for bare metal, and not those of the plugin kops."""
    return not any(name.endswith("kops.yml") for name in inventories)


def run_commands(commands: tuple[Command, ...]) -> list[Command]:
    """Those that are run."""
    return [each for each in commands if each.program == "ansible-playbook" and not why_not_run(each)]


def taken_by(reason: str, *pages: str) -> list[Command]:
    """The commands that another test types, whose reason this is; of these pages, in their order.

    A command on a page that is not among them is one that nobody types.
    """
    found = [each for each in commands() if each.program == "ansible-playbook" and why_not_run(each) == reason]
    assert {each.page for each in found} == set(pages), found
    return found
