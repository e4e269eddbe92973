# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Templates of servers in the state store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools.template import (
    StoredTemplate,
    read_template,
    stored_templates,
    user_data_of_mark,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.reads import Reads


@dataclass(eq=False, repr=False)
class Template(StoredTemplate[Reads]):
    """The smallest template of a cloud."""

    size: str | None = None

    words: ClassVar[Mapping[str, str]] = {"size": "another size"}

    def stored(self) -> dict[str, Any]:
        return {"size": self.size}

    @classmethod
    def fields_of(cls, found: Mapping[str, Any]) -> dict[str, Any]:
        return {"size": found["size"]}

    def parts(self, number: int) -> dict[str, Any]:
        return {"size": self.size, "place": number % 2}


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"memfs://{tmp_path.name}/demo.example.com"


def template(store: str, size: str = "small", user_data: str = "#!/bin/bash\n") -> Template:
    location = "igconfig/node/nodes/server-template.json"
    return Template("nodes", base=store, location=location, size=size, user_data=user_data)


def found(wanted: Template) -> StoredTemplate[Reads] | None:
    cloud = Reads()
    wanted.prepare(cloud)
    return wanted.find(cloud)


def test_it_is_found_as_it_was_written(store: str) -> None:
    wanted = template(store)
    assert found(wanted) is None
    wanted.create(Reads())
    again = found(template(store))
    assert isinstance(again, Template)
    assert (again.size, again.user_data, again.name) == ("small", "#!/bin/bash\n", "nodes")
    assert stored_templates(Template, store)["nodes"].mark(3) == wanted.mark(3)


def test_nothing_is_known_without_a_store() -> None:
    assert stored_templates(Template, "") == {}


def test_what_cannot_be_read_is_refused_and_written_anew(store: str) -> None:
    wanted = template(store)
    for document in (b"{", b"[]", b"{}", b'{"group": "nodes", "userData": ""}'):
        with pytest.raises(KopsError, match="update_cluster writes it anew"):
            read_template(Template, store, wanted.location, document)


def test_a_server_says_in_what_it_is_outdated(store: str) -> None:
    before, after = template(store), template(store, size="large")
    for each in (before, after):
        each.create(Reads())
    assert after.why_outdated(1, after.mark(1)) == ""
    assert after.why_outdated(1, before.mark(1)) == "new servers of its group have another size"
    assert after.why_outdated(2, after.mark(1)) == "new servers of its group have another place"
    told = template(store, size="large", user_data="#!/bin/sh\n")
    assert told.why_outdated(1, after.mark(1)) == "new servers of its group have other user data"
    assert told.consequence(before, {}).endswith("only when they are replaced: another size, other user data")


def test_user_data_of_servers_before_is_kept(store: str) -> None:
    before, after = template(store), template(store, user_data="#!/bin/sh\n")
    for each in (before, after):
        each.create(Reads())
    assert user_data_of_mark(store, before.location, before.mark(1)) == "#!/bin/bash\n"
    assert user_data_of_mark(store, before.location, template(store, user_data="").mark(1)) == ""
    assert user_data_of_mark(store, before.location, template(store, user_data="lost").mark(1)) == ""
