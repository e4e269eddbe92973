# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a report: one HTML file that needs no other one, made from the data of a report by a template.

Templates are here, and not beside the operation: Ansible has Jinja2 on the controller, and ships only Python elsewhere.
"""

from __future__ import annotations

import datetime
import functools
import os
import pathlib
import re
import stat
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import jinja2
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.files import LocalFiles
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.etcd_backups import TIME
from ansible_collections.kubeops.kops.plugins.module_utils.operations.report.facts import NOT_ASKED

_TEMPLATES = pathlib.Path(__file__).parent / "report"
_GENERATED = re.compile(r'<meta name="generated" content="([0-9TZ:-]{20})">')
_MODE = 0o600
_UNITS = (("y", 365 * 86400), ("d", 86400), ("h", 3600), ("min", 60))
# Names of objects in a line of a plan, or of a problem; the number of all is said as well.
_NAMED = 24
# Of so many nodes the topology shows names only, and the table of all of them is folded.
_MANY = 40


def render(report: Mapping[str, Any], generated: str) -> str:
    """The page. generated: when the report was made; ages are counted up to then."""
    now = _parsed(generated)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        age=functools.partial(_age, now=now), moment=_moment, size=_size, some=_some, share=_share
    )
    nodes = {node["name"]: node for node in report["nodes"] or ()}
    page = environment.get_template("page.html.j2")
    return page.render(
        report=report,
        generated=generated,
        style=(_TEMPLATES / "page.css").read_text(encoding="utf-8"),
        verdict=_verdict(report),
        by_name=nodes,
        changes=_together(report["plan"]["changes"] if report["plan"] else (), ("action", "kind", "fields", "reason")),
        drifted=_together(
            [each for each in report["drift"]["found"] if not each["told"]] if report["drift"] else (),
            ("where", "what", "kind", "fields", "reason", "mend"),
        ),
        counted={
            name: _counts(_members(nodes.values(), name)) for name in (group["name"] for group in report["groups"])
        },
        total=_counts(nodes.values()),
        versions=_versions(nodes.values()),
        named=_NAMED,
        many=len(nodes) > _MANY,
    )


def place(path: str, report: Mapping[str, Any], now: datetime.datetime, *, check: bool) -> bool:
    """Make a file the page of a report. Returns whether it was changed, or would be in check mode.

    A page that says the same but for its time stays as it is, with its time. Raises KopsError.
    """
    path = os.path.realpath(path)
    before = _content(path)
    known = _GENERATED.search(before)
    if known and render(report, known[1]) == before:
        return False
    directory = os.path.dirname(path) or "."
    if not os.path.isdir(directory):
        raise KopsError(f"{path} cannot be written: there is no directory {directory}; make it first")
    if not check:
        text = render(report, now.astimezone(datetime.timezone.utc).strftime(TIME))
        # Only its owner can read a new one. Who may read it else, its owner says once.
        mode = stat.S_IMODE(os.stat(path).st_mode) if before else _MODE
        with LocalFiles().writing(path) as stream:
            os.fchmod(stream.fileno(), mode)
            stream.write(text.encode())
    return True


def _content(path: str) -> str:
    """The text of the present file; "" without one. A file that is not one of ours is not overwritten."""
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as stream:
            text = stream.read()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise KopsError(f"{path} cannot be read: {error.strerror}") from error
    if text and not _GENERATED.search(text):
        raise KopsError(f"{path} is there, and is no report; give another path, or move the file away")
    return text


# -- what the template asks for --------------------------------------------------------------------------------------


def _verdict(report: Mapping[str, Any]) -> tuple[str, str]:
    """The worst that there is, and how it is said."""
    counts = {
        severity: sum(each["severity"] == severity for each in report["problems"])
        for severity in ("error", "warning", "notice")
    }
    told = [_plural(count, word) for word, count in counts.items() if count and word != "notice"]
    if told:
        return ("error" if counts["error"] else "warning"), ", ".join(told)
    if any(each["what"] == "health" for each in report["unread"]):
        return "unknown", "Health is not known"
    if any(each["why"] != NOT_ASKED for each in report["unread"]):
        return "unknown", "No problems in what could be read"
    return "good", "No problems"


def _together(changes: Iterable[Mapping[str, Any]], same: Iterable[str]) -> list[dict[str, Any]]:
    """Changes that differ by the names of their objects only, as one with all names. same: what they have in common."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for each in changes:
        key = tuple(tuple(each[name]) if isinstance(each[name], (list, tuple)) else each[name] for name in same)
        found.setdefault(key, {**each, "names": []})["names"].append(each["name"])
    return list(found.values())


def _members(nodes: Iterable[Mapping[str, Any]], group: str) -> list[Mapping[str, Any]]:
    return [node for node in nodes if node["instance_group"] == group]


def _counts(nodes: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    members = list(nodes)
    return {
        "all": len(members),
        "healthy": sum(node["health"] == "healthy" for node in members),
        "unknown": sum(node["health"] == "unknown" for node in members),
        "outdated": sum(bool(node["outdated"]) for node in members),
    }


def _share(count: Mapping[str, int], word: str = "") -> str:
    """Share of healthy nodes; unknown if their health was not asked."""
    if count["all"] and count["unknown"] == count["all"]:
        return "health not known" if word else "not known"
    unknown = f", {count['unknown']} not known" if count["unknown"] else ""
    return f"{count['healthy']} of {count['all']}{word}{unknown}"


def _versions(nodes: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Version of Kubernetes -> how many nodes run it, the newest first."""
    counts = Counter(node["version"] for node in nodes if node["version"])
    return {version: counts[version] for version in sorted(counts, key=_numbers, reverse=True)}


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]


def _parsed(text: str) -> datetime.datetime:
    """A time. Raises ValueError."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def _age(text: str, *, now: datetime.datetime) -> str:
    """How long ago a time is, or when it will be; "" for what is no time."""
    try:
        seconds = (now - _parsed(text)).total_seconds()
    except (TypeError, ValueError):
        return ""
    unit, length = next(((unit, length) for unit, length in _UNITS if abs(seconds) >= length), ("min", 60))
    count = f"{int(abs(seconds) // length)} {unit}"
    return f"in {count}" if seconds < 0 else f"{count} ago"


def _moment(text: str) -> str:
    """A time for people, to the minute and in UTC; as it is if it is none."""
    try:
        return _parsed(text).astimezone(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return text


def _size(count: int) -> str:
    """Bytes, for people."""
    size = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            break
        size /= 1024
    return f"{size:.0f} {unit}" if size >= 10 or unit == "B" else f"{size:.1f} {unit}"


def _some(names: list[str]) -> list[str]:
    """The first of them, as many as are shown."""
    return names[:_NAMED]


def _plural(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"
