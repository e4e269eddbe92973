# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of clusters: on AWS, whose instances are moto's, and on bare metal. The API server is a fake with TLS.

What pages look like is tried in Chromium, where it is installed.
"""

from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.report.facts import Report
from ansible_collections.kubeops.kops.plugins.module_utils.operations.report.read import ReportOptions, read_report
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keyset import KUBERNETES_CA
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.plugins.plugin_utils import page
from ansible_collections.kubeops.kops.tests.integration.conftest import (
    NAME,
    STORE,
    Account,
    account_with_cluster,
    run_ansible,
)
from ansible_collections.kubeops.kops.tests.integration.test_validation import (
    CONTROL_PLANE,
    WORKERS,
    api_server,
    authority_of,
    instances,
)
from ansible_collections.kubeops.kops.tests.support import dumps, reports
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.browser import browse, found, needs_browser
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes
from ansible_collections.kubeops.kops.tests.support.running_cluster import add_node

METAL = "metal.example.com"
UNREACHABLE = "https://127.0.0.1:1"


@pytest.fixture(scope="module")
def cluster(server: AWSServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    with account_with_cluster(server, tmp_path_factory.mktemp("account")) as account:
        yield account


@pytest.fixture()
def api(cluster: Account, tmp_path: pathlib.Path) -> Iterator[FakeKubernetes]:
    """An API to which all instances are nodes that are ready."""
    with api_server(tmp_path, authority_of(cluster)) as fake:
        for group, name in instances(cluster).items():
            add_node(fake, name, group)
            fake.objects[f"/api/v1/nodes/{name}"]["status"]["nodeInfo"] = {"kubeletVersion": "v1.34.2"}
        yield fake


def read(server: str, **more: Any) -> Report:
    return read_report(ReportOptions(STORE, NAME, api_server=server, **more))


def why(report: Report) -> dict[str, str]:
    return {each.what: each.why for each in report.unread}


def test_all_of_a_healthy_cluster(cluster: Account, api: FakeKubernetes) -> None:
    with cluster.server.recorded() as calls:
        report = read(api.url)
    assert cluster.writes(calls) == []
    assert api.writes() == []
    assert report.unread == []
    assert [each for each in report.problems if each.severity == "error"] == []
    assert report.cluster.cloud == "AWS"
    assert report.cluster.region == "us-east-1"
    assert report.zones == ["us-east-1a"]
    assert [row.instance_group for row in report.topology] == [CONTROL_PLANE, WORKERS]
    names = instances(cluster)
    assert [row.cells[0].nodes for row in report.topology] == [[names[CONTROL_PLANE]], [names[WORKERS]]]
    assert report.nodes
    assert {each.health for each in report.nodes} == {"healthy"}
    assert {each.version for each in report.nodes} == {"1.34.2"}
    assert [group.wanted for group in report.groups] == [1, 1]
    assert report.keys
    assert {KUBERNETES_CA, "service-account"} <= {each.name for each in report.keys}
    assert all(re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", each.made) for each in report.keys)
    assert report.backups
    assert {each.etcd for each in report.backups} == {"main", "events"}
    assert report.addons
    assert {each.status for each in report.addons} == {"applied"}
    assert report.plan
    assert report.plan.changes == []
    assert report.plan.counts["unchanged"] > 50
    assert report.drift
    assert [each for each in report.drift.found if not each.told] == []


def test_what_is_not_as_it_should_be(cluster: Account, api: FakeKubernetes) -> None:
    worker = instances(cluster)[WORKERS]
    del api.objects[f"/api/v1/nodes/{worker}"]
    cluster.change_group(WORKERS, max_size=7)
    try:
        report = read(api.url)
    finally:
        cluster.change_group(WORKERS, max_size=1)
    (machine,) = (each for each in report.problems if each.kind == "Machine")
    assert (machine.names, machine.instance_group) == ([worker], WORKERS)
    # A report says when, and not how long ago.
    assert machine.message == "has not joined the cluster yet"
    (specification,) = (each for each in report.problems if each.kind == "Specification")
    assert "an update would" in specification.message
    assert report.plan
    assert {(each.kind, tuple(each.fields)) for each in report.plan.changes} >= {("AutoscalingGroup", ("max_size",))}
    assert {each.name: each.health for each in report.nodes or ()}[worker] == "missing"
    assert report.drift
    # The plan says it.
    assert ("AutoscalingGroup", ("max_size",), True) in {
        (each.kind, tuple(each.fields), each.told) for each in report.drift.found
    }


def test_an_api_that_does_not_answer_is_told_once(cluster: Account) -> None:
    report = read(UNREACHABLE)
    assert why(report) == {}
    errors = [each for each in report.problems if each.severity == "error"]
    assert {each.kind for each in errors} == {"TCP", "Machine"}
    assert {each.health for each in report.nodes or ()} == {"unknown"}
    said = re.sub(r"<[^>]+>|\s+", " ", page.render(report.plain(), reports.GENERATED))
    assert re.search(r"Healthy nodes +not known", said)
    assert {each.status for each in report.addons or ()} == {"unknown"}
    assert report.plan
    assert report.warnings == [each for each in report.warnings if "127.0.0.1" not in each]


def test_a_cloud_that_denies_access(cluster: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store is read with other permissions."""
    from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws import provider

    def denied(*given: Any, **more: Any) -> None:
        raise KopsError("ec2:DescribeInstances is denied")

    for name in ("instances", "machines", "facts"):
        monkeypatch.setattr(provider.AWSProvider, name, denied)
    report = read(UNREACHABLE)
    assert why(report) == dict.fromkeys(("health", "nodes", "plan", "drift"), "ec2:DescribeInstances is denied")
    assert report.nodes is None
    assert report.keys
    assert report.backups
    assert [row.instance_group for row in report.topology] == [CONTROL_PLANE, WORKERS]
    assert "Health is not known" in page.render(report.plain(), reports.GENERATED)


