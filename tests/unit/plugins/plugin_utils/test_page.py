# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a report: what it says, that nothing in it can do harm, and when its file changes."""

from __future__ import annotations

import copy
import html
import pathlib
import re
import stat
from collections.abc import Callable
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.report.facts import NOT_ASKED
from ansible_collections.kubeops.kops.plugins.plugin_utils import page
from ansible_collections.kubeops.kops.tests.support import reports
from ansible_collections.kubeops.kops.tests.support.reports import GENERATED, NOW

KINDS: dict[str, Callable[[], dict[str, Any]]] = {
    "ailing": reports.ailing,
    "healthy": reports.healthy,
    "200 workers": lambda: reports.healthy(200),
    "unreachable": reports.unreachable,
    "empty": reports.empty,
    "hostile": lambda: reports.hostile("<b x='1\">&amp;{{ 7 * 7 }}{% raw %}"),
}
# Elements that need no end.
VOID = {"meta", "link", "br", "hr", "img", "input"}


class Reader(HTMLParser):
    """Elements of a page, which must be nested well; and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text.append(data)

    def said(self) -> str:
        return " ".join(" ".join(self.text).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_needs_nothing_and_is_well_made(kind: str) -> None:
    text = page.render(KINDS[kind](), GENERATED)
    read = Reader(text)
    assert text.startswith("<!doctype html>")
    for tag in ("script", "img", "iframe", "object", "form"):
        assert read.all(tag) == []
    assert [each["href"] for each in read.all("link")] == ["data:,"]
    assert not re.search(r"@import|url\(", text)
    assert {each["href"][0] for each in read.all("a") if each["href"]} == {"#"}
    ids = [attributes["id"] for _tag, attributes in read.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {each["href"] for each in read.all("a")} <= {f"#{name}" for name in ids}
    assert {attributes["aria-labelledby"] for attributes in read.all("section")} <= set(ids)
    assert len(read.all("h1")) == len(read.all("main")) == 1
    assert all(each.get("scope") in ("row", "col") for each in read.all("th"))
    # On a phone, cells have the titles of their columns beside them.
    assert all(each.get("data-label") for each in read.all("td"))
    assert len(text) < 300_000


def test_texts_of_others_stay_texts() -> None:
    text = "<script>alert('1')</script>\"&{{ 7 * 7 }}"
    written = page.render(reports.hostile(text), GENERATED)
    assert "<script" not in written
    assert html.escape(text).replace("&#x27;", "&#39;").replace("&quot;", "&#34;") in written
    assert Reader(written).said().count(text) > 20


def test_health_is_first_with_what_to_do() -> None:
    read = Reader(page.render(reports.ailing(), GENERATED))
    said = read.said()
    assert "✕ 3 errors, 10 warnings" in said
    assert said.index("is not ready") < said.index("expires on 2026-07-01") < said.index("Topology ✓")
    assert "ansible-playbook kubeops.kops.repair --check" in said
    assert said.index("metrics-server.addons.k8s.io was applied, and") < said.index("Topology ✓")
    assert "8 of 10 3 to be updated" in said
    assert "in 53 d kubernetes-ca" in said
    assert "1 d ago etcd events" in said
    assert "5 objects 118 unchanged" in said
    assert "LaunchTemplate ~ change nodes.demo.example.com instance_type, user_data" in said


def test_what_is_not_known_is_said() -> None:
    said = Reader(page.render(reports.unreachable(), GENERATED)).said()
    assert "? Health is not known" in said
    assert "Not known Health: the API of cluster demo.example.com cannot be reached" in said
    assert "No problems" not in said
    assert "Nodes are not known; these are the instance groups of the specification." in said
    assert Reader(page.render(reports.healthy(), GENERATED)).said().count("✓ No problems") == 1


def test_only_what_was_asked_is_healthy() -> None:
    """Instances whose nodes were never seen are not green, and neither is a part that could not be read."""
    report = reports.healthy()
    nodes = report["nodes"]
    for node in nodes:
        node["health"] = "unknown"
    read = Reader(page.render(report, GENERATED))
    assert "Healthy nodes not known none known to be updated" in read.said()
    assert "health not known" in read.said()
    assert " of " + str(len(nodes)) not in read.said()
    assert [each["class"] for each in read.all("li") if "node " in (each.get("class") or "")] == [
        "node unknown unknown"
    ] * len(nodes)
    nodes[0]["health"] = "healthy"
    assert (
        f"Healthy nodes 1 of {len(nodes)}, {len(nodes) - 1} not known" in Reader(page.render(report, GENERATED)).said()
    )

    for what in ("nodes", "backups", "plan", "hosts"):
        report = {**reports.healthy(), "unread": [{"what": what, "why": "the store does not answer"}]}
        assert page._verdict(report) == ("unknown", "No problems in what could be read")
        report["unread"][0]["why"] = NOT_ASKED
        assert page._verdict(report) == ("good", "No problems")


def test_versions_that_nobody_could_recommend() -> None:
    report = reports.healthy()
    report["cluster"].update(recommended="", advised=False)
    assert "not known whether a newer one is recommended" in Reader(page.render(report, GENERATED)).said()


def test_ages_are_those_of_the_moment() -> None:
    ages = {
        "2026-05-08T11:59:40Z": "0 min ago",
        "2026-05-08T10:30:00Z": "1 h ago",
        "2026-05-01T12:00:00+00:00": "7 d ago",
        "2035-11-01T09:31:00Z": "in 9 y",
        "": "",
        "soon": "",
    }
    assert {text: page._age(text, now=NOW) for text in ages} == ages
    assert [page._size(count) for count in (0, 1023, 4_312_000, 81_200_000)] == ["0 B", "1023 B", "4.1 MiB", "77 MiB"]


def test_a_page_that_says_the_same_stays_as_it_is(tmp_path: pathlib.Path) -> None:
    file, report = tmp_path / "report.html", reports.ailing()
    assert page.place(str(file), report, NOW, check=True)
    assert not file.exists()
    assert page.place(str(file), report, NOW, check=False)
    first = file.read_text()
    assert first == page.render(report, GENERATED)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    later = NOW + timedelta(days=3)
    assert not page.place(str(file), report, later, check=True)
    assert not page.place(str(file), report, later, check=False)
    assert file.read_text() == first

    other = copy.deepcopy(report)
    other["backups"][0]["last"] = "2026-05-11T11:50:00Z"
    file.chmod(0o644)
    assert page.place(str(file), other, later, check=True)
    assert file.read_text() == first
    assert page.place(str(file), other, later, check=False)
    assert "2026-05-11 12:00 UTC" in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    assert list(tmp_path.iterdir()) == [file]


def test_files_that_are_not_written(tmp_path: pathlib.Path) -> None:
    letter = tmp_path / "letter.html"
    letter.write_text("<p>Dear Sir")
    for check in (True, False):
        with pytest.raises(KopsError, match="is there, and is no report"):
            page.place(str(letter), reports.healthy(), NOW, check=check)
        with pytest.raises(KopsError, match=f"there is no directory {tmp_path}/no; make it first"):
            page.place(str(tmp_path / "no" / "a.html"), reports.healthy(), NOW, check=check)
    assert letter.read_text() == "<p>Dear Sir"


def test_a_link_stays_one(tmp_path: pathlib.Path) -> None:
    target, link = tmp_path / "target.html", tmp_path / "link.html"
    target.touch()
    link.symlink_to(target)
    assert page.place(str(link), reports.healthy(), NOW, check=False)
    assert link.is_symlink()
    assert target.read_text() == page.render(reports.healthy(), GENERATED)


PAIRS = [("text", "page"), ("text", "card"), ("soft", "page"), ("soft", "card"), ("accent", "page"), ("accent", "card")]
PAIRS += [(tone, f"{tone}-bg") for tone in ("good", "warning", "error", "notice", "unknown")]


def test_everybody_can_read_the_colours() -> None:
    """4.5 is what WCAG asks for (AA)."""
    style = (pathlib.Path(page.__file__).parent / "report" / "page.css").read_text()
    themes = [dict(re.findall(r"--([\w-]+): (#\w+);", block)) for block in re.findall(r":root \{(.*?)\}", style, re.S)]
    assert len(themes) == 3
    for theme in themes:
        for front, back in PAIRS:
            lighter, darker = sorted((luminance(theme[front]), luminance(theme[back])), reverse=True)
            assert (lighter + 0.05) / (darker + 0.05) >= 4.5, (front, back)


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
