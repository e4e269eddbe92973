# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hooks, file assets, kernel parameters, extra user data: what the user adds to nodes; and where files come from."""

from __future__ import annotations

import re

from ..cloud import Cloud
from ..clouds import CLOUDS
from ..cluster import AssetsSpec
from ..common import FileAssetSpec, HookSpec
from ..instance_group import MASTER, ROLES, UserData
from .problems import Problems, duplicate, forbidden, invalid, one_of, required
from .syntax import validate_image
from .urls import parse_url

# systemd.unit(5), with specifiers.
_UNIT = re.compile(r"[A-Za-z0-9:_.\\@%-]+\.(automount|device|mount|path|scope|service|slice|socket|swap|target|timer)")
_SECTION = re.compile(r"^\s*\[[A-Za-z0-9-]+\]", re.MULTILINE)
# A name stands in a header of the user data, and becomes a file of cloud-init.
_PART_NAME = re.compile(r"[^\x00-\x1f\x7f\"\\/]+")
USER_DATA_TYPES = (
    "text/x-include-once-url",
    "text/x-include-url",
    "text/cloud-config-archive",
    "text/upstart-job",
    "text/cloud-config",
    "text/part-handler",
    "text/x-shellscript",
    "text/cloud-boothook",
)
# Only instances of the cloud itself can authenticate to its object storage. Scheme -> cloud.
# Scheme -> the cloud whose nodes can read it.
REPOSITORY_CLOUDS = {cloud.store_scheme: cloud for cloud in CLOUDS.values() if cloud.nodes_read_store}


# A package, in the languages of apt, dnf and zypper: name, version, architecture, group.
_PACKAGE = re.compile(r"[A-Za-z0-9@/][A-Za-z0-9@/.+_:~^=*-]*")
_LONGEST_NAME = 255
_LONGEST_PATH = 4095


def validate_hooks(hooks: list[HookSpec], path: str) -> Problems:
    """Every hook that is not disabled."""
    found: Problems = []
    for index, hook in enumerate(hooks):
        if hook.enabled is not False:
            found += _validate_hook(hook, f"{path}[{index}]")
        found += _validate_roles(hook.roles, f"{path}[{index}].roles")
    return found


def _validate_hook(hook: HookSpec, path: str) -> Problems:
    found: Problems = []
    if hook.exec_container is None and not hook.manifest:
        found.append(required(path, "a hook has either manifest or execContainer"))
    if hook.use_raw_manifest:
        if hook.exec_container is not None:
            found.append(forbidden(path, "execContainer cannot be used with useRawManifest; put it in manifest"))
        if not hook.manifest:
            found.append(required(path, "useRawManifest needs manifest"))
        found += [
            forbidden(path, f"{key} cannot be used with useRawManifest; put it in manifest")
            for key, units in (("before", hook.before), ("requires", hook.requires))
            if units
        ]
    if hook.exec_container is not None and not hook.exec_container.image:
        found.append(required(f"{path}.execContainer.image", "the image to run is needed"))
    return found or _validate_units(hook, path)


def _validate_units(hook: HookSpec, path: str) -> Problems:
    """What systemd would not read, or ignore."""
    found: Problems = [
        invalid(f"{path}.{key}[{index}]", text, "must be names of units with their endings, such as containerd.service")
        for key, units in (("before", hook.before), ("requires", hook.requires))
        for index, text in enumerate(units)
        if not text.split() or not all(_UNIT.fullmatch(unit) for unit in text.split())
    ]
    if hook.use_raw_manifest and hook.manifest and not _SECTION.search(hook.manifest):
        message = "must be a whole unit, with sections such as [Service]; without useRawManifest it is the body of one"
        found.append(invalid(f"{path}.manifest", None, message))
    return found


def validate_file_assets(assets: list[FileAssetSpec], path: str) -> Problems:
    """Files to write have a name and content."""
    found: Problems = []
    for index, asset in enumerate(assets):
        if not asset.name:
            found.append(required(f"{path}[{index}].name", "a file asset needs a name"))
        if not asset.content:
            found.append(required(f"{path}[{index}].content", "a file asset needs content"))
        where = asset.path or ""
        if len(where.encode()) > _LONGEST_PATH or any(len(part.encode()) > _LONGEST_NAME for part in where.split("/")):
            message = f"a path has at most {_LONGEST_PATH} bytes, each name in it {_LONGEST_NAME}"
            found.append(invalid(f"{path}[{index}].path", None, message))
        found += _validate_roles(asset.roles, f"{path}[{index}].roles")
    return found


