# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The CIS Kubernetes Benchmark on hosts of the lab: each item of cis.yml with its result."""

from __future__ import annotations

import functools
import json
import pathlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml
from ansible_collections.kubeops.kops.tests.lab import hosts, running

TABLE = pathlib.Path(__file__).with_suffix(".yml")
_FACTS = pathlib.Path(__file__).with_name("cis_facts.py")
PASS, FAIL, MANUAL = "PASS", "FAIL", "MANUAL"
# Kinds of checks, with the keys that belong to them.
_KINDS = {
    "files": {"mode", "owner"},
    **dict.fromkeys(
        ("flag", "kubelet", "setting", "encryption", "refused", "forbidden", "admins", "absent", "manual"), set()
    ),
}
_WORDS = {"default", "is", "has", "at_least", "among", "given", "not_is", "not_has", "not_given", "other_than"}
# What belongs to each kind that looks at a value, beside the words.
_VALUES = {"flag": {"of", "name"}, "kubelet": {"field"}, "setting": {"file", "field"}}
_PLACES = ("control-plane", "node", "cluster")
_NOBODY = ("--as=nobody", "--as-group=system:authenticated")


@dataclass(frozen=True)
class Item:
    """An item of the benchmark. given: its check, as cis.yml has it. known: why it fails on a hardened cluster."""

    number: str
    about: str
    where: str
    kind: str
    given: Any
    more: Mapping[str, Any] = field(default_factory=dict)
    known: str = ""


@dataclass(frozen=True)
class Result:
    """How an item has come out. why: of a failure, with hosts; of MANUAL, what a person has to do."""

    item: Item
    status: str
    why: str = ""

    def __str__(self) -> str:
        known = f" (known: {self.item.known})" if self.status == FAIL and self.item.known else ""
        why = f": {self.why}" if self.why else ""
        return f"{self.item.number:<7} {self.status:<7} {self.item.about}{why}{known}"


@dataclass(frozen=True)
class Machine:
    """What is known of a host. programs, files: of cis_facts.py. kubelet: the configuration that it runs with.

    text: the content of a file of the host.
    """

    name: str
    programs: Mapping[str, Sequence[Mapping[str, str]]]
    files: Mapping[str, Sequence[Sequence[str]]]
    kubelet: Mapping[str, Any]
    text: Callable[[str], str]

    @property
    def is_control_plane(self) -> bool:
        """Whether an API server runs here."""
        return bool(self.programs["kube-apiserver"])


def items(table: Sequence[Mapping[str, Any]] = ()) -> list[Item]:
    """The items of a table, those of cis.yml if none are given. Raises ValueError for what is no item."""
    return [_item(entry) for entry in table or yaml.safe_load(TABLE.read_text())]


def _item(entry: Mapping[str, Any]) -> Item:
    kinds = sorted(entry.keys() & _KINDS.keys())
    number = str(entry.get("number"))
    if len(kinds) != 1 or entry.get("where") not in _PLACES or "about" not in entry:
        raise ValueError(f"item {number} needs about, where ({', '.join(_PLACES)}) and one kind of check, not {kinds}")
    kind = kinds[0]
    unknown = entry.keys() - {"number", "about", "where", "known", kind} - _KINDS[kind]
    given = entry[kind]
    if kind in _VALUES:
        unknown |= given.keys() - _VALUES[kind] - _WORDS
        if not given.keys() & (_WORDS - {"default"}):
            raise ValueError(f"item {number} does not say what the value has to be")
    if unknown:
        raise ValueError(f"item {number} has unknown keys: {', '.join(sorted(unknown))}")
    more = {key: entry[key] for key in _KINDS[kind] if key in entry}
    if kind == "files" and len(more) != 1:
        raise ValueError(f"item {number} needs mode or owner")
    return Item(number, entry["about"], entry["where"], kind, given, more, entry.get("known", ""))


