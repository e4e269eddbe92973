# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every module of the collection does alike: its options, its errors, its diffs."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ..base.errors import KopsError
from ..base.files import Files, LocalFiles
from ..base.outcome import Outcome
from .reader import ends_with_reader

# Environment variables that stand in for options that are not given.
ENVIRONMENT = {"state_store": "KOPS_STATE_STORE", "cluster_name": "KOPS_CLUSTER_NAME"}
# Of a state store that is for tests.
_MEMORY = "memfs://"
# Import name of a library that is loaded when it is needed -> what to install.
LIBRARIES = {
    "boto3": "boto3",
    "botocore": "boto3",
    "cryptography": "cryptography",
    "google": "google-auth",
    "jmespath": "jmespath",
    "requests": "requests",
    "yaml": "PyYAML",
}

STATE_STORE: dict[str, Any] = {"state_store": {"type": "str"}}
# A cluster, for modules about clusters; and for modules about what belongs to one.
CLUSTER: dict[str, Any] = {"name": {"type": "str", "aliases": ["cluster_name"]}}
IN_CLUSTER: dict[str, Any] = {"cluster_name": {"type": "str"}}
LEASE: dict[str, Any] = {"lease_wait": {"type": "float"}, "break_lease": {"type": "bool", "default": False}}
# Of modules that store a specification, or apply one.
ADOPT: dict[str, Any] = {"adopt": {"type": "list", "elements": "str", "default": []}}
PROGRESS: dict[str, Any] = {"progress_file": {"type": "path"}}
# Of modules that apply a plan.
POLICY: dict[str, Any] = {"policy": {"type": "list", "elements": "path", "default": []}}


def given(arguments: Mapping[str, Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters without empty texts, which count as not given whatever their type: survey forms have no other way.

    An option replaces its aliases, so that a task's ``name`` counts and not ``cluster_name`` of ``module_defaults``.
    """
    full = {
        name: separated(arguments.get(name, {}), value)
        for name, value in parameters.items()
        if value != "" or name.startswith("_ansible_")
    }
    replaced = {alias for name in arguments.keys() & full.keys() for alias in arguments[name].get("aliases", ())}
    return {name: value for name, value in full.items() if name not in replaced}


def separated(option: Mapping[str, Any], value: Any) -> Any:
    """The value of an option. Of a list that is a text, the elements: people write a space after a comma, as we do."""
    if option.get("type") == "list" and isinstance(value, str):
        return [each.strip() for each in value.split(",")]
    return value


class Call:
    """A call of a module. arguments: its argument spec. parameters: checked. check: whether nothing may be written.

    remote_tmp: Ansible's directory for temporary files of the connecting user, with "~" for the user's home.
    files: where large files are that the module reads or writes; None for the machine that it runs on.
    """

    def __init__(
        self,
        arguments: Mapping[str, Any],
        parameters: Mapping[str, Any],
        *,
        check: bool,
        remote_tmp: str = "",
        files: Files | None = None,
    ) -> None:
        self.arguments = arguments
        self.files = files or LocalFiles()
        self.remote_tmp = remote_tmp
        self.parameters: dict[str, Any] = {name: None if value == "" else value for name, value in parameters.items()}
        self.check = check

    @property
    def state_store(self) -> str:
        """Address of the state store; "" when neither option nor environment gives one."""
        return self._given("state_store", "state_store")

    @property
    def cluster_name(self) -> str:
        """Name of the cluster, whatever the module calls the option; "" when nothing gives one."""
        option = "cluster_name" if "cluster_name" in self.arguments else "name"
        return self._given(option, "cluster_name")

    def refuse_memory(self) -> None:
        """Raise KopsError for a state store that ends with the module, whose clusters nobody could reach again."""
        if "state_store" in self.arguments and self.state_store.startswith(_MEMORY):
            raise KopsError(
                f"the state store {self.state_store} is the memory of one process, for tests; write s3://bucket, or"
                " file:///directory for a cluster on bare metal"
            )

    def _given(self, option: str, variable: str) -> str:
        return str(self.parameters.get(option) or os.environ.get(ENVIRONMENT[variable], ""))

    def text(self, option: str) -> str:
        """A text option; "" when it is not given."""
        return str(self.parameters.get(option) or "")


Operation = Callable[[Call], Outcome]


def result_of(call: Call, operation: Operation) -> dict[str, Any]:
    """The outcome of an operation, or its error, as Ansible takes them."""
    try:
        call.refuse_memory()
        return operation(call).as_result()
    except KopsError as error:
        return {"failed": True, "msg": str(error), **({"brief": error.brief} if error.brief else {})}
    except ImportError as error:
        library = LIBRARIES.get((error.name or "").partition(".")[0])
        if library is None:
            raise
        return {"failed": True, "msg": missing_required_lib(library), "exception": traceback.format_exc()}


class _Module(AnsibleModule):
    """A module for which empty text is not given."""

    params: dict[str, Any]

    def _load_params(self) -> None:
        super()._load_params()
        self.params = given(self.argument_spec, self.params)


class KopsModule:
    """An Ansible module of ours, on the controller or on a node.

    arguments: its argument spec, put together from the tables above and its own. rules: as AnsibleModule takes them.
    shown: what of the parameters logs and results may show, for a module that is given secrets inside of others.
    """

    def __init__(
        self,
        arguments: Mapping[str, Any],
        *,
        shown: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None,
        **rules: Any,
    ) -> None:
        self.arguments = arguments
        self.ansible = _Module(
            argument_spec=dict(arguments), supports_check_mode=True, no_log=shown is not None, **rules
        )
        self._invocation = {"invocation": {"module_args": shown(self.ansible.params)}} if shown else {}

    def run(self, operation: Operation) -> None:
        """Call the operation and end with its outcome, or with its error as the module's. Warnings become Ansible's."""
        call = Call(
            self.arguments,
            self.ansible.params,
            check=bool(self.ansible.check_mode),
            remote_tmp=str(getattr(self.ansible, "_remote_tmp", None) or ""),
        )
        with ends_with_reader():
            result = {**result_of(call, operation), **self._invocation}
        for warning in result.pop("warnings", ()):
            self.ansible.warn(warning)
        if result.pop("failed", False):
            self.ansible.fail_json(**result)
        self.ansible.exit_json(**result)
