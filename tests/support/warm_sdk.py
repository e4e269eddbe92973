# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the AWS SDK reads of its services, shared by all processes that are forked from one that imports this.

It is half of the time that a plan takes.
"""

from __future__ import annotations

import functools

import boto3
import botocore.session
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs import boto

SERVICES = ("autoscaling", "ec2", "elbv2", "events", "iam", "route53", "s3", "sqs", "ssm", "sts")

# Otherwise every session has its own loader.
boto._own_loader = functools.lru_cache(maxsize=None)(boto._own_loader)
_CORE = botocore.session.get_session()
_CORE.register_component("data_loader", boto._own_loader())
_SESSION = boto3.session.Session("nobody", "nothing", region_name="us-east-1", botocore_session=_CORE)
for _service in SERVICES:
    _SESSION.client(_service)
