# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The application credential of a cluster and its rules: made, found, succeeded and deleted; in a project in memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack import access_rules, kinds, logins
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.application_credential import (
    ApplicationCredential,
    credential_in,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools.made_from import mark_of
from ansible_collections.kubeops.kops.plugins.module_utils.engine import doubts
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import AnswerLost
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.secrets import OPENSTACK_CREDENTIAL, Secrets
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.tests.support.openstack.clusters import applied, changes, planned, remove
from ansible_collections.kubeops.kops.tests.support.openstack.memory import PROJECT, USER, Project

NAME, OTHER = "demo.k8s.local", "other.demo.k8s.local"
CREDENTIAL, RULE = kinds.application_credential(USER), kinds.access_rule(USER)
TITLE = f"kubeops.kops {NAME} {PROJECT}"
MORE = "swift://more/backups"
OWN_RULE = {"service": "compute", "method": "GET", "path": "/v2.1/servers"}


@pytest.fixture
def project() -> Project:
    return Project()


@pytest.fixture
def base(tmp_path: Path) -> str:
    """Where the secrets of clusters are."""
    return f"memfs://{tmp_path.name}"


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logins, "_PAUSES", (0.0, 0.0, 0.0))


def task(base: str, *more: str, name: str = NAME) -> dict[str, Any]:
    stores = [f"swift://state/{name}", *more]
    rules = access_rules.rules(access_rules.TYPES, read=stores, written=more, with_names=False)
    made = ApplicationCredential(name, base=f"{base}/{name}", rules=rules)
    return {made.key: made}


def apply(project: Project, base: str, *more: str, name: str = NAME) -> Any:
    return applied(project.client(name), task(base, *more, name=name))


def plan(project: Project, base: str, *more: str) -> Any:
    return planned(project.client(NAME), task(base, *more))


def titles(project: Project) -> list[str]:
    return sorted(each["name"] for each in project.of(CREDENTIAL).values())


def with_server(project: Project, credential: dict[str, Any], name: str = NAME) -> dict[str, Any]:
    """A control plane that was made with a credential."""
    mark = mark_of({"credential": credential["id"]})
    server = {"id": f"server-{credential['id']}", "metadata": {"k8s": name, "kubeops-made-from": mark}}
    project.of(kinds.SERVER)[server["id"]] = server
    return server


def stored(base: str) -> dict[str, str]:
    return credential_in(f"{base}/{NAME}")


def only(project: Project) -> dict[str, Any]:
    (found,) = project.of(CREDENTIAL).values()
    return found


def test_it_has_the_rules_and_a_second_run_changes_nothing(project: Project, base: str) -> None:
    done = apply(project, base)
    assert done.warnings == []
    wanted = next(iter(task(base).values())).rules
    mark = access_rules.mark(NAME, PROJECT)
    assert access_rules.known(only(project)["access_rules"], mark) == wanted
    assert all(mark in each["path"] for each in project.of(RULE).values())
    writes = len(project.writes)
    again = apply(project, base)
    assert (again.changed, len(project.writes)) == (False, writes)


def test_a_service_that_does_not_know_its_type_costs_the_rules(project: Project, base: str) -> None:
    project.refusals = {"dns": 99, "load-balancer": 99, "network": float("inf")}
    wanted = {"compute", "network", "load-balancer"}
    made = next(iter(task(base).values()))
    made.rules = [each for each in made.rules if each.split()[0] in wanted]
    found = planned(project.client(NAME), {made.key: made})
    assert found.warnings == []
    done = applied(project.client(NAME), {made.key: made})
    (warning,) = done.warnings
    assert "has no access rules, as load-balancer, network took none" in warning
    assert only(project)["access_rules"] == []
    assert only(project)["id"] == stored(base)["id"]
    assert project.of(RULE) == {}
    again = plan(project, base, MORE)
    assert (again.changed, again.warnings) == (False, [])


def test_a_refusal_that_passes_costs_nothing(project: Project, base: str) -> None:
    project.refusals = {"compute": 1, "network": 3}
    assert apply(project, base).warnings == []
    assert only(project)["access_rules"]


def test_what_the_user_may_not_ask_costs_nothing(project: Project, base: str) -> None:
    project.forbidden = {"load-balancer"}
    assert apply(project, base).warnings == []
    assert only(project)["access_rules"]


def test_a_service_that_does_not_answer_costs_nothing_and_is_said(project: Project, base: str) -> None:
    project.silent = {"key-manager"}
    (warning,) = apply(project, base).warnings
    assert warning.startswith("key-manager did not answer, so it is not known whether")
    assert only(project)["access_rules"]


def test_rules_that_lack_something_get_a_successor_as_check_mode_says(project: Project, base: str) -> None:
    apply(project, base)
    first = stored(base)
    server = with_server(project, first)
    writes = len(project.writes)
    found = plan(project, base, MORE)
    assert changes(found) == [f"update ApplicationCredential/{NAME} ['rules']"]
    (entry,) = found.as_data()
    assert "object-store GET /more" in entry["after"]["rules"]
    assert "object-store GET /more" not in entry["before"]["rules"]
    assert "control planes have when they are replaced" in entry["reason"]
    assert len(project.writes) == writes
    assert apply(project, base, MORE).id == found.id
    second = stored(base)
    # The control plane that has the first one still needs it.
    assert titles(project) == [TITLE, f"{TITLE} 2"]
    assert project.of(CREDENTIAL)[second["id"]]["name"] == f"{TITLE} 2"
    assert not plan(project, base, MORE).changed
    server["metadata"]["kubeops-made-from"] = mark_of({"credential": second["id"]})
    (gone,) = plan(project, base, MORE).due_deletions()
    assert (gone.item, gone.reason) == (TITLE, "no server was made with it any more")
    apply(project, base, MORE)
    assert only(project)["id"] == second["id"]
    assert not plan(project, base, MORE).changed
    # Rules that are more than it needs stay.
    assert not plan(project, base).changed


