# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The local path provisioner: volumes of pods that ask for none in particular."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.addons.addon import make_addon
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.addons.metal.local_path_storage import ADDON, DIRECTORY
from ansible_collections.kubeops.kops.plugins.module_utils.addons.selection import addons_of

from tests.support.addons import made, pod
from tests.support.upstream import without_definitions

Named = Callable[..., AddonContext]
NAME = "local-path-storage"


def settings(context: AddonContext) -> dict[str, str]:
    found: dict[str, str] = made(ADDON, context)["ConfigMap", "local-path-config"]["data"]
    return found


def helper(context: AddonContext) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(settings(context)["helperPod.yaml"])["spec"]
    return found


def test_clusters_that_name_it_have_it_and_it_stays(named: Named) -> None:
    found, without = addons_of(named(NAME), without_definitions), addons_of(named(), without_definitions)
    assert ADDON.name in [addon.name for addon in found.addons]
    assert ADDON.name not in [*without.retired, *(addon.name for addon in without.addons)]


def test_its_class_is_the_default_and_waits_for_the_pods_node(named: Named) -> None:
    made_class = made(ADDON, named(NAME))["StorageClass", "local-path"]
    assert made_class["metadata"]["annotations"] == {"storageclass.kubernetes.io/is-default-class": "true"}
    assert made_class["volumeBindingMode"] == "WaitForFirstConsumer"
    assert made_class["provisioner"] == "rancher.io/local-path"


def test_volumes_are_in_one_directory_of_each_node(named: Named) -> None:
    (every,) = json.loads(settings(named(NAME))["config.json"])["nodePathMap"]
    assert every == {"node": "DEFAULT_PATH_FOR_NON_LISTED_NODES", "paths": [DIRECTORY]}


def test_helpers_reach_the_node_and_nothing_else(named: Named) -> None:
    """Upstream's own checks of newer versions refuse what is more."""
    pods = helper(named(NAME))
    assert pods["automountServiceAccountToken"] is False
    assert pods["tolerations"] == [{"operator": "Exists"}]
    assert not {"volumes", "hostNetwork", "serviceAccountName", "initContainers"} & pods.keys()
    assert [sorted(each) for each in pods["containers"]] == [["image", "imagePullPolicy", "name"]]
    namespace = made(ADDON, named(NAME))["Namespace", NAME]
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"


def test_all_images_are_listed_and_come_from_the_registry(named: Named) -> None:
    own = ["docker.io/library/busybox:1.37.0", "docker.io/rancher/local-path-provisioner:v0.0.37"]
    assert make_addon(ADDON, named(NAME)).images == own
    context = named(NAME, containerRegistry="registry.example.com")
    redirected = [f"registry.example.com/{image.replace('/', '-')}" for image in own]
    assert make_addon(ADDON, context).images == redirected
    running = pod(made(ADDON, context), "Deployment", "local-path-provisioner")["containers"][0]["image"]
    assert [helper(context)["containers"][0]["image"], running] == redirected
