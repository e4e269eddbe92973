# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The order in which kinds of objects of different parts of AWS go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.resources import discovery
from ansible_collections.kubeops.kops.plugins.module_utils.engine.resource import Resource


def test_records_go_after_those_who_would_write_them_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(*keys: tuple[str, str]) -> Any:
        def kind(_cloud: Any) -> Iterator[Resource]:
            return (Resource(kind, name, lambda: None) for kind, name in keys)

        return kind

    compute = found(("instance", "i-1"), ("autoscaling-group", "nodes"), ("launch-template", "lt-1"))
    monkeypatch.setattr(discovery, "KINDS", (compute, found(("record in /hostedzone/Z1", "Z1/A/api"))))
    nothing: Any = None
    resources = discovery.discover(nothing)
    record = resources["record in /hostedzone/Z1:Z1/A/api"]
    assert {each.key for each in record.dependencies()} == {"instance:i-1", "autoscaling-group:nodes"}
    assert not list(resources["instance:i-1"].dependencies())