def test_without_rules_it_lacks_nothing(project: Project, base: str) -> None:
    """As versions of before made it."""
    made = project.insert(CREDENTIAL, {"name": TITLE})
    Secrets(open_path(f"{base}/{NAME}")).store(OPENSTACK_CREDENTIAL, json.dumps(secret_of(made)).encode())
    assert not plan(project, base, MORE).changed


def test_one_that_the_user_has_made_is_left_as_it_is(project: Project, base: str) -> None:
    made = project.insert(CREDENTIAL, {"name": "mine", "access_rules": [OWN_RULE]})
    Secrets(open_path(f"{base}/{NAME}")).store(OPENSTACK_CREDENTIAL, json.dumps(secret_of(made)).encode())
    assert not plan(project, base, MORE).changed
    remove(project.client(NAME))
    assert only(project)["name"] == "mine"
    assert [each["path"] for each in project.of(RULE).values()] == ["/v2.1/servers"]


def secret_of(made: dict[str, Any]) -> dict[str, str]:
    return {key: made[key] for key in ("id", "secret")}


def test_rules_go_with_their_cluster_and_those_of_others_stay(project: Project, base: str) -> None:
    project.insert(CREDENTIAL, {"name": "mine", "access_rules": [OWN_RULE]})
    apply(project, base, name=OTHER)
    before = (sorted(project.of(RULE)), titles(project))
    apply(project, base)
    with_server(project, stored(base))
    apply(project, base, MORE)
    assert len(titles(project)) == 4
    # The user has one of the cluster's rules in a credential of his own.
    rule = next(iter(project.of(CREDENTIAL)[stored(base)["id"]]["access_rules"]))
    mine = project.insert(CREDENTIAL, {"name": "with the same", "access_rules": [{"id": rule["id"]}]})
    project.of(kinds.SERVER).clear()
    remove(project.client(NAME))
    assert rule["id"] in project.of(RULE)
    del project.of(CREDENTIAL)[mine["id"]]
    remove(project.client(NAME))
    assert (sorted(project.of(RULE)), titles(project)) == before


def test_rules_of_a_run_that_broke_off_go_with_the_cluster(project: Project, base: str) -> None:
    apply(project, base)
    project.of(CREDENTIAL).clear()
    assert project.of(RULE)
    remove(project.client(NAME))
    assert project.of(RULE) == {}


class Killed(BaseException):
    """The process ended."""


WRITES = 6


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("number", range(WRITES))
def test_a_run_that_is_broken_off_is_completed_by_the_next(
    project: Project, base: str, number: int, moment: str
) -> None:
    """While a service refuses the rules, so that there is the most to write."""
    project.refusals = {"network": float("inf")}

    def fault(now: str, count: int) -> None:
        if (count, now) == (number, moment):
            raise Killed

    project.fault = fault
    with pytest.raises(Killed):
        apply(project, base)
    project.fault = lambda now, count: None
    apply(project, base)
    assert only(project)["id"] == stored(base)["id"]
    assert only(project)["access_rules"] == []
    remove(project.client(NAME))
    assert project.names() == Project().names()


@pytest.mark.parametrize("number", range(WRITES))
def test_an_answer_that_is_lost_makes_no_twin(
    project: Project, base: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a service refuses the rules."""
    monkeypatch.setattr(doubts, "PATIENCE", 0.01)
    project.refusals = {"network": float("inf")}

    def fault(now: str, count: int) -> None:
        if (count, now) == (number, "after"):
            raise AnswerLost("no answer")

    project.fault = fault
    apply(project, base)
    assert only(project)["id"] == stored(base)["id"]
    assert only(project)["access_rules"] == []
    assert not plan(project, base).changed


def test_a_server_of_another_cluster_keeps_nothing(project: Project, base: str) -> None:
    apply(project, base)
    with_server(project, stored(base), name=OTHER)
    apply(project, base, MORE)
    assert [each.item for each in plan(project, base, MORE).due_deletions()] == [TITLE]


def test_a_successor_is_never_called_as_the_first_while_there_is_another(project: Project, base: str) -> None:
    """Else nobody would look for what it has succeeded."""
    apply(project, base)
    first = with_server(project, stored(base))
    apply(project, base, MORE)
    second = with_server(project, stored(base))
    del project.of(kinds.SERVER)[first["id"]]
    apply(project, base, MORE)
    assert titles(project) == [f"{TITLE} 2"]
    apply(project, base, MORE, "swift://third")
    assert titles(project) == [f"{TITLE} 2", f"{TITLE} 3"]
    del project.of(kinds.SERVER)[second["id"]]
    apply(project, base, MORE, "swift://third")
    assert titles(project) == [f"{TITLE} 3"]
    assert only(project)["id"] == stored(base)["id"]
