# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Descriptions of variables, which may stand in the documentation of a module."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.descriptions import (
    all_of,
    default_text,
    described,
    either,
    kind_text,
    markdown,
    plain,
)


def test_a_module_says_what_a_variable_is() -> None:
    options = described("create_cluster").options
    said = "Machine image of control-plane nodes, before O(image)"
    assert options["kops_control_plane_image"]["description"] == said
    assert options["kops_channel"]["default"] == "stable"
    # What the spec says itself counts.
    assert options["kops_cloud"]["description"].startswith("The cloud that the cluster runs in; metal is")


def test_marks_of_modules() -> None:
    text = "V(public) with O(dns_zone), by O(name); see M(kubeops.kops.cluster) and C(<path>|b) * <x>"
    assert plain(text) == (
        "public with kops_dns_zone, by kops_cluster_name; see kubeops.kops.cluster and <path>|b * <x>"
    )
    assert markdown(text) == (
        r"`public` with `kops_dns_zone`, by `kops_cluster_name`; see `kubeops.kops.cluster` and `<path>\|b` \* &lt;x>"
    )


def test_names_without_marks() -> None:
    assert (
        markdown("else KOPS_STATE_STORE, as by kubeops.kops.get") == "else `KOPS_STATE_STORE`, as by `kubeops.kops.get`"
    )


@pytest.mark.parametrize(
    ("option", "kind", "default"),
    [
        ({"type": "str"}, "", ""),
        ({"type": "bool", "default": False}, "true or false", "false"),
        ({"type": "list", "elements": "str", "default": ["a", "b"]}, "list", "a, b"),
        ({"type": "list", "elements": "str", "choices": ["a", "b"]}, "list of a or b", ""),
        ({"type": "str", "choices": ["a", "b", "c"], "default": "b"}, "a, b or c", "b"),
        ({"type": "int", "default": 0}, "number", "0"),
        ({"type": "dict"}, "mapping", ""),
    ],
)
def test_values(option: dict[str, object], kind: str, default: str) -> None:
    assert (kind_text(option), default_text(option)) == (kind, default)


def test_names_in_a_sentence() -> None:
    assert (either(["a"]), either(["a", "b"]), all_of(["a", "b", "c"])) == ("a", "a or b", "a, b and c")
