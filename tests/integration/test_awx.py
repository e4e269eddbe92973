# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook awx loads AWX by the modules of awx.awx, against a server that has AWX' API and records it."""

from __future__ import annotations

import json
import pathlib
import re
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.awx import Settings, definitions, resources_of
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.specs import playbooks
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.documented.runs import AWX as AWX_API
from ansible_collections.kubeops.kops.tests.documented.runs import taken_by
from ansible_collections.kubeops.kops.tests.documented.shell import Command
from ansible_collections.kubeops.kops.tests.integration import conftest
from ansible_collections.kubeops.kops.tests.integration.conftest import ansible_environment, run_ansible
from ansible_collections.kubeops.kops.tests.support.awx_api import AWX, serving

CLUSTERS = ["demo.example.com", "other.example.com"]
FILES = tuple(f"playbooks/{name}.yml" for name in playbooks())
GIVEN = {
    "kops_awx_project_url": "https://git.example.com/clusters.git",
    "kops_awx_project_branch": "v1",
    "kops_awx_image": "registry.example.com/kops:1",
    "kops_awx_clusters": CLUSTERS,
    "kops_awx_credentials": ["aws", "store"],
    "kops_awx_schedules": ["drift", "repair"],
}
SETTINGS = Settings(**{name.removeprefix("kops_awx_"): value for name, value in GIVEN.items()})


@pytest.fixture()
def awx(monkeypatch: pytest.MonkeyPatch) -> Iterator[AWX]:
    """An AWX with two credentials."""
    with serving(AWX(FILES)) as running:
        for name, value in running.environment.items():
            monkeypatch.setenv(name, value)
        kind = running.add("credential_types", name="any")
        for name in ("aws", "store"):
            running.add("credentials", name=name, credential_type=kind)
        yield running


# What pages say to type, in the order in which they say it. A new one has to be typed by a test, too.
CHECK, LOAD, PRUNE_CHECK, PRUNE, WITH_REPAIR, CHECK_SET, LOAD_SET = taken_by(
    AWX_API, "docs/awx.md", "docs/replace-nodes.md", "playbooks/awx.yml"
)


def load(command: Command = LOAD, *, expect: int = 0, **variables: Any) -> str:
    """Type a command where awx.yml has the settings of these tests, and these variables.

    A command that does not name the file has them from the inventory.
    """
    given = {**GIVEN, **variables}
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        directory = pathlib.Path(name)
        if command in (CHECK_SET, LOAD_SET):
            hosts = {"all": {"vars": given, "hosts": {"localhost": {"ansible_connection": "local"}}}}
            (directory / "hosts.yml").write_text(yaml.safe_dump(hosts))
            patch.setenv("ANSIBLE_INVENTORY", str(directory / "hosts.yml"))
        else:
            (directory / "awx.yml").write_text(yaml.safe_dump(given))
        return run_ansible(*command.words, directory=directory, expect=expect, modules_in_forks=True)


def changed(output: str) -> list[str]:
    return re.findall(r"^changed: \[localhost\] => \(item=(.*)\)$", output, re.MULTILINE)


def references(awx: AWX, item: dict[str, Any], **kinds: str) -> dict[str, str]:
    """The names of what an object refers to, for these fields."""
    return {name: awx.objects[kind][item[name]]["name"] for name, kind in kinds.items()}


def test_all_is_loaded_and_the_second_run_writes_what_differs(awx: AWX) -> None:
    done = load()
    assert "AWX has all job templates, workflows and schedules" in done
    _check_job_templates(awx)
    _check_workflows(awx)
    _check_schedules(awx)
    types = awx.named("credential_types")
    assert types["kops state store"]["injectors"]["env"]["S3_SECRET_ACCESS_KEY"] == "{{ s3_secret_access_key }}"
    secret = {each["id"] for each in types["kops state store"]["inputs"]["fields"] if each.get("secret")}
    assert secret == {"s3_secret_access_key"}
    assert awx.named("execution_environments")["kops"]["image"] == GIVEN["kops_awx_image"]

    # What somebody changes by hand becomes as it was; nothing else is written.
    by_hand = awx.named("job_templates")["kops drift"]
    by_hand["description"] = "changed"
    awx.requests.clear()
    assert changed(load(WITH_REPAIR)) == ["kops drift"]
    assert awx.writes() == [("PATCH", f"/api/v2/job_templates/{by_hand['id']}/")]
    assert by_hand["description"] != "changed"


