# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds for every kind of task."""

from __future__ import annotations

import importlib
import pkgutil

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud import tasks as shared_tasks
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws import tasks as aws_tasks
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce import tasks as gce_tasks
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Task


def kinds() -> list[type[Task]]:
    found = set()
    for package in (shared_tasks, aws_tasks, gce_tasks):
        for entry in pkgutil.iter_modules(package.__path__):
            module = importlib.import_module(f"{package.__name__}.{entry.name}")
            found |= {each for each in vars(module).values() if isinstance(each, type) and issubclass(each, Task)}
    return sorted(found - {Task}, key=lambda kind: (kind.__name__, kind.__module__))


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.__name__)
def test_a_task_shows_its_name_and_nothing_else(kind: type[Task]) -> None:
    """Contents and user data of a task are nobody's business in a message."""
    assert repr(kind("x")) == f"<{kind.__name__}/x>"
