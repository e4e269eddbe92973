# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Octavia's versions say of listeners, in the form in which the library gives them."""

from __future__ import annotations

import types
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.account import Account


def restrict(*versions: str | None) -> bool:
    said = {"RegionOne": {"public": {"load-balancer": [{"version": each} for each in versions]}}}
    octavia = types.SimpleNamespace(get_all_version_data=lambda: said)
    cloud: Any = types.SimpleNamespace(service={"load_balancer": octavia}.get)
    cloud.once = lambda function: function(cloud)
    return Account.of(cloud).listeners_restrict


@pytest.mark.parametrize(
    ("versions", "expected"),
    [(["2.0", "2.11"], False), (["2.0", "2.12"], True), (["2.9", "2.26"], True), ([None, "2.26"], True)],
)
def test_listeners_restrict_since_a_version(versions: list[str | None], expected: bool) -> None:
    assert restrict(*versions) is expected


@pytest.mark.parametrize("versions", [[], [None]])
def test_an_octavia_that_names_no_version_is_not_guessed_at(versions: list[None]) -> None:
    with pytest.raises(KopsError, match="asking Octavia for its versions: it names none, or did not answer"):
        restrict(*versions)
