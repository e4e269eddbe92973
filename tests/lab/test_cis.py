# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A hardened cluster: the CIS benchmark finds in it what docs/hardening.md says, and no Secret is readable in etcd."""

from __future__ import annotations

import functools
import json
import pathlib
import re
import time
from collections.abc import Callable

import pytest
import yaml
from ansible_collections.kubeops.kops.tests.lab import cis, cluster, etcd, hosts, running, workloads
from ansible_collections.kubeops.kops.tests.lab.sites import Site

pytestmark = pytest.mark.turn(2)

CONTROL_PLANE, WORKER = "test1", "test2"
DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "hardening.md"
VALUE = "not-to-be-read-in-etcd"
AUDIT_LOG = "/var/log/kube-audit/audit.log"
# Before all other rules: of requests for ConfigMaps, what was asked and answered.
AUDIT_RULE = """\
rules:
- level: RequestResponse
  resources:
  - group: ""
    resources:
    - configmaps
"""
# CoreDNS would not tolerate others.
TAINT = {"key": "lab.example.com/audited", "effect": "PreferNoSchedule"}


@pytest.fixture(scope="module")
def site(new_site: Callable[..., Site]) -> Site:
    """A control plane and a worker."""
    return new_site(hardened=True)


def documented(heading: str) -> dict[str, str]:
    """The items in the table below a heading of docs/hardening.md: number -> what is said of it."""
    text = DOCUMENT.read_text().partition(f"\n### {heading}\n")[2].partition("\n#")[0]
    return dict(re.findall(r"^\| ([\d.]+) \|.*\| (.+) \|$", text, re.MULTILINE))


def numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(".")]


@functools.cache
def checked() -> dict[str, cis.Result]:
    """The results of the cluster, by number."""
    table = cis.items()
    return {found.item.number: found for found in cis.results(cis.machines([CONTROL_PLANE, WORKER], table), table)}


def of(status: str) -> list[str]:
    return [number for number, result in checked().items() if result.status == status]


def test_failures_are_those_that_are_documented(created: running.Run) -> None:
    exceptions = documented("What fails")
    unexpected = [str(checked()[number]) for number in of(cis.FAIL) if number not in exceptions]
    assert unexpected == []
    assert sorted(of(cis.FAIL), key=numbers) == list(exceptions)
    assert {number: checked()[number].item.known for number in of(cis.FAIL)} == exceptions


def test_all_else_passes_or_needs_a_person(created: running.Run) -> None:
    assert list(checked()) == sorted(checked(), key=numbers)
    assert of(cis.MANUAL) == list(documented("What needs a person"))
    counted = re.search(r"(\d+) items pass, (\d+) fail and (\d+) need a person", DOCUMENT.read_text())
    assert counted
    assert tuple(map(int, counted.groups())) == tuple(len(of(each)) for each in (cis.PASS, cis.FAIL, cis.MANUAL))


def test_a_file_that_others_can_read_is_found(created: running.Run) -> None:
    table = [item for item in cis.items() if item.number in ("4.1.9", "4.1.10")]
    path = "/var/lib/kubelet/kubelet.conf"
    hosts.within(WORKER, "chmod", "640", path)
    try:
        mode, owner = cis.results(cis.machines([CONTROL_PLANE, WORKER], table), table)
    finally:
        hosts.within(WORKER, "chmod", "600", path)
    assert (mode.status, mode.why) == (cis.FAIL, f"{WORKER}: {path} has mode 640, more than 600")
    assert owner.status == cis.PASS


def test_secrets_are_encrypted_in_etcd(created: running.Run, site: Site) -> None:
    kubectl = functools.partial(running.kubectl, host=CONTROL_PLANE)
    kubectl("create", "secret", "generic", "probe", f"--from-literal=key={VALUE}")
    kubectl("create", "configmap", "probe", f"--from-literal=key={VALUE}")
    assert etcd.value("main", "/registry/secrets/default/probe", CONTROL_PLANE).startswith(b"k8s:enc:secretbox:v1:")
    assert VALUE.encode() not in etcd.value("main", "/registry/secrets/default/probe", CONTROL_PLANE)
    assert VALUE.encode() in etcd.value("main", "/registry/configmaps/default/probe", CONTROL_PLANE)


