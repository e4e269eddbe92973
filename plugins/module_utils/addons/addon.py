# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An addon: Kubernetes objects that belong together, as kops' index of addons knows it.

Source: channels/pkg/api and addonmanifests/remap.go of kops.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..api.clouds import AWS
from ..api.yaml.write import dump_plain
from ..kubernetes.addons.pruned import MANAGER_LABEL, NAME_LABEL
from .aws.role_token import add_role
from .context import AddonContext
from .definition import AddonDefinition
from .upstream import UpstreamFile

# What kops writes between the objects of a manifest.
_SEPARATOR = "\n---\n\n"
# To whose pods kops adds a label; it forgets StatefulSets.
_WITH_PODS = ("Deployment", "DaemonSet")
CONTAINERS = ("initContainers", "containers")


@dataclass(frozen=True)
class Addon:
    """One addon.

    name, id, selector, needs_rolling_update: as in the index; needs_rolling_update is "", control-plane, workers or
    all. file: of its manifest below the addon's directory. objects: as they are applied, in order. pruned: the index
    says which kinds of objects are deleted when they are removed from the addon; pruned_kinds: API version and name of
    those that only this addon has. needs_pki: the index says that its own authority and Issuer have to be in the
    cluster. upstream: the files of its publisher whose objects are among the objects. channel: URL of the channel of
    spec.addons that it is from, and prune: what that says about objects that are deleted when they have left it.
    further_images: of pods that its programs start. initializes_nodes: no node gets ready without it.
    """

    name: str
    objects: list[dict[str, Any]]
    file: str
    id: str = ""
    selector: dict[str, str] = field(default_factory=dict)
    needs_rolling_update: str = ""
    pruned: bool = False
    needs_pki: bool = False
    upstream: Sequence[UpstreamFile] = ()
    pruned_kinds: Sequence[tuple[str, str]] = ()
    channel: str = ""
    prune: Mapping[str, Any] | None = None
    further_images: Sequence[str] = ()
    initializes_nodes: bool = False

    @property
    def key(self) -> str:
        """By which it is told apart from others of its name."""
        return f"{self.name}-{self.id}" if self.id else self.name

    @property
    def location(self) -> str:
        """Path of the manifest below the directory of addons."""
        return f"{self.name}/{self.file}"

    @cached_property
    def manifest(self) -> str:
        """The objects as kops writes them."""
        return _SEPARATOR.join(map(dump_plain, self.objects)).strip()

    @property
    def has_secrets(self) -> bool:
        """Whether its manifest must not be shown."""
        return any(obj.get("kind") == "Secret" for obj in self.objects)

    @property
    def images(self) -> list[str]:
        """The container images of its pods, sorted."""
        return sorted({*_images_in(self.objects), *self.further_images})

    @cached_property
    def manifest_hash(self) -> str:
        """sha256 of the manifest, by which a change is told."""
        return hashlib.sha256(self.manifest.encode()).hexdigest()


def make_addon(definition: AddonDefinition, context: AddonContext, upstream: Sequence[UpstreamFile] = ()) -> Addon:
    """The addon of a cluster.

    upstream: the files that the definition names. Its objects get what all addons get: labels, IAM roles of service
    accounts, images from where spec.assets says.
    """
    default = {"k8s-addon": definition.name}
    selector = default if definition.selector is None else dict(definition.selector)
    labels = {MANAGER_LABEL: "kops", NAME_LABEL: definition.name, **selector}
    # Copies, and plain ones: quantities of the specification are texts.
    defined = [each for file in upstream for each in file.objects]
    objects = json.loads(json.dumps([*defined, *definition.build(context)]))
    for obj in objects:
        obj["metadata"].setdefault("labels", {}).update(labels)
        if obj["kind"] in _WITH_PODS:
            _finish_pods(obj, definition, context)
        if obj["kind"] in (*_WITH_PODS, "StatefulSet"):
            _remap_images(obj["spec"]["template"]["spec"], context)
    return Addon(
        definition.name,
        objects,
        definition.file or f"{definition.id}.yaml",
        definition.id,
        selector,
        definition.needs_rolling_update,
        definition.pruned,
        definition.needs_pki(context),
        upstream,
        definition.pruned_kinds,
        further_images=[context.image(image) for image in definition.images],
        initializes_nodes=definition.initializes_nodes,
    )


def _finish_pods(obj: dict[str, Any], definition: AddonDefinition, context: AddonContext) -> None:
    template = obj["spec"]["template"]
    template["metadata"]["labels"]["kops.k8s.io/managed-by"] = "kops"
    pod = template["spec"]
    if context.cloud is AWS and context.uses_service_account_roles:
        account = (pod.get("serviceAccountName"), obj["metadata"].get("namespace"))
        for role in definition.service_accounts:
            if (role.name, role.namespace) == account and role.condition(context):
                add_role(pod, context.role_arn(role.name, role.namespace))


def _remap_images(pod: dict[str, Any], context: AddonContext) -> None:
    for kind in CONTAINERS:
        for container in pod.get(kind) or ():
            container["image"] = context.image(container["image"])


def _images_in(part: Any) -> Iterator[str]:
    """The images of containers below a part of an object, whatever its kind: users have kinds of their own."""
    if isinstance(part, list):
        for item in part:
            yield from _images_in(item)
    elif isinstance(part, dict):
        for name, value in part.items():
            if name in CONTAINERS and isinstance(value, list):
                yield from (each["image"] for each in value if isinstance(each, dict) and each.get("image"))
            else:
                yield from _images_in(value)
