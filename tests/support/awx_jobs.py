# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs as AWX runs them, by ansible-runner: private data directory, environment, extra variables, events and artifacts.

What is in them is that of AWX 24.6.1 (awx/main/tasks/jobs.py, awx/main/models). Containers are left out: what is in an
execution environment is that of the tests.
"""

from __future__ import annotations

import itertools
import json
import os
import pathlib
import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import ansible_runner
import yaml
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.awx import Settings, definitions, resources_of
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.specs import playbooks
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from jinja2 import sandbox

# What AWX calls its own variables; the second name is older.
_PREFIXES = ("awx", "tower")
# AWX' settings that begin with ANSIBLE_, which each job gets.
_SETTINGS = {
    "ANSIBLE_FORCE_COLOR": "True",
    "ANSIBLE_HOST_KEY_CHECKING": "False",
    "ANSIBLE_INVENTORY_UNPARSED_FAILED": "True",
    "ANSIBLE_PARAMIKO_RECORD_HOST_KEYS": "False",
}
_WAIT_SECONDS = 300


class _UnsafeDumper(yaml.SafeDumper):
    """Writes texts that Ansible must not template: AWX' way for all that is given at launch."""

    def represent_data(self, data: Any) -> yaml.Node:
        if isinstance(data, str):
            return self.represent_scalar("!unsafe", data)
        return super().represent_data(data)


@dataclass
class Done:
    """A job that has ended. artifacts: what it passes on (set_stats)."""

    status: str
    events: list[dict[str, Any]]

    @property
    def artifacts(self) -> dict[str, Any]:
        (stats,) = (event for event in self.events if event["event"] == "playbook_on_stats")
        found: dict[str, Any] = stats["event_data"]["artifact_data"]
        return found

    @property
    def changed(self) -> dict[str, int]:
        """How many tasks have changed something, or would, on each host on which any has."""
        (stats,) = (event for event in self.events if event["event"] == "playbook_on_stats")
        return {name: count for name, count in stats["event_data"]["changed"].items() if count}

    @property
    def output(self) -> str:
        """What AWX shows of the job."""
        return "\n".join(event["stdout"] for event in self.events)

    @property
    def errors(self) -> str:
        """The results of failed tasks."""
        failed = [event["event_data"]["res"] for event in self.events if event["event"] == "runner_on_failed"]
        return json.dumps(failed)


@dataclass
class Inventory:
    """An inventory of AWX. groups: with their hosts. hosts: with their variables. variables: of the inventory."""

    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    hosts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    variables: Mapping[str, Any] = field(default_factory=dict)

    def printed(self) -> dict[str, Any]:
        """What its script prints in a job."""
        grouped = {name for names in self.groups.values() for name in names}
        common: dict[str, Any] = {"hosts": [name for name in self.hosts if name not in grouped]}
        common.update({"children": list(self.groups)} if self.groups else {})
        common.update({"vars": dict(self.variables)} if self.variables else {})
        own = {
            name: {**variables, "remote_tower_enabled": "true", "remote_tower_id": number}
            for number, (name, variables) in enumerate(self.hosts.items(), start=1)
        }
        groups = {name: {"hosts": list(names)} for name, names in self.groups.items()}
        return {"all": common, **groups, "_meta": {"hostvars": own}}


