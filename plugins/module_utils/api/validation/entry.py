# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the rest of the collection calls: each function returns every problem at once, in kops' classes and paths.

All are pure. facts are the cloud's answers; where they are None, the rules that need them are skipped.
strict says that the object has been completed, so that what completion fills in has to be there.
Rules and paths follow kops' pkg/apis/kops/validation; where we are stricter, the rule's docstring says so.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ...base.errors import FieldError, ValidationError
from ..cloud import Cloud
from ..clouds import NONE, cloud_of
from ..cluster import Cluster
from ..facts import CloudFacts
from ..instance_group import InstanceGroup
from . import additional_objects, location
from .cluster import validate_cluster_alone
from .instance_group.alone import validate_group
from .instance_group.in_cluster import validate_group_in_cluster
from .problems import other
from .update import validate_etcd_changes


def raise_for(errors: Sequence[FieldError], subject: str = "") -> None:
    """Raise ValidationError with all errors, if there are any. subject names the object, such as "cluster a.b.c"."""
    if errors:
        raise ValidationError(errors, subject)


def validate_location(cluster: Cluster, facts: CloudFacts | None = None) -> list[FieldError]:
    """Region and zones, which have to be right before the cloud can be asked for anything."""
    return location.validate_location(cluster, facts)


def validate_cluster(
    cluster: Cluster,
    *,
    strict: bool,
    facts: CloudFacts | None = None,
    feature_flags: Collection[str] = (),
) -> list[FieldError]:
    """A cluster without its groups. With facts, its zones have to exist."""
    found = validate_cluster_alone(cluster, strict, feature_flags)
    return found + location.validate_location(cluster, facts) if facts is not None else found


def validate_instance_group(
    group: InstanceGroup, facts: CloudFacts | None = None, strict: bool = False, *, cloud: Cloud = NONE
) -> list[FieldError]:
    """A group by itself. cloud: whose rules apply, NONE if not known; facts are that cloud's."""
    return validate_group(group, facts, strict, cloud)


def cross_validate_instance_group(
    group: InstanceGroup, cluster: Cluster, facts: CloudFacts | None = None, strict: bool = False
) -> list[FieldError]:
    """A group by itself and within its cluster."""
    return validate_group(group, facts, strict, cloud_of(cluster)) + validate_group_in_cluster(group, cluster)


def deep_validate(
    cluster: Cluster,
    groups: Sequence[InstanceGroup],
    *,
    strict: bool,
    facts: CloudFacts | None = None,
    feature_flags: Collection[str] = (),
) -> list[FieldError]:
    """A cluster with all its groups. Messages about a group begin with its name, as its paths do not."""
    found = validate_cluster(cluster, strict=strict, facts=facts, feature_flags=feature_flags)
    roles = [group.spec.role for group in groups]
    if not groups:
        found.append(
            other("", "the cluster has no instance groups; it needs one for the control plane and one for nodes")
        )
    elif "ControlPlane" not in roles:
        found.append(other("", "the cluster needs at least one instance group with role ControlPlane"))
    elif all(role == "ControlPlane" for role in roles):
        found.append(other("", "the cluster needs at least one instance group with role Node"))
    for group in groups:
        found += [of_group(error, group) for error in cross_validate_instance_group(group, cluster, facts, strict)]
    return found


def of_group(error: FieldError, group: InstanceGroup) -> FieldError:
    """An error whose message names the instance group that it is about."""
    return in_group(dataclasses.replace(error, group=str(group.metadata.name or "")))


def in_group(error: FieldError) -> FieldError:
    """An error whose message names its instance group, if it is about one."""
    return (
        dataclasses.replace(error, message=f"instance group {error.group}: {error.message}") if error.group else error
    )


def validate_cluster_update(
    new: Cluster,
    old: Cluster,
    status: Collection[str] = (),
    *,
    facts: CloudFacts | None = None,
    feature_flags: Collection[str] = (),
) -> list[FieldError]:
    """A cluster that takes the place of an old one. status: names of the etcd clusters that exist in the cloud."""
    found = validate_cluster(new, strict=False, facts=facts, feature_flags=feature_flags)
    return found + validate_etcd_changes(new, old, status)


def validate_additional_objects(objects: Iterable[Mapping[str, Any]]) -> list[FieldError]:
    """Additional objects as plain data."""
    return additional_objects.validate_objects(objects)