def test_the_key_is_shown_to_nobody(created: running.Run) -> None:
    path = "/srv/kubernetes/kube-apiserver/encryptionconfig.yaml"
    provider, _identity = yaml.safe_load(hosts.within(CONTROL_PLANE, "cat", path))["resources"][0]["providers"]
    (key,) = provider["secretbox"]["keys"]
    assert "Secret/encryptionconfig" in created.output
    assert key["secret"] not in created.output
    assert key["secret"] not in str(created.tasks)
    assert hosts.within(CONTROL_PLANE, "stat", "-c", "%a %U", path).strip() == "600 root"
    journal = hosts.within(CONTROL_PLANE, "journalctl", "--no-pager", "--output=short", "--all")
    assert "node_converge" in journal
    assert key["secret"] not in journal


def test_another_audit_policy_and_other_taints_reach_nodes_that_run(created: running.Run, site: Site) -> None:
    assert (audited_level(), added_taints()) == ("Metadata", [])
    files = [dict(each) for each in cluster.hardened_fields()["fileAssets"]]
    (policy,) = (each for each in files if each["name"] == "audit-policy")
    policy["content"] = policy["content"].replace("rules:\n", AUDIT_RULE)
    taint = f"{TAINT['key']}:{TAINT['effect']}"
    site.write(hardened=True, spec={"fileAssets": files}, nodes={"taints": [taint]})
    # A rolling update does the same, but a single worker cannot be drained: CoreDNS would have no other.
    run = site.create(kops_interrupt="true")
    assert run.code == 0, run.output
    assert (audited_level(), added_taints()) == ("RequestResponse", [TAINT])


def audited_level() -> str:
    """How much the audit log keeps of a request for a ConfigMap that is made now."""
    name = f"asked-for-{time.monotonic_ns()}"
    running.kubectl("get", "configmap", name, host=CONTROL_PLANE, check=False)
    line = workloads.eventually(lambda: hosts.within(CONTROL_PLANE, "grep", "--fixed-strings", name, AUDIT_LOG))
    return str(json.loads(line.splitlines()[-1])["level"])


def added_taints() -> list[dict[str, str]]:
    """The worker's taints."""
    node = running.kubectl_json("get", "node", WORKER, host=CONTROL_PLANE)
    taints: list[dict[str, str]] = node["spec"].get("taints", [])
    return taints


# -- the checks themselves ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "right", "wrong"),
    [
        ({"is": "false"}, ["false"], [None, "true", ""]),
        ({"is": "true", "default": "true"}, [None, "true"], ["false"]),
        ({"not_is": "0s"}, [None, "4h0m0s"], ["0s"]),
        ({"has": "Node"}, ["Node,RBAC", "RBAC,Node"], [None, "RBAC", "NodeRestriction"]),
        ({"not_has": "AlwaysAdmit"}, [None, "NodeRestriction"], ["NodeRestriction,AlwaysAdmit"]),
        ({"at_least": 30}, ["30", "365"], [None, "29"]),
        ({"among": ["A", "B"]}, ["A", "B,A"], [None, "A,C"]),
        ({"given": True}, ["/a"], [None]),
        ({"not_given": True}, [None], ["/a", ""]),
    ],
)
def test_words_of_the_table(words: dict[str, object], right: list[str | None], wrong: list[str | None]) -> None:
    (item,) = cis.items(
        [{"number": 1, "about": "a", "where": "node", "flag": {"of": "kubelet", "name": "--a", **words}}]
    )

    def status(value: str | None) -> str:
        options = {} if value is None else {"--a": value}
        machine = cis.Machine("host", {"kubelet": [options], "kube-apiserver": []}, {}, {}, str)
        (result,) = cis.results([machine], [item])
        return result.status

    assert {status(value) for value in right} == {cis.PASS}
    assert {status(value) for value in wrong} == {cis.FAIL}


@pytest.mark.parametrize(
    "entry",
    [
        {"number": 1, "where": "node", "manual": "x"},
        {"number": 1, "about": "a", "where": "nodes", "manual": "x"},
        {"number": 1, "about": "a", "where": "node"},
        {"number": 1, "about": "a", "where": "node", "files": ["/a"]},
        {"number": 1, "about": "a", "where": "node", "files": ["/a"], "mode": "600", "owner": "root:root"},
        {"number": 1, "about": "a", "where": "node", "flag": {"of": "kubelet", "name": "--a", "iz": "b"}},
        {"number": 1, "about": "a", "where": "node", "flag": {"of": "kubelet", "name": "--a", "default": "b"}},
        {"number": 1, "about": "a", "where": "node", "manual": "x", "knwon": "b"},
    ],
)
def test_what_is_no_item_is_refused(entry: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="^item 1 "):
        cis.items([entry])
