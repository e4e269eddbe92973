# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels are read, and one entry of each name is chosen, as kops does (channels/pkg/channels/addons_test.go)."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.channels.document import (
    Entry,
    chosen,
    entries_of,
    parse_channel,
    resolve,
)
from ansible_collections.kubeops.kops.plugins.module_utils.api.versions import Version
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError

URL = "https://example.com/addons/addon.yaml"


def entries(text: str, url: str = URL) -> list[Entry]:
    return entries_of(parse_channel(url, text.encode()))


def channel(*addons: str) -> str:
    lines = "".join(f"  - {addon}\n" for addon in addons)
    return f"kind: Addons\nmetadata:\n  name: example\nspec:\n  addons:\n{lines}"


def chosen_manifests(version: str, *addons: str) -> list[str]:
    return [entry.manifest.rpartition("/")[2] for entry in chosen(entries(channel(*addons)), Version.parse(version))]


def test_an_entry_with_everything() -> None:
    text = """
kind: Addons
metadata: {name: example}
spec:
  addons:
  - name: one.example.com
    version: 1.2.3
    id: k8s-1.16
    selector: {k8s-addon: one.example.com}
    kubernetesVersion: ">=1.30.0 <1.40.0"
    manifest: one/v1.yaml
    manifestHash: abc123
    needsRollingUpdate: workers
    needsPKI: true
    prune:
      kinds:
      - {group: apps, kind: Deployment, namespaces: [one], labelSelector: "app=one", fieldSelector: "a=b"}
      - {kind: ConfigMap}
  - manifest: https://other.example.com/two.yaml
---
kind: Addons
metadata: {name: does-not-count}
spec: {addons: [{}]}
"""
    one, two = entries(text)
    assert (one.name, one.id, one.manifest_hash, one.needs_rolling_update, one.needs_pki) == (
        "one.example.com",
        "k8s-1.16",
        "abc123",
        "workers",
        True,
    )
    assert (one.channel, one.manifest) == (URL, "https://example.com/addons/one/v1.yaml")
    assert one.versions is not None and Version.parse("1.34.0") in one.versions
    assert one.prune == {
        "kinds": [
            {
                "group": "apps",
                "kind": "Deployment",
                "namespaces": ["one"],
                "labelSelector": "app=one",
                "fieldSelector": "a=b",
            },
            {"kind": "ConfigMap"},
        ]
    }
    assert two == Entry("example", URL, "https://other.example.com/two.yaml"), "the channel's name is the default"


def test_a_manifest_in_the_place_of_a_channel() -> None:
    """Its name is the one that kops gives it, so that both know it as the same addon."""
    url = "https://example.com/addons/direct.yaml"
    (entry,) = entries("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", url)
    # printf %s https://example.com/addons/direct.yaml | sha256sum
    assert entry.name == "manifest-e74dfe15f69f"
    assert entry.manifest == ""


@pytest.mark.parametrize(
    ("url", "manifest", "expected"),
    [
        (URL, "a/b.yaml", "https://example.com/addons/a/b.yaml"),
        (URL, "../b.yaml", "https://example.com/b.yaml"),
        (URL, "/b.yaml", "https://example.com/b.yaml"),
        (f"{URL}?token=1", "b.yaml", "https://example.com/addons/b.yaml"),
        ("s3://bucket/x/addon.yaml", "b.yaml", "s3://bucket/x/b.yaml"),
        ("gs://bucket/addon.yaml", "a/b.yaml", "gs://bucket/a/b.yaml"),
        ("file:///srv/addon.yaml", "a/b.yaml", "file:///srv/a/b.yaml"),
        (URL, "s3://bucket/b.yaml", "s3://bucket/b.yaml"),
    ],
)
def test_the_place_of_a_manifest(url: str, manifest: str, expected: str) -> None:
    assert resolve(url, manifest) == expected


