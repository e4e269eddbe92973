# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations as a program, for tests of another copy of the collection: python -m ... NAME OPTIONS prints JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Task
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.delete import DeleteOptions, delete_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update import upstream_files
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    UpdateResult,
    update_cluster,
)
from ansible_collections.kubeops.kops.tests.support.upstream import small_definition


def create(**options: Any) -> Any:
    """Store a cluster that is inferred from options."""
    return create_cluster(options, check_mode=False).as_result()


def update(*, check: bool = False, **options: Any) -> Any:
    """Whether anything changes."""
    return {"changed": _updated(check, options).changed}


def user_data(**options: Any) -> Any:
    """Group -> what its instances would be started with, and the hash of their program is in it."""
    tasks = (step.task for step in _updated(True, options).plan.steps)
    return {task.name: str(_field(task, "user_data")) for task in tasks if _field(task, "user_data") is not None}


def delete(**options: Any) -> Any:
    """What was deleted."""
    return delete_cluster(DeleteOptions(**options)).resources


def _updated(check: bool, options: dict[str, Any]) -> UpdateResult:
    # Nothing is downloaded.
    upstream_files.fetch = small_definition
    return update_cluster(UpdateOptions(**options), check=check)


def _field(task: Task[Any], name: str) -> Any:
    return getattr(task, name, None)


FUNCTIONS = {each.__name__: each for each in (create, update, user_data, delete)}

if __name__ == "__main__":
    print(json.dumps(FUNCTIONS[sys.argv[1]](**json.loads(sys.argv[2]))))