def test_no_such_cluster(cluster: Account) -> None:
    with pytest.raises(KopsError, match=r"other\.example\.com"):
        read_report(ReportOptions(STORE, "other.example.com"))


def on_bare_metal(directory: pathlib.Path) -> str:
    """The state store of a cluster on bare metal that was applied."""
    store = f"file://{directory / 'store'}"
    given = {"name": METAL, "state_store": store, "cloud": "metal", "zones": ["main"], "networking": "flannel"}
    create_cluster(given, check_mode=False)
    update_cluster(UpdateOptions(store, METAL))
    return store


def test_a_cluster_on_bare_metal(tmp_path: pathlib.Path) -> None:
    """By its API alone: no cloud knows its hosts."""
    store = on_bare_metal(tmp_path)
    report = read_report(ReportOptions(store, METAL, api_server=UNREACHABLE))
    assert set(why(report)) == {"health", "nodes"}
    assert "127.0.0.1" in why(report)["health"]
    assert report.plan
    assert report.plan.changes == []

    found = ClusterStore.open(store, METAL).keysets.find(KUBERNETES_CA)
    assert found
    with api_server(tmp_path, found.signer(), name=METAL) as fake:
        groups = [group.name for group in report.groups]
        add_node(fake, "worker1", groups[1])
        add_node(fake, "lonely", "gone")
        report = read_report(ReportOptions(store, METAL, api_server=fake.url))
        assert fake.writes() == []
    assert why(report) == {}
    assert [(row.instance_group, row.cells[0].nodes) for row in report.topology] == [
        (groups[0], []),
        (groups[1], ["worker1"]),
        ("gone", ["lonely"]),
    ]
    assert report.zones == [""]


def test_hosts_of_an_inventory_that_are_no_nodes(tmp_path: pathlib.Path) -> None:
    store = on_bare_metal(tmp_path)
    groups = [
        group.name for group in read_report(ReportOptions(store, METAL, plan=False, api_server=UNREACHABLE)).groups
    ]
    dead = {"observed": {"unreachable": True, "msg": "timed out"}, "address": "192.0.2.1"}
    hosts = {f"Host{number}": {**dead, "groups": [group]} for number, group in enumerate(groups)}
    report = read_report(ReportOptions(store, METAL, hosts, plan=False, api_server=UNREACHABLE))
    assert set(why(report)) == {"health", "plan"}
    assert [(node.name, node.health) for node in report.nodes or ()] == [("host0", "unknown"), ("host1", "unknown")]
    strange = read_report(ReportOptions(store, METAL, {"host": dead}, plan=False, api_server=UNREACHABLE))
    assert "host" in why(strange)["hosts"]
    assert strange.nodes is None

    found = ClusterStore.open(store, METAL).keysets.find(KUBERNETES_CA)
    assert found
    with api_server(tmp_path, found.signer(), name=METAL) as fake:
        add_node(fake, "host0", groups[0])
        report = read_report(ReportOptions(store, METAL, hosts, plan=False, api_server=fake.url))
    assert {node.name: node.health for node in report.nodes or ()} == {"host0": "healthy", "host1": "missing"}
    assert ["host1"] in [each.names for each in report.problems if each.kind == "Machine"]


