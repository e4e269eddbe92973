# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What controllers of a cluster in AWS are told besides: labels by tags, and the IAM role with rights to the zone."""

from __future__ import annotations

import functools

from ...api.instance_group import InstanceGroup
from ...iam import names as iam_names
from ...iam.account import Account
from .. import controllers
from ..autoscaler import LABEL_PREFIX
from ..context import ModelContext
from . import tags


def build(context: ModelContext) -> None:
    """The file of the state store."""
    controllers.build(context, functools.partial(_labels_by_tags, context), functools.partial(_role, context))


def _labels_by_tags(context: ModelContext, group: InstanceGroup) -> dict[str, str]:
    tagged = tags.of_instance_group(context.cluster, group, "", context.features)
    return {key[len(LABEL_PREFIX) :]: value for key, value in tagged.items() if key.startswith(LABEL_PREFIX)}


def _role(context: ModelContext) -> tuple[str, str]:
    """ARN and service account of the role with rights to the zone; both "" if control planes have the rights."""
    if not context.uses_service_account_roles:
        return "", ""
    account = controllers.provider(context)
    name = iam_names.service_account_role(account, "kube-system", context.name)
    return Account.of(context.account).arn("iam", f"role/{name}"), account