def _check_job_templates(awx: AWX) -> None:
    loaded = awx.named("job_templates")
    assert list(loaded) == [f"kops {each['name']}" for each in definitions("job_templates")]
    for each in resources_of(SETTINGS)["job_templates"]:
        item = loaded[each["name"]]
        assert awx.survey("job_templates", each["name"]) == each["survey_spec"]
        assert references(
            awx, item, project="projects", inventory="inventories", execution_environment="execution_environments"
        ) == {
            "project": "kops",
            "inventory": "kops",
            "execution_environment": "kops",
        }
        credentials = awx.related["job_templates", item["id"], "credentials"]
        assert {awx.objects["credentials"][number]["name"] for number in credentials} == {"aws", "store"}
        assert item["survey_enabled"]
        assert item["job_type"] == ("check" if "plan" in each["name"] else "run")
        # Who may only plan cannot make it another kind of job.
        assert item["ask_job_type_on_launch"] == (item["job_type"] == "run")
    assert json.loads(loaded["kops drift"]["extra_vars"]) == {"kops_fail_on_drift": True}


def _check_workflows(awx: AWX) -> None:
    nodes = awx.objects["workflow_job_template_nodes"]
    for given in definitions("workflows"):
        workflow = awx.named("workflow_job_templates")[f"kops {given['name']}"]
        assert workflow["survey_enabled"]
        mine = {item["identifier"]: item for item in nodes.values() if item["workflow_job_template"] == workflow["id"]}
        order = [f"{each['identifier']} [kubeops.kops]" for each in given["nodes"]]
        assert sorted(mine) == sorted(order)
        for before, after in zip(order, [*order[1:], None], strict=True):
            following = awx.related.get(("workflow_job_template_nodes", mine[before]["id"], "success_nodes"), [])
            assert following == ([mine[after]["id"]] if after else [])
        for each in given["nodes"]:
            kind = "job_templates" if "template" in each else "workflow_approval_templates"
            runs = awx.objects[kind][mine[f"{each['identifier']} [kubeops.kops]"]["unified_job_template"]]
            assert runs["name"] == (
                f"kops {each['template']}" if "template" in each else f"kops {given['name']}: approve"
            )


def _check_schedules(awx: AWX) -> None:
    of = awx.named("schedules")
    assert sorted(of) == sorted(f"kops {what} of {cluster}" for what in ("drift", "repair") for cluster in CLUSTERS)
    for name, item in of.items():
        template = references(awx, item, unified_job_template="job_templates")["unified_job_template"]
        assert (template, item["extra_data"]) == (
            name.partition(" of ")[0],
            {"kops_cluster_name": name.partition(" of ")[2]},
        )


def test_check_mode_writes_nothing_and_says_what_is_missing_and_what_differs(awx: AWX) -> None:
    ours = {"organization": next(iter(awx.objects["organizations"]))}
    image, url = GIVEN["kops_awx_image"], GIVEN["kops_awx_project_url"]
    awx.add("execution_environments", name="kops", image=image, pull="missing", **ours)
    awx.add("projects", name="kops", scm_type="git", scm_url=url, scm_branch="v1", **ours)
    awx.add("inventories", name="kops", **ours)
    refers = {"project": awx.named("projects")["kops"]["id"], "inventory": awx.named("inventories")["kops"]["id"]}
    awx.add("job_templates", name="kops drift", playbook="playbooks/drift.yml", job_type="run", **refers)
    awx.requests.clear()
    output = load(CHECK)
    assert awx.writes() == []
    assert changed(output) == ["kops drift"]
    assert "AWX does not have yet:" in output
    missing = re.findall(r"^  (\w+)/(.+)$", output, re.MULTILINE)
    wanted = {
        tuple(need.split("/", 1))
        for found in resources_of(SETTINGS).values()
        for each in found
        for need in each["needs"]
    }
    there = {(kind, name) for kind in awx.objects for name in awx.named(kind)}
    assert set(missing) == wanted - there


