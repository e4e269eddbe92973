# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Terraform is told of tasks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.api.terraform_providers import PROVIDERS
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.terraform import (
    CONFIGURATION,
    TerraformTarget,
)
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Task


def resources(cloud: Any, tasks: Iterable[Task[Any]]) -> dict[str, str]:
    """Resource -> its block, without its layout. cloud: as the table of clouds has it."""
    text = TerraformTarget(PROVIDERS[cloud], {}).render(tasks)[CONFIGURATION].decode()
    found = re.findall(r'^resource "(\w+)" "(\S+)" {\n(.*?)^}', text, re.MULTILINE | re.DOTALL)
    return {f"{kind}.{name}": re.sub(r" +", " ", block) for kind, name, block in found}
