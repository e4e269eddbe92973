# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine in a directory, a server of files, and a node config that has something of everything."""

from __future__ import annotations

import base64
import copy
import pathlib
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.report import Report
from ansible_collections.kubeops.kops.plugins.module_utils.node.converge import Options, converge, remove_node
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.fetch import RetryPolicy
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.assets import FAST, Assets, serve
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.fake_host import FakeHost
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.full_config import HEAD


class Node:
    """A machine and its converger."""

    def __init__(self, root: pathlib.Path, distribution: str = "debian-12") -> None:
        self.root = root
        self.host = FakeHost.make(root, distribution)
        self.secrets: dict[str, bytes] = {}
        self.facts: dict[str, str] = {}
        self.remote_tmp = "~/.ansible/tmp"
        self.defer = False

    def options(self, check: bool = False) -> Options:
        retry = RetryPolicy(**FAST)
        return Options(
            check=check,
            root=str(self.root),
            host=self.host,
            lock_wait=0.2,
            retry=retry,
            defer=self.defer,
            remote_tmp=self.remote_tmp,
        )

    def converge(self, check: bool = False, **parts: Any) -> Report:
        """Converge to a config of these parts."""
        return self.converge_to({**copy.deepcopy(HEAD), **parts}, check=check)

    def converge_to(self, config: Any, check: bool = False) -> Report:
        secrets = {name: base64.b64encode(value).decode() for name, value in self.secrets.items()}
        return converge(config, secrets, self.facts, self.options(check))

    def remove_node(self, check: bool = False) -> Report:
        return remove_node(self.options(check))

    def file(self, path: str) -> pathlib.Path:
        return self.root / path.lstrip("/")

    def tree(self) -> dict[str, Any]:
        """Everything below the root: content and permissions by path."""
        tree: dict[str, Any] = {}
        for path in sorted(self.root.rglob("*")):
            name = path.relative_to(self.root).as_posix()
            if path.is_symlink():
                tree[name] = ("link", str(path.readlink()))
            elif path.is_dir():
                tree[name] = ("directory", oct(path.stat().st_mode))
            else:
                tree[name] = (path.read_bytes(), oct(path.stat().st_mode), path.stat().st_mtime_ns)
        return tree


def changed(report: Report) -> list[str]:
    """The labels of what changed."""
    return [step.item for step in report.steps if step.changed]


@pytest.fixture
def node(tmp_path: pathlib.Path) -> Node:
    return Node(tmp_path / "root")


@pytest.fixture
def assets() -> Iterator[Assets]:
    with serve() as served:
        yield served
