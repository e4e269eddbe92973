# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kops' cases of updates on AWS, rendered as templates: whether cfn-lint finds anything in them.

kops renders none any more, so there is nothing to compare with. What is passed over has its reason here.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import AWS
from ansible_collections.kubeops.kops.plugins.module_utils.api.terraform_providers import PROVIDERS
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.network_load_balancer import (
    NetworkLoadBalancer,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.tasks.managed_file import ManagedFile
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.cloudformation import CloudFormationTarget
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.rendering import FOUND
from ansible_collections.kubeops.kops.plugins.module_utils.operations.targets.template_files import TEMPLATE, as_text

from . import completed, terraform
from .results import DIFFERING, MATCHED, Result

Case = terraform.Case
# A region that exists: the one of kops' cases does not.
REGION = "us-east-1"
# Ids that kops' cases name, and AWS would not give.
_MADE_UP_ID = re.compile(r"^(\s*(?:- )?(?:\w+: )?)(sg|subnet)-([\w-]+)$", re.MULTILINE)
# Rule -> why it is passed over.
PASSED_OVER = {
    "W3010": "zones are those of the specification, by their names",
}


def cases(directory: Path) -> list[Case]:
    """The cases of AWS."""
    return [case for case in terraform.cases(directory) if case.provider == PROVIDERS[AWS].name and not case.phase]


def template_of(case: Case) -> dict[str, Any]:
    """The template of a case. Raises KopsError."""
    done = completed.complete(case.source)
    context = terraform.model_context(case, done, FOUND)
    wanted = terraform.wanted(case, done, context)
    tasks = [task for task in wanted if not (isinstance(task, ManagedFile) or task.store_only)]
    for task in tasks:
        if isinstance(task, NetworkLoadBalancer):
            # As if it were there.
            task.node_addresses = ["10.0.0.10"]
    return CloudFormationTarget(context.name).template(tasks)


def compare(case: Case) -> list[Result]:
    """One result for each finding, and one for a template without any."""
    try:
        text = as_text(template_of(case)).decode()
    except KopsError as error:
        return [Result(case.name, TEMPLATE, DIFFERING, f"refused: {error}")]
    found = findings(text)
    return [Result(case.name, TEMPLATE, DIFFERING, each) for each in found] or [Result(case.name, TEMPLATE, MATCHED)]


def findings(text: str, passed_over: Collection[str] = tuple(PASSED_OVER)) -> list[str]:
    """What cfn-lint says of a template, in the region where kops' cases would be."""
    from cfnlint.api import lint
    from cfnlint.config import ManualArgs

    renamed = re.sub(rf"\b{terraform.REGION}", REGION, text)
    renamed = _MADE_UP_ID.sub(lambda found: f"{found[1]}{found[2]}-{zlib.crc32(found[3].encode()):08x}", renamed)
    config = ManualArgs(regions=[REGION], ignore_checks=list(passed_over))
    return [
        f"{each.rule.id} {'/'.join(map(str, getattr(each, 'path', None) or ()))}: {each.message}"
        for each in lint(renamed, config=config)
    ]