@pytest.mark.long
def test_the_playbook(cluster: Account, api: FakeKubernetes, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    file = out / f"{NAME}.html"
    given = json.dumps({"kops_report_path": str(out), "kops_api_server": api.url, "kops_report_plan": ""})
    command = ("ansible-playbook", "kubeops.kops.cluster_report", "-e", given)
    with cluster.server.recorded() as calls:
        shown = run_ansible(*command, "--check")
        assert "changed=1 " in shown
        assert not file.exists()
        shown = run_ansible(*command)
        assert "changed=1 " in shown
        first = file.read_text()
        for options in ((), ("--check",)):
            assert "changed=0 " in run_ansible(*command, *options)
    assert file.read_text() == first
    assert cluster.writes(calls) == []
    assert api.writes() == []
    assert str(file) in shown
    assert f"{NAME}: " in shown
    assert instances(cluster)[WORKERS] in first
    assert dumps.leaks({"page": first.encode(), "shown": shown.encode()}, dumps.secrets_of(STORE, NAME)) == []

    del api.objects[f"/api/v1/nodes/{instances(cluster)[WORKERS]}"]
    shown = run_ansible(*command)
    assert "changed=1 " in shown
    assert "has not joined the cluster yet" in shown
    assert "has not joined the cluster yet" in file.read_text()


def test_what_the_playbook_does_not_write(cluster: Account, tmp_path: pathlib.Path) -> None:
    other = tmp_path / "letter.html"
    other.write_text("<p>Dear Sir")
    given = json.dumps({"kops_report_path": str(other), "kops_api_server": UNREACHABLE, "kops_report_plan": "false"})
    shown = run_ansible("ansible-playbook", "kubeops.kops.cluster_report", "-e", given, expect=2)
    assert "is there, and is no report" in shown
    assert other.read_text() == "<p>Dear Sir"


def test_a_cluster_that_was_never_applied(account: Account) -> None:
    """The last one, as it has the account for itself."""
    account.create(zones=["us-east-1a"])
    report = read("")
    assert why(report) == {"health": f"cluster {NAME} has no CA yet; run update_cluster first"}
    assert report.nodes == []
    (problem,) = (each for each in report.problems if each.kind == "Specification")
    assert problem.message.startswith("was never applied; an update would create ")


# -- in a browser ----------------------------------------------------------------------------------------------------

# It says how wide a page is that has this width, and what is wider than that.
FRAME = """<!doctype html><body><iframe src="{page}" style="width:{width}px;height:800px;border:0"></iframe><script>
const frame = document.querySelector("iframe");
frame.onload = () => {{
  const page = frame.contentDocument, all = [...page.querySelectorAll("main *, header *")];
  const wide = all.filter(each => each.getBoundingClientRect().right > {width} + 1 && !each.closest(".wide, .hidden"));
  const hidden = all.filter(each => each.matches("td") && each.textContent.trim() && !each.offsetHeight);
  const outside = [...page.querySelectorAll("td .node")].filter(
    each => each.getBoundingClientRect().right > each.closest("td").getBoundingClientRect().right + 1);
  const found = {{
    outside: outside.length, width: page.documentElement.scrollWidth,
    wide: wide.map(each => each.outerHTML.slice(0, 99)),
    hidden: hidden.filter(each => !each.closest("details")).length
  }};
  document.body.innerText = "found " + JSON.stringify(found) + " end";
}}</script>"""


@needs_browser
@pytest.mark.parametrize("kind", ["ailing", "large", "hostile"])
@pytest.mark.parametrize("width", [390, 800, 1280])
def test_a_page_fits_its_window(kind: str, width: int, tmp_path: pathlib.Path) -> None:
    made = {
        "ailing": reports.ailing,
        "large": lambda: reports.healthy(200),
        "hostile": lambda: reports.hostile("<script>console.error('broken')</script>" + "x" * 300),
    }[kind]
    (tmp_path / "page.html").write_text(page.render(made(), reports.GENERATED))
    (tmp_path / "frame.html").write_text(FRAME.format(page="page.html", width=width))
    done = browse(
        tmp_path,
        f"--window-size={width + 40},900",
        "--virtual-time-budget=3000",
        "--dump-dom",
        str(tmp_path / "frame.html"),
    )
    said = found(done)
    assert said["wide"] == []
    assert said["outside"] == 0
    assert said["width"] <= width
    assert said["hidden"] == 0
    assert [line for line in done.stderr.splitlines() if "CONSOLE" in line] == []


@needs_browser
def test_a_page_on_paper(tmp_path: pathlib.Path) -> None:
    """Also what is folded on a screen is printed."""
    (tmp_path / "page.html").write_text(page.render(reports.healthy(200), reports.GENERATED))
    browse(tmp_path, "--print-to-pdf=page.pdf", "--no-pdf-header-footer", str(tmp_path / "page.html"))
    pages = len(re.findall(rb"/Type\s*/Page\b", (tmp_path / "page.pdf").read_bytes()))
    assert 6 <= pages <= 14
