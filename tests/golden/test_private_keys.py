# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which private keys of authorities are on the disks of the nodes of kops' cases, and for what.

All other authorities only issue: their keys are read from the state store into memory when that is due.
"""

from __future__ import annotations

import functools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.tasks.managed_file import ContentAddressedFile
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.references import is_for_workers
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys.secrets_document import certificates_of, names_of
from ansible_collections.kubeops.kops.plugins.module_utils.operations.clouds import builders_of

from . import completed, terraform

_SRV = "/srv/kubernetes"
# Key -> who needs it in which file, and the option by which it is told of it.
NEEDED = {
    "key/kubernetes-ca": {
        # It signs the certificate requests that the cluster approves.
        ("kube-controller-manager", f"{_SRV}/kube-controller-manager/ca.key", "--cluster-signing-key-file"),
    },
    "key/service-account": {
        (
            "kube-controller-manager",
            f"{_SRV}/kube-controller-manager/service-account.key",
            "--service-account-private-key-file",
        ),
        ("kube-apiserver", f"{_SRV}/kube-apiserver/service-account.key", "--service-account-signing-key-file"),
    },
}
# Role -> the components there that need keys of authorities.
COMPONENTS = {
    "ControlPlane": {"kube-apiserver", "kube-controller-manager"},
    "APIServer": {"kube-apiserver"},
}


@functools.lru_cache(maxsize=1)
def node_configs(golden: Path) -> list[tuple[str, dict[str, Any]]]:
    """Of all nodes of all cases that can be rendered, each with its name."""
    found = []
    for case in terraform.cases(golden):
        done = completed.complete(case.source)
        context, builders = terraform.model_context(case, done), builders_of(done.cluster)
        found += [
            (f"{case.name} {task.location}", json.loads(task.data))
            for task in builders.build(context).values()
            if isinstance(task, ContentAddressedFile) and "/nodeconfig/" in str(task.location)
        ]
    return found


def references(config: dict[str, Any]) -> dict[str, set[str]]:
    """What of the store is on the node -> the files; not its own certificates with their keys."""
    own = {name for each in certificates_of(config) for name in names_of(each)}
    found: dict[str, set[str]] = {}
    for file in config.get("files", ()):
        if file.get("reference") and file["reference"] not in own:
            found.setdefault(file["reference"], set()).add(file["path"])
    return found


def readers(config: dict[str, Any], path: str) -> set[tuple[str, str, str]]:
    """Who is told of a file by an option: static pod, file, option. The file is one of those that the pod mounts."""
    found = set()
    for item in config.get("staticPods", ()):
        spec = pod_of(item["content"])["spec"]
        mounted = [volume.get("hostPath", {}).get("path", "") for volume in spec["volumes"]]
        for container in spec["containers"]:
            for argument in [*container.get("command", ()), *container.get("args", ())]:
                option, equal, value = argument.partition("=")
                if equal and value == path and any(path.startswith(f"{place}/") for place in mounted):
                    found.add((item["name"], path, option))
    return found


# Pods of one configuration are asked for each of its keys.
@functools.lru_cache(maxsize=32)
def pod_of(content: str) -> dict[str, Any]:
    pod: dict[str, Any] = yaml.safe_load(content)
    return pod


def test_only_keys_that_components_need_are_on_control_planes_and_none_on_workers(golden: Path) -> None:
    roles: Counter[str] = Counter()
    for name, config in node_configs(golden):
        role = config["role"]
        roles[role] += 1
        stored = references(config)
        keys = {reference: paths for reference, paths in stored.items() if reference.startswith("key/")}
        if role not in COMPONENTS:
            assert not keys, name
            assert not [each for each in stored if not is_for_workers(each)], name
            continue
        wanted = {
            reference: {need for need in needs if need[0] in COMPONENTS[role]} for reference, needs in NEEDED.items()
        }
        found = {
            reference: {need for path in paths for need in readers(config, path)} for reference, paths in keys.items()
        }
        assert found == {reference: needs for reference, needs in wanted.items() if needs}, name
        files = {file["path"]: file for file in config["files"]}
        for path in (path for paths in keys.values() for path in paths):
            # Each file is one of those above, root's alone, and its content is not in the NodeConfig.
            assert readers(config, path), (name, path)
            assert (files[path]["mode"], files[path].get("owner", "root")) == ("0600", "root"), (name, path)
            assert "content" not in files[path]
    if not roles:
        pytest.skip("none of the cases has nodes")
    assert set(roles) <= {*COMPONENTS, "Node"}
    assert roles["ControlPlane"] and roles["Node"]


def test_no_private_key_is_in_a_node_config(golden: Path) -> None:
    """A NodeConfig is no secret: it is compared, shown and kept."""
    checked = 0
    for name, config in node_configs(golden):
        checked += 1
        for file in config.get("files", ()):
            assert "PRIVATE KEY" not in (file.get("content") or ""), (name, file["path"])
    if not checked:
        pytest.skip("none of the cases has nodes")
