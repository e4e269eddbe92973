# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How CloudFormation knows objects that are there, so that a stack can take them in.

Source: the primaryIdentifier of each kind in CloudFormation's registry, and its user guide (resource import).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ....base.errors import KopsError
from ...stacks import Imported
from ..cloud import AWSCloud
from .registry import properties, schema_of

# Their creation only sets what is there.
_MADE_OVER = ("AWS::SQS::QueuePolicy",)
# Kind and property of an identifier that no object has -> the properties of its resource that say the same.
_SAID = {("AWS::EC2::Route", "CidrBlock"): ("DestinationCidrBlock", "DestinationIpv6CidrBlock")}
# ... -> its value.
_ALWAYS = {("AWS::EC2::VPCGatewayAttachment", "AttachmentType"): "IGW"}
# How the name of a property ends -> the attribute of tasks that has it; of all others, "id".
_ATTRIBUTES = {"Arn": "arn", "Url": "url", "PublicIp": "public_ip"}
_READERS = 8


def imported(
    cloud: AWSCloud, resources: Mapping[str, Any], tasks: Mapping[str, Any], names: Collection[str]
) -> list[Imported]:
    """How CloudFormation knows objects that are there. See Stacks."""
    kinds = sorted({each["Type"] for each in resources.values()})
    with ThreadPoolExecutor(_READERS) as pool:
        schemas = dict(zip(kinds, pool.map(lambda kind: cloud.once(schema_of, kind), kinds)))
    found = _Identifiers(resources, tasks, schemas)
    asked = [name for name in sorted(names) if resources[name]["Type"] not in _MADE_OVER]
    problems = sorted({f"{tasks[name].key} ({resources[name]['Type']})" for name in asked if not found.of(name)})
    if problems:
        raise KopsError(
            f"a stack cannot take in {', '.join(problems)}. Nothing was written. Update this cluster without a target"
        )
    return [Imported(name, resources[name]["Type"], found.of(name)) for name in asked]


class _Identifiers:
    def __init__(
        self, resources: Mapping[str, Any], tasks: Mapping[str, Any], schemas: Mapping[str, dict[str, Any]]
    ) -> None:
        self._resources, self._tasks, self._schemas = resources, tasks, schemas

    def of(self, name: str) -> dict[str, str]:
        """The properties by which an object is known; {} if it is not known by them, or cannot be read by them."""
        schema = self._schemas[self._resources[name]["Type"]]
        if "read" not in schema.get("handlers", ()):
            return {}
        found = {}
        for key in properties(schema, "primaryIdentifier"):
            value = self._value(name, key)
            if value:
                found[key] = value
            elif key in {*schema.get("required", ()), *properties(schema, "readOnlyProperties")}:
                return {}
        return found

    def _value(self, name: str, key: str) -> str:
        resource = self._resources[name]
        kind, given = resource["Type"], resource["Properties"]
        if (kind, key) in _ALWAYS:
            return _ALWAYS[kind, key]
        for said in (key, *_SAID.get((kind, key), ())):
            if said in given:
                return self._resolved(given[said])
        attribute = next((each for end, each in _ATTRIBUTES.items() if key.endswith(end)), "id")
        return str(getattr(self._tasks[name], attribute, None) or "")

    def _resolved(self, value: Any) -> str:
        """What a property says; "" for what cannot be said without CloudFormation."""
        if isinstance(value, str):
            return value
        other = value.get("Ref") if isinstance(value, dict) else None
        return "|".join(self.of(other).values()) if other else ""