@pytest.mark.parametrize(
    ("version", "expected"),
    [("1.31.4", ["old.yaml"]), ("1.32.0", ["new.yaml"]), ("1.32.0-beta.1", ["new.yaml"]), ("1.40.0", [])],
)
def test_the_range_of_versions_chooses(version: str, expected: list[str]) -> None:
    old = '{name: a, manifest: old.yaml, kubernetesVersion: "<1.32.0", id: old}'
    new = '{name: a, manifest: new.yaml, kubernetesVersion: ">=1.32.0 <1.40.0", id: new}'
    assert chosen_manifests(version, old, new) == expected
    assert chosen_manifests(version, new, old) == expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("id: a", "id: b", "second.yaml"),
        ("id: b", "id: a", "second.yaml"),
        ("id: a, manifestHash: v1", "id: a, manifestHash: v2", "second.yaml"),
        ("id: a, manifestHash: v1", "id: a, manifestHash: v1", "first.yaml"),
        ("version: 2.0.0", "version: 1.0.0", "first.yaml"),
        ("version: 1.0.0", "version: 2.0.0", "first.yaml"),
    ],
)
def test_an_entry_replaces_one_of_its_name(first: str, second: str, expected: str) -> None:
    addons = [f"{{name: a, manifest: first.yaml, {first}}}", f"{{name: a, manifest: second.yaml, {second}}}"]
    assert chosen_manifests("1.34.0", *addons, "{name: b, manifest: b.yaml}") == [expected, "b.yaml"]


def problems(text: str, url: str = URL) -> list[str]:
    with pytest.raises(KopsError) as caught:
        parse_channel(url, text.encode())
    return str(caught.value).splitlines()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty"),
        ("# nothing\n", "is empty"),
        ("<html>", "an HTML page instead of YAML"),
        ("a: [", "this is not YAML"),
        ("Moved.", "is no Kubernetes object"),
        ("kind: Channel\nspec: {}\n", "needs apiVersion and kind"),
        ("apiVersion: v1\nkind: ConfigMap\n", "ConfigMap: needs metadata.name"),
        ("apiVersion: v1\nkind: List\nitems: []\n", "contains no Kubernetes object"),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: [b]}\n", "metadata.labels must be a mapping"),
        (
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\n",
            "needs spec.group",
        ),
        ("kind: Addons\nspec: []\n", "spec: must be a mapping"),
        ("kind: Addons\nspec: {addons: {}}\n", "spec.addons: must be a list"),
    ],
)
def test_what_is_no_channel(text: str, reason: str) -> None:
    (problem,) = problems(text)
    assert URL in problem
    assert reason in problem


def test_all_that_is_wrong_with_entries_is_told() -> None:
    found = problems(
        channel(
            "{name: a}",
            "{name: ../../etc, manifest: a.yaml}",
            "{name: a, manifest: 1}",
            "{name: a, manifest: a.yaml, kubernetesVersion: soon}",
            "{name: a, manifest: a.yaml, needsRollingUpdate: master}",
            "{name: a, manifest: a.yaml, needsPKI: maybe}",
            "{name: a, manifest: a.yaml, prune: {kinds: [{group: apps}, x]}}",
            "nothing",
            "{name: a, manifest: file:///etc/kubernetes/admin.conf}",
            "{name: a, manifest: 's3://bucket/a.yaml'}",
        )
    )
    assert [line.removeprefix(f"{URL}: spec.addons") for line in found] == [
        "[0].manifest: must say where the addon's objects are",
        "[1].name: '../../etc' is no name; letters, digits, '-', '_' and '.' are, 63 at most",
        "[2].manifest: must be text",
        "[2].manifest: must say where the addon's objects are",
        "[3].kubernetesVersion: 'soon' is not a version; write for example 1.34.0 or 1.34.0-beta.1",
        "[4].needsRollingUpdate: must be one of control-plane, workers, all, not 'master'",
        "[5].needsPKI: must be true or false",
        "[6].prune.kinds[0].kind: is missing",
        "[6].prune.kinds[1]: must be a mapping",
        "[7]: must be a mapping",
        "[8].manifest: file:///etc/kubernetes/admin.conf must be of one of these: http, https",
        "[9].manifest: s3://bucket/a.yaml must be of one of these: http, https",
    ]