def validate_packages(packages: list[str], path: str) -> Problems:
    """Packages of the operating system, which are arguments of its package manager."""
    return [
        invalid(f"{path}[{index}]", package, "must be the name of one package, such as nfs-common")
        for index, package in enumerate(packages)
        if not _PACKAGE.fullmatch(package)
    ]


def _validate_roles(roles: list[str], path: str) -> Problems:
    """A role that no group has would silently be no node's."""
    return [each for index, role in enumerate(roles) for each in one_of(f"{path}[{index}]", role, (*ROLES, MASTER))]


def validate_sysctls(parameters: list[str], path: str) -> Problems:
    """Kernel parameters are written name=value."""
    return [
        invalid(f"{path}[{index}]", parameter, "must be name=value, for example net.core.somaxconn=1024")
        for index, parameter in enumerate(parameters)
        if "=" not in parameter
    ]


def validate_user_data(parts: list[UserData], path: str = "additionalUserData") -> Problems:
    """Extra parts of cloud-init's user data."""
    found: Problems = []
    names: list[str | None] = []
    for part in parts:
        if not part.name:
            found.append(required(f"{path}.name", "each part needs a name"))
        elif not _PART_NAME.fullmatch(part.name):
            found.append(invalid(f"{path}.name", part.name, "cannot have quotes, slashes or control characters"))
        if part.name and part.name in names:
            found.append(duplicate(f"{path}.name", part.name, "is the name of another part"))
        names.append(part.name)
        if not part.content:
            found.append(required(f"{path}.content", f"part {part.name or '(no name)'} needs content"))
        found += one_of(f"{path}.type", part.type or "", USER_DATA_TYPES)
        if part.type == "text/cloud-config" and part.content:
            found += _validate_cloud_config(part, path)
    return found


def _validate_cloud_config(part: UserData, path: str) -> Problems:
    """cloud-init ignores a part that it cannot read. Whether it is a Jinja template, its first line says."""
    if (part.content or "").lstrip().startswith("## template:"):
        return []
    import yaml

    try:
        yaml.safe_load(part.content or "")
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}" if mark is not None else ""
        message = f"part {part.name} is not YAML{place}: {getattr(error, 'problem', None) or 'it cannot be read'}"
        return [invalid(f"{path}.content", None, message)]
    return []


def validate_assets(assets: AssetsSpec, cloud: Cloud, path: str = "spec.assets") -> Problems:
    """Where images and files come from instead of their public homes."""
    found: Problems = []
    if assets.container_proxy is not None and assets.container_registry is not None:
        found.append(forbidden(f"{path}.containerProxy", "cannot be used together with containerRegistry"))
    for key, place in (("containerProxy", assets.container_proxy), ("containerRegistry", assets.container_registry)):
        if place and (validate_image(f"{place.strip('/')}/image", "") or "://" in place):
            example = "registry.example.com/mirror"
            found.append(invalid(f"{path}.{key}", place, f"must be what images begin with, such as {example}"))
    if assets.file_repository is not None:
        found += _validate_file_repository(assets.file_repository, cloud, f"{path}.fileRepository")
    return found


def _validate_file_repository(text: str, cloud: Cloud, path: str) -> Problems:
    url = parse_url(text)
    if url is None:
        return [invalid(path, text, "is not a URL")]
    found: Problems = []
    if url.scheme in REPOSITORY_CLOUDS:
        needed = REPOSITORY_CLOUDS[url.scheme]
        if cloud is not needed:
            found.append(invalid(path, text, f"{url.scheme}:// can be read on {needed.title} only; use https://"))
        # Without one, the first part of each file's path would be taken for the container.
        if url.scheme == "azureblob" and not url.path.lstrip("/").split("/")[0]:
            found.append(invalid(path, text, "must name a container: azureblob://account/container/path"))
    elif url.scheme not in ("http", "https"):
        found.append(invalid(path, text, "must begin with https://, http://, s3://, gs:// or azureblob://"))
    if not url.netloc:
        found.append(invalid(path, text, "must name a host"))
    return found