def _leave(awx: AWX) -> tuple[set[int], set[int]]:
    """Objects that are not wanted: those of an earlier version of the collection, and those that are somebody's."""
    ours = {"organization": next(iter(awx.objects["organizations"]))}
    other = {"organization": awx.add("organizations", name="Other")}
    inventory, project = awx.add("inventories", name="kops", **ours), awx.add("projects", name="kops", **ours)
    of_other = {"playbook": "playbooks/drift.yml", "project": awx.add("projects", name="kops", **other)}
    of_ours = {"playbook": "playbooks/drift.yml", "project": project, "inventory": inventory}

    def mark(name: str, prefix: str = "kops") -> dict[str, str]:
        return {"name": f"{prefix} {name}", "description": f"It was loaded. [kubeops.kops {prefix}: {name}]"}

    template = awx.add("job_templates", **mark("find drift"), **of_ours)
    workflow = awx.add("workflow_job_templates", **mark("change"), **ours)
    apply = awx.add("workflow_job_templates", **mark("apply"), **ours)
    nodes = "workflow_job_template_nodes"
    scheduled = {"rrule": "DTSTART:20260101T000000Z RRULE:FREQ=DAILY;INTERVAL=1", "unified_job_template": template}
    gone = {
        template,
        workflow,
        awx.add("schedules", **mark("find drift of old.example.com"), **scheduled),
        awx.add(nodes, identifier="look [kubeops.kops]", workflow_job_template=apply, unified_job_template=template),
        awx.add(nodes, identifier="look [kubeops.kops]", workflow_job_template=workflow),
        awx.add("credential_types", **mark("registry")),
    }
    copied = {"name": "kops find drift @ 10:00:00", "description": mark("find drift")["description"]}
    used = awx.add("credential_types", **mark("old store"))
    copy = awx.add("workflow_job_templates", **{**copied, "name": "kops apply @ 10:00:00"}, **ours)
    stay = {
        # A copy has the description of its original.
        awx.add("job_templates", **copied, **of_ours),
        copy,
        awx.add(nodes, identifier="look [kubeops.kops]", workflow_job_template=copy),
        # Somebody has removed the mark, added a node, loaded another set.
        awx.add("job_templates", name="kops mine", description="It was loaded.", **of_ours),
        awx.add(nodes, identifier="look", workflow_job_template=apply, unified_job_template=template),
        awx.add("job_templates", **mark("find drift", prefix="kops prod"), **of_ours),
        awx.add("job_templates", **mark("find drift"), **of_other),
        used,
        awx.add("credentials", name="in use", credential_type=used),
    }
    return gone, stay


@pytest.mark.long
def test_what_is_not_wanted_any_more_is_named_and_deleted_if_that_is_said(awx: AWX) -> None:
    gone, stay = _leave(awx)
    named = {
        "schedules/kops find drift of old.example.com",
        "workflow_job_template_nodes/kops apply/look [kubeops.kops]",
        "workflow_job_templates/kops change",
        "job_templates/kops find drift",
        "credential_types/kops registry",
    }

    def there() -> set[int]:
        return {number for found in awx.objects.values() for number in found}

    def said(output: str) -> set[str]:
        """What is named as not wanted, without what has credentials."""
        assert "it has credentials, and stays until they are deleted:\n  credential_types/kops old store\n" in output
        listed = re.search(r"Not wanted any more(?:;|, and deleted)[^\n]*:\n((?:  [^\n]+\n)+)", output)
        return set(re.findall(r"^  (.+)$", listed[1], re.MULTILINE)) if listed else set()

    output = load(CHECK_SET)
    assert said(output) == named
    assert "it stays until a run with kops_awx_prune=true:" in output

    output = load(PRUNE_CHECK)
    assert awx.writes() == []
    assert said(output) == named
    assert "a run without --check deletes it:" in output
    # What is there already, and not yet as it is loaded, comes first.
    assert len({*changed(output)} - {"kops", "kops apply"}) == len(named)
    assert gone | stay <= there()

    output = load(PRUNE)
    assert said(output) == named
    assert "Not wanted any more, and deleted:" in output
    assert len([path for method, path in awx.writes() if method == "DELETE"]) == len(named)
    assert stay <= there()
    assert not gone & there()

    awx.requests.clear()
    output = load(LOAD_SET, kops_awx_prune=True)
    assert awx.writes() == []
    assert said(output) == set()


def test_what_must_be_there_is_named_before_anything_is_written(awx: AWX) -> None:
    output = load(
        expect=2,
        kops_awx_image="",
        kops_awx_execution_environment="ee",
        kops_awx_project_url="",
        kops_awx_credentials="x,y",
    )
    assert (
        "AWX does not have, or does not show: credentials/x, credentials/y, execution_environments/ee, projects/kops"
        in output
    )
    assert awx.writes() == []


def test_without_awx_awx_it_says_so(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an environment that has only this collection."""
    only = {"ANSIBLE_COLLECTIONS_PATH": str(tmp_path), "ANSIBLE_COLLECTIONS_SCAN_SYS_PATH": "false"}
    place = tmp_path / "ansible_collections" / "kubeops"
    place.mkdir(parents=True)
    (place / "kops").symlink_to(ROOT)
    monkeypatch.setattr(conftest, "ansible_environment", lambda: {**ansible_environment(), **only})
    output = run_ansible("ansible-playbook", "kubeops.kops.awx", expect=2)
    assert (
        "the collection awx.awx is not installed here; install it with: ansible-galaxy collection install awx.awx"
        in output
    )


def test_a_wrong_token_is_one_error(awx: AWX, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTROLLER_OAUTH_TOKEN", "wrong")
    output = load(expect=2)
    assert output.count("Invalid authentication credentials") >= 1
    assert len(awx.requests) == 1
