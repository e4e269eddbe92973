# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What CloudFormation's registry says of the kinds of resources."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..cloud import AWSCloud

_PROPERTIES = "/properties/"


def schema_of(cloud: AWSCloud, kind: str) -> dict[str, Any]:
    """The schema of a kind, such as AWS::EC2::VPC."""
    described = cloud.client("cloudformation").describe_type(Type="RESOURCE", TypeName=kind)
    return dict(json.loads(described["Schema"]))


def properties(schema: Mapping[str, Any], which: str) -> Iterator[str]:
    """The properties that a list of a schema names, as paths "A.B"."""
    for path in schema.get(which) or ():
        yield str(path).removeprefix(_PROPERTIES).replace("/", ".")