def machines(names: Sequence[str], table: Sequence[Item]) -> list[Machine]:
    """The hosts among these that are nodes, those of the control plane first. Raises RuntimeError if there are none."""
    patterns = sorted({pattern for item in table for pattern in _patterns(item)})
    script = _FACTS.read_text()
    told = {name: json.loads(hosts.within(name, "python3", "-", *patterns, stdin=script)) for name in names}
    nodes = {name: facts for name, facts in told.items() if facts["programs"]["kubelet"]}
    first = next((name for name, facts in nodes.items() if facts["programs"]["kube-apiserver"]), None)
    if first is None:
        raise RuntimeError(f"there is no control plane on {', '.join(names) or 'any host'}")
    found = []
    for name, facts in nodes.items():
        path = f"/api/v1/nodes/{name}/proxy/configz"
        kubelet = json.loads(running.kubectl("get", "--raw", path, host=first))["kubeletconfig"]
        text = functools.partial(hosts.within, name, "cat")
        found.append(Machine(name, facts["programs"], facts["files"], kubelet, text))
    return sorted(found, key=lambda machine: (not machine.is_control_plane, machine.name))


def _patterns(item: Item) -> list[str]:
    if item.kind == "files":
        return list(item.given)
    return [item.given["file"]] if item.kind == "setting" else []


def results(found: Sequence[Machine], table: Sequence[Item]) -> Iterator[Result]:
    """Each item's result, in the order of the table."""
    kubectl = functools.partial(running.kubectl, host=found[0].name)
    for item in table:
        if item.kind == "manual":
            yield Result(item, MANUAL, item.given)
            continue
        if item.where == "cluster":
            said = list(_IN_CLUSTER[item.kind](item.given, kubectl))
        else:
            on = [machine for machine in found if item.where == "node" or machine.is_control_plane]
            said = [f"{machine.name}: {why}" for machine in on for why in _ON_HOST[item.kind](item, machine)]
        yield Result(item, FAIL if said else PASS, "; ".join(said))


# -- on a host: each gives what is wrong -------------------------------------------------------------------------------


def _files(item: Item, machine: Machine) -> Iterator[str]:
    found = 0
    for pattern in item.given:
        for path, kind, mode, owner in machine.files[pattern]:
            found += 1
            if "owner" in item.more and owner != item.more["owner"]:
                yield f"{path} is of {owner}, not of {item.more['owner']}"
            named = kind == "f" or "*" not in pattern
            if "mode" in item.more and named and int(mode, 8) & ~int(item.more["mode"], 8):
                yield f"{path} has mode {mode}, more than {item.more['mode']}"
    if not found:
        yield f"there is no {' or '.join(item.given)}"


def _flag(item: Item, machine: Machine) -> Iterator[str]:
    given = item.given
    processes = machine.programs[given["of"]]
    if not processes:
        yield f"{given['of']} does not run"
    for options in processes:
        for name in _listed(given["name"]):
            yield from _wrong(name, options.get(name, given.get("default")), name in options, given)
            other = given.get("other_than")
            if other and name in options:
                program, _colon, option = other.partition(":")
                paths = [found[option] for found in machine.programs[program] if option in found]
                if machine.text(options[name]) in map(machine.text, paths):
                    yield f"{name} is the same as {option} of {program}"


def _kubelet(item: Item, machine: Machine) -> Iterator[str]:
    for name in _listed(item.given["field"]):
        value = _at(machine.kubelet, name)
        given = value is not None
        yield from _wrong(name, value if given else item.given.get("default"), given, item.given)


def _setting(item: Item, machine: Machine) -> Iterator[str]:
    paths = [path for path, *_rest in machine.files[item.given["file"]]]
    if not paths:
        yield f"there is no {item.given['file']}"
    for path in paths:
        value = _at(yaml.safe_load(machine.text(path)), item.given["field"])
        given = value is not None
        wanted = value if given else item.given.get("default")
        yield from _wrong(f"{item.given['field']} in {path}", wanted, given, item.given)


def _encryption(item: Item, machine: Machine) -> Iterator[str]:
    for options in machine.programs["kube-apiserver"]:
        path = options.get("--encryption-provider-config")
        content = yaml.safe_load(machine.text(path)) if path else {}
        # Names only: the content is a key.
        first = [
            next(iter(entry["providers"][0]), "")
            for entry in content.get("resources", ())
            if {"secrets", "*.", "*.*"} & set(entry["resources"])
        ]
        if not first:
            yield "Secrets are not encrypted"
        elif first[0] not in item.given:
            yield f"the provider is {first[0]}, not one of {', '.join(item.given)}"