@dataclass
class Jobs:
    """AWX' side of jobs. directory: for their private data.

    environment: what credentials of AWX' own types give; fields: those of the collection's types that are filled in.
    hidden: variables of this process that jobs do not get. ssh_key: the private key of a Machine credential.
    """

    directory: pathlib.Path
    environment: Mapping[str, str]
    fields: Mapping[str, str]
    hidden: Collection[str] = ()
    inventory: Inventory = field(default_factory=Inventory)
    ssh_key: str = ""
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def run(
        self,
        template: str,
        answers: Mapping[str, Any] | None = None,
        *,
        check: bool = False,
        limit: str = "",
        **workflow: Any,
    ) -> Done:
        """A job on the controller itself.

        template: of the collection, or a playbook, for which users have a template of their own. check: whether it is
        launched with the job type Check. limit: the template's. workflow: what it gets as a node of a workflow,
        artifacts among them.
        """
        events: list[dict[str, Any]] = []
        parameters = self.prepared(template, answers, check=check, limit=limit, **workflow)
        with self._without_hidden():
            runner = ansible_runner.interface.run(event_handler=_into(events), **parameters)
        return Done(runner.status, events)

    def sent(
        self,
        template: str,
        answers: Mapping[str, Any] | None = None,
        *,
        until: Callable[[], None] | None = None,
        **workflow: Any,
    ) -> Done:
        """A job on another machine, which has a directory of its own: transmit, worker, process.

        until: returns when the job is to be cancelled, by the signal that the worker gets then.
        """
        parameters = self.prepared(template, answers, **workflow)
        number = parameters["ident"]
        sent = self.directory / f"sent-{number}"
        with sent.open("wb") as stream:
            ansible_runner.interface.run(streamer="transmit", _output=stream, **parameters)

        there = self.directory / f"node-{number}"
        there.mkdir()
        told = self.directory / f"told-{number}"
        with sent.open("rb") as incoming, told.open("wb") as outgoing:
            worker = subprocess.Popen(
                [str(ROOT / ".venv" / "bin" / "ansible-runner"), "worker", f"--private-data-dir={there}"],
                stdin=incoming,
                stdout=outgoing,
                start_new_session=True,
                env={name: value for name, value in os.environ.items() if name not in self.hidden},
            )
            if until:
                until()
                worker.terminate()
            worker.wait(timeout=_WAIT_SECONDS)

        events: list[dict[str, Any]] = []
        here = self.directory / f"processed-{number}"
        here.mkdir()
        with told.open("rb") as stream:
            result = ansible_runner.interface.run(
                streamer="process",
                _input=stream,
                private_data_dir=str(here),
                ident=number,
                event_handler=_into(events),
                quiet=True,
            )
        return Done(result.status, events)

    @contextmanager
    def _without_hidden(self) -> Iterator[None]:
        """ansible-runner gives a job all of its own environment."""
        kept = {name: os.environ.pop(name) for name in self.hidden if name in os.environ}
        try:
            yield
        finally:
            os.environ.update(kept)

    def prepared(
        self,
        template: str,
        answers: Mapping[str, Any] | None,
        *,
        check: bool = False,
        limit: str = "",
        **workflow: Any,
    ) -> dict[str, Any]:
        """Make the private data directory of a job; the parameters with which AWX calls ansible-runner."""
        number = next(self._numbers)
        job = _template(template)
        if check:
            assert job["ask_job_type_on_launch"]
            job = {**job, "job_type": "check"}
        directory = self.directory / f"awx_{number}_job"
        for name in ("env", "inventory", "cp"):
            (directory / name).mkdir(parents=True)
        self._write_project(directory / "project")

        unanswered = _defaults(job)
        given = {**job["extra_vars"], **unanswered, **(answers or {}), **workflow, **_meta(number, job, bool(workflow))}
        safe = {name: value for name, value in given.items() if job["extra_vars"].get(name) == value}
        documents = [yaml.safe_dump({name: value}) for name, value in safe.items()]
        documents += [
            yaml.dump_all([{name: value}], Dumper=_UnsafeDumper) for name, value in given.items() if name not in safe
        ]
        (directory / "env" / "extravars").write_text("".join(documents))
        arguments = [*(["--check"] if job["job_type"] == "check" else []), "-u", "root"]
        arguments += ["--diff"] if job["diff_mode"] else []
        arguments += ["-l", limit] if limit else []
        (directory / "env" / "cmdline").write_text(" ".join(arguments))
        settings = {"job_timeout": 0, "suppress_ansible_output": True, "suppress_output_file": True}
        (directory / "env" / "settings").write_text(json.dumps(settings))
        inventory = directory / "inventory" / "hosts"
        inventory.write_text(f"#! /usr/bin/env python3\nprint({json.dumps(self.inventory.printed())!r})\n")
        inventory.chmod(0o700)
        if self.ssh_key:
            # ansible-runner gives it to an agent of the job.
            key = directory / "env" / "ssh_key"
            key.touch(0o600)
            key.write_text(self.ssh_key)
        return {
            "ident": number,
            "private_data_dir": str(directory),
            "playbook": job["playbook"],
            "inventory": str(inventory),
            "suppress_env_files": True,
            "envvars": self._environment(number, directory),
            "fact_cache_type": "",
        }

    def _environment(self, number: int, directory: pathlib.Path) -> dict[str, str]:
        collections = str(ROOT / ".venv" / "collections")
        found = {
            **_SETTINGS,
            "AWX_PRIVATE_DATA_DIR": str(directory),
            "JOB_ID": str(number),
            "INVENTORY_ID": "1",
            "PROJECT_REVISION": "0" * 40,
            "ANSIBLE_RETRY_FILES_ENABLED": "False",
            "MAX_EVENT_RES": "700000",
            "AWX_HOST": "https://awx.example.com",
            "ANSIBLE_SSH_CONTROL_PATH_DIR": str(directory / "cp"),
            "ANSIBLE_COLLECTIONS_PATH": collections,
            "ANSIBLE_ROLES_PATH": "/usr/share/ansible/roles",
            "PATH": f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
            **self.environment,
        }
        render = sandbox.ImmutableSandboxedEnvironment()
        for kind in resources_of(Settings())["credential_types"]:
            for name, text in kind["injectors"]["env"].items():
                found[name] = render.from_string(text).render(**self.fields)
        return found

    @staticmethod
    def _write_project(directory: pathlib.Path) -> None:
        """A user's repository: playbooks that import those of the collection."""
        (directory / "playbooks").mkdir(parents=True)
        for name in playbooks():
            text = f"---\n- name: The playbook of the collection\n  import_playbook: kubeops.kops.{name}\n"
            (directory / "playbooks" / f"{name}.yml").write_text(text)


