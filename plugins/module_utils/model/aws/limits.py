# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What AWS takes as names and tags, as rows (the references of EC2's, IAM's, SQS' ... APIs). kops leaves it to AWS.

Whoever adds a kind of object with a name adds its row. Names that kops cuts are within their limits already.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...base.errors import FieldError
from .. import autoscaler, group_tags
from . import names, tags


@dataclass(frozen=True)
class Limit:
    """Which texts AWS takes: how long, and of which characters (allowed: in words)."""

    what: str
    least: int
    most: int
    characters: re.Pattern[str]
    allowed: str

    def problem(self, text: str) -> str:
        """What is wrong with a text; "" if nothing is."""
        if not self.least <= len(text) <= self.most:
            return f"{self.what} would be {text!r} with {len(text)} characters; AWS takes {self.least} to {self.most}"
        if not self.characters.fullmatch(text):
            return f"{self.what} would be {text!r}; AWS takes {self.allowed}"
        return ""


def _limit(what: str, least: int, most: int, characters: str, allowed: str) -> Limit:
    return Limit(what, least, most, re.compile(f"({characters})*"), allowed)


# Kind of task -> what its attribute `name` may be.
NAMES: dict[str, Limit] = {
    "AutoscalingGroup": _limit("the autoscaling group", 1, 255, r"[ -9;-~]", "printable characters except ':'"),
    "EventBridgeRule": _limit("the rule", 1, 64, r"[A-Za-z0-9._-]", "letters, digits and . - _"),
    "IAMInstanceProfile": _limit("the instance profile", 1, 128, r"[\w+=,.@-]", "letters, digits and + = , . @ - _"),
    "IAMRole": _limit("the role", 1, 64, r"[\w+=,.@-]", "letters, digits and + = , . @ - _"),
    "LaunchTemplate": _limit("the launch template", 3, 128, r"[A-Za-z0-9().\-/_]", "letters, digits and ( ) . - / _"),
    "SQS": _limit("the queue", 1, 80, r"[A-Za-z0-9_.-]", "letters, digits and - _"),
    "SSHKey": _limit("the key pair", 1, 255, r"[ -~]", "printable ASCII characters"),
    "SecurityGroup": _limit(
        "the security group",
        1,
        255,
        r"[A-Za-z0-9 ._\-:/()#,@\[\]+=&;{}!$*]",
        "letters, digits and ._-:/()#,@[]+=&;{}!$*",
    ),
    "TargetGroup": _limit("the target group", 1, 32, r"[A-Za-z0-9-]", "letters, digits and -"),
}
# EC2 and Auto Scaling take any character in tags.
TAG_KEY = _limit("the key of a tag", 1, 128, r"[^\x00-\x1f]", "no control characters")
TAG_VALUE = _limit("the value of a tag", 0, 256, r"[^\x00-\x1f]", "no control characters")
_PLAIN = re.compile(r"[\w\s.:/=+\-@]*")
PLAIN_TAGS = frozenset(
    {
        *("EventBridgeRule", "IAMInstanceProfile", "IAMOIDCProvider", "IAMRole", "NetworkLoadBalancer", "SQS"),
        "TargetGroup",
    }
)
MOST_TAGS = 50
_RESERVED = "aws:"


def refused(cluster: Cluster, groups: Iterable[InstanceGroup]) -> list[FieldError]:
    """What AWS would refuse of a specification's names, labels and taints; it need not be completed."""
    of_cluster = dict(_tag_problems(tags.of_object(cluster), plain=True))
    found = [FieldError("Invalid", _place_in_cluster(cluster, key), text) for key, text in of_cluster.items()]
    for group in groups:
        found += _refused_group(cluster, group, set(of_cluster.values()))
    return found


def refused_objects(objects: Iterable[Any]) -> list[FieldError]:
    """What AWS would refuse of tasks, as a last look at all that is made, from whatever it is."""
    found = []
    for task in objects:
        kind = type(task).__name__
        if getattr(task, "shared", False):
            continue
        problems = [NAMES[kind].problem(str(task.name))] if kind in NAMES else []
        problems += [
            message for _key, message in _tag_problems(getattr(task, "tags", None) or {}, plain=kind in PLAIN_TAGS)
        ]
        found += [FieldError("Invalid", "", f"{kind} {task.name}: {message}") for message in problems if message]
    return list(dict.fromkeys(found))


def _refused_group(cluster: Cluster, group: InstanceGroup, known: set[str]) -> Iterator[FieldError]:
    own = str(group.metadata.name)
    if str(group.spec.role) not in group_tags.ROLES:
        return
    name = names.autoscaling_group(group, str(cluster.metadata.name))
    if group.spec.manager != "Karpenter":
        for kind in ("LaunchTemplate", "AutoscalingGroup"):
            message = NAMES[kind].problem(name)
            if message:
                yield FieldError("Invalid", "metadata.name", message, group=own)
                break
    given = tags.of_instance_group(cluster, group, "")
    for key, message in _tag_problems(given, plain=False):
        if message not in known:
            yield FieldError("Invalid", _place_in_group(group, key), message, group=own)
    if len(given) > MOST_TAGS:
        message = (
            f"its instances would have {len(given)} tags, one for each cloud label, node label and taint among them;"
            f" AWS takes {MOST_TAGS}"
        )
        yield FieldError("TooMany", "spec.nodeLabels", message, group=own)
    for key, size in (("minSize", group.spec.min_size), ("maxSize", group.spec.max_size)):
        if (size or 0) < 0:
            yield FieldError("Invalid", f"spec.{key}", "must be 0 or more", size, group=own)


def _tag_problems(given: Mapping[str, str], *, plain: bool) -> Iterator[tuple[str, str]]:
    """Key and what is wrong. plain: for IAM and others that take few characters."""
    for key, value in given.items():
        message = TAG_KEY.problem(key) or TAG_VALUE.problem(value)
        if plain and not message and not (_PLAIN.fullmatch(key) and _PLAIN.fullmatch(value)):
            message = f"a tag would be {key}={value}; IAM and others take letters, digits, spaces and _ . : / = + - @"
        if key.lower().startswith(_RESERVED):
            message = f"the key of a tag would be {key!r}; {_RESERVED} is reserved by AWS"
        if message:
            yield key, message


def _place_in_cluster(cluster: Cluster, key: str) -> str:
    return f"spec.cloudLabels.{key}" if key in cluster.spec.cloud_labels else "metadata.name"


def _place_in_group(group: InstanceGroup, key: str) -> str:
    if key in group.spec.cloud_labels:
        return f"spec.cloudLabels.{key}"
    places: Sequence[tuple[str, str]] = (
        (autoscaler.LABEL_PREFIX, "spec.nodeLabels"),
        (autoscaler.TAINT_PREFIX, "spec.taints"),
    )
    return next((place for prefix, place in places if key.startswith(prefix)), "metadata.name")