def _at(data: Any, name: str) -> Any:
    for part in name.split("."):
        data = data.get(part) if isinstance(data, Mapping) else None
    return data


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _wrong(name: str, value: Any, is_given: bool, wanted: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with a value, in the words of cis.yml."""
    elements = value if isinstance(value, list) else str("" if value is None else value).split(",")
    shown = f"{name} is {json.dumps(value)}" if is_given else f"{name} is not given"
    if is_given and "has" in wanted:
        shown = f"{name} does not hold {wanted['has']}"
    if (
        ("is" in wanted and value != wanted["is"])
        or ("not_is" in wanted and value == wanted["not_is"])
        or ("has" in wanted and wanted["has"] not in elements)
        or ("not_has" in wanted and wanted["not_has"] in elements)
        or ("at_least" in wanted and (value is None or float(value) < wanted["at_least"]))
        or ("among" in wanted and (not value or not set(elements) <= set(wanted["among"])))
        or ("given" in wanted and not is_given)
        or ("not_given" in wanted and is_given)
    ):
        yield shown


# -- in the cluster ----------------------------------------------------------------------------------------------------


def _refused(fields: Mapping[str, Any], kubectl: Callable[..., str]) -> Iterator[str]:
    spec = {"containers": [{"name": "main", "image": "none"}], **fields}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "cis", "namespace": "default"}, "spec": spec}
    try:
        kubectl("create", "--dry-run=server", "--filename=-", stdin=json.dumps(pod))
    except RuntimeError as error:
        if "violates PodSecurity" not in str(error):
            raise
    else:
        yield f"a pod with {json.dumps(fields)} is admitted"


def _forbidden(rights: Sequence[str], kubectl: Callable[..., str]) -> Iterator[str]:
    for right in rights:
        verb, _space, resource = right.partition(" ")
        kind, _slash, part = resource.partition("/")
        words = ("auth", "can-i", verb, kind, *([f"--subresource={part}"] if part else []), "--all-namespaces")
        answer = kubectl(*words, *_NOBODY, check=False).strip()
        if answer != "no":
            yield f"may everybody {right}? {answer or 'no answer'}"


def _admins(names: Sequence[str], kubectl: Callable[..., str]) -> Iterator[str]:
    bindings = json.loads(kubectl("get", "clusterrolebindings", "--output=json"))["items"]
    found = {each["metadata"]["name"] for each in bindings if each["roleRef"]["name"] == "cluster-admin"}
    for name in sorted(found - set(names)):
        yield f"{name} binds it, too"


def _absent(words: Sequence[str], kubectl: Callable[..., str]) -> Iterator[str]:
    if found := kubectl("get", "--ignore-not-found", "--output=name", *words).strip():
        yield f"there is {found}"


_ON_HOST: dict[str, Callable[[Item, Machine], Iterator[str]]] = {
    "files": _files,
    "flag": _flag,
    "kubelet": _kubelet,
    "setting": _setting,
    "encryption": _encryption,
}
_IN_CLUSTER: dict[str, Callable[[Any, Callable[..., str]], Iterator[str]]] = {
    "refused": _refused,
    "forbidden": _forbidden,
    "admins": _admins,
    "absent": _absent,
}


def show(names: Sequence[str]) -> bool:
    """Check the cluster on these hosts, and print a line for each item. Returns whether all failures are known."""
    table = items()
    found = machines(names, table)
    counts = dict.fromkeys((PASS, FAIL, MANUAL), 0)
    unknown = 0
    for result in results(found, table):
        print(result, flush=True)
        counts[result.status] += 1
        unknown += result.status == FAIL and not result.item.known
    print(
        f"# {', '.join(machine.name for machine in found)}: {counts[PASS]} pass, {counts[FAIL]} fail"
        f" ({counts[FAIL] - unknown} of them known on a hardened cluster), {counts[MANUAL]} need a person"
    )
    return not unknown
