# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values whose form Kubernetes prescribes, wherever the specification has them: labels, taints, images, ports ...

Which rule is for a field, its name or its type says, so that a new field of that name has the rule, too. kops has none
of these rules: the node, the kubelet or the API server would refuse the value.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

from ..fields import camel_case, fields_of, rules_of
from ..scalars import Duration, Quantity
from . import syntax
from .problems import Problems, invalid

# The image of machines is a name in their cloud.
_IMAGES_OF_MACHINES = ("spec.image",)
# Attributes whose numbers may be less than 0: it means no limit, the program's default, or at once. kops takes any
# number of instances; the clouds' own rules judge those.
_ANY_NUMBER = frozenset(
    {
        *("autoscale_priority", "max_size", "max_surge", "max_unavailable", "min_size", "pod_pids_limit"),
        *("default_not_ready_toleration_seconds", "default_unreachable_toleration_seconds"),
        *("pod_termination_grace_period", "terminated_pod_gc_threshold", "volume_attach_limit"),
    }
)
_Rule = Callable[[Any, str], Problems]


def _images(images: list[str], path: str) -> Problems:
    return [each for index, image in enumerate(images) for each in _image(image, f"{path}[{index}]")]


def _image(image: str, path: str) -> Problems:
    return syntax.validate_image(image.strip(), path) if image and path not in _IMAGES_OF_MACHINES else []


def _variables(variables: Any, path: str) -> Problems:
    """The environment of a container, as a mapping or as a list of its variables."""
    if isinstance(variables, dict):
        return [each for name in variables for each in syntax.validate_variable_name(name, path)]
    names = [each.get("name") if isinstance(each, dict) else getattr(each, "name", None) for each in variables]
    return [
        each
        for index, name in enumerate(names)
        for each in syntax.validate_variable_name(str(name or ""), f"{path}[{index}].name")
    ]


def _gates(gates: Any, path: str) -> Problems:
    if isinstance(gates, str):
        pairs = (gate.partition("=") for gate in gates.split(",") if gate)
        return syntax.validate_feature_gates({name.strip(): value.strip() for name, _equals, value in pairs}, path)
    # The scheme of some components has booleans.
    return syntax.validate_feature_gates({name: str(value) for name, value in gates.items()}, path)


# Name of an attribute -> its rule. Ports and images have names of many kinds: see _rule_of.
RULES: dict[str, _Rule] = {
    "additional_images": _images,
    "env": _variables,
    "environment": _variables,
    "feature_gates": _gates,
    "node_labels": syntax.validate_labels,
    "runtime_config": syntax.validate_runtime_config,
    "taints": syntax.validate_taints,
}


def validate_well_formed(spec: Any, path: str = "spec") -> Problems:
    """All values of a specification whose form is prescribed. spec: of a Cluster or an InstanceGroup."""
    return list(_walk(spec, path))


def rule_of(attribute: str, value: Any) -> _Rule | None:
    """The rule of a field with this value; None if it has none."""
    if attribute in RULES:
        return RULES[attribute]
    if isinstance(value, (Duration, Quantity)):
        return _not_negative
    if isinstance(value, str) and (attribute == "image" or attribute.endswith("_image")):
        return _image
    if isinstance(value, int) and not isinstance(value, bool) and attribute.rpartition("_")[2] == "port":
        return syntax.validate_port
    if isinstance(value, int) and not isinstance(value, bool) and attribute not in _ANY_NUMBER:
        return _at_least_nothing
    return None


def _limits(value: Any, path: str) -> Iterator[Any]:
    """The API server takes no pod that asks for more than its limit."""
    for resource in ("cpu", "memory"):
        request, limit = (getattr(value, f"{resource}_{kind}", None) for kind in ("request", "limit"))
        if isinstance(request, Quantity) and isinstance(limit, Quantity) and request.value > limit.value > 0:
            yield invalid(
                f"{path}.{resource}Request", request, f"must not be more than {resource}Limit, which is {limit}"
            )


def _walk(value: Any, path: str) -> Iterator[Any]:
    yield from _limits(value, path)
    for declared in fields_of(type(value)):
        found = getattr(value, declared.name)
        if found is None or found in ("", [], {}):
            continue
        at = f"{path}.{rules_of(declared).key or camel_case(declared.name)}"
        rule = rule_of(declared.name, found)
        if rule is not None:
            yield from rule(found, at)
        elif dataclasses.is_dataclass(found):
            yield from _walk(found, at)
        elif isinstance(found, list):
            for index, each in enumerate(found):
                if dataclasses.is_dataclass(each):
                    yield from _walk(each, f"{at}[{index}]")


def _at_least_nothing(value: int, path: str) -> Problems:
    return [invalid(path, value, "must be 0 or more")] if value < 0 else []


def _not_negative(value: Duration | Quantity, path: str) -> Problems:
    number = value.seconds if isinstance(value, Duration) else value.value
    return [invalid(path, value, "must not be negative")] if number < 0 else []