def _template(name: str) -> dict[str, Any]:
    """A job template of the collection; one of a user's own for a playbook that has none."""
    loaded = {each["name"]: each for each in resources_of(Settings())["job_templates"]}
    assert name in playbooks() or f"kops {name}" in loaded
    own = {"job_type": "run", "ask_job_type_on_launch": True, "diff_mode": False, "extra_vars": {}}
    own |= {"name": name, "playbook": f"playbooks/{name}.yml", "survey_spec": {"spec": []}}
    return dict(loaded.get(f"kops {name}", own))


def _defaults(template: Mapping[str, Any]) -> dict[str, Any]:
    """The answers to a survey that nobody answers.

    AWX leaves out a default that would not be right as an answer: one of several choices is a text, the answer a list.
    """
    questions = [each for each in template["survey_spec"]["spec"] if each["type"] != "multiselect"]
    return {each["variable"]: each["default"] for each in questions}


def _into(events: list[dict[str, Any]]) -> Callable[[dict[str, Any]], bool]:
    """A handler that keeps events, here and in files."""

    def handle(event: dict[str, Any]) -> bool:
        events.append(event)
        return True

    return handle


def _meta(number: int, job: Mapping[str, Any], in_workflow: bool) -> dict[str, Any]:
    """The variables that AWX adds to each job."""
    found = {
        "job_id": number,
        "job_launch_type": "workflow" if in_workflow else "manual",
        "job_template_id": 7,
        "job_template_name": job["name"],
        "user_id": 1,
        "user_name": "admin",
        "user_email": "admin@example.com",
        "user_first_name": "",
        "user_last_name": "",
        "inventory_id": 1,
        "inventory_name": "kops",
        "project_revision": "0" * 40,
        "project_scm_branch": "main",
        "execution_node": "node-1",
    }
    if in_workflow:
        found.update(workflow_job_id=99, workflow_job_name="kops apply", workflow_job_launch_type="manual")
    return {f"{prefix}_{name}": value for prefix in _PREFIXES for name, value in found.items()}


def workflow_variables(name: str, answers: Mapping[str, Any]) -> dict[str, Any]:
    """What each job of a workflow gets of its survey: unanswered questions as their defaults."""
    (workflow,) = (
        each for each in resources_of(Settings())["workflow_job_templates"] if each["name"] == f"kops {name}"
    )
    return {**_defaults(workflow), **answers}


def jobs_of(workflow: str) -> list[str]:
    """The job templates of a workflow, in their order."""
    (found,) = (each for each in definitions("workflows") if each["name"] == workflow)
    return [node["template"] for node in found["nodes"] if "template" in node]
