# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""MetalLB: who has it, and what upstream's programs need to work."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.addons.metal.metallb.addon import ADDON
from ansible_collections.kubeops.kops.plugins.module_utils.addons.selection import Addons, addons_of

from tests.support.addons import Made, made, pod
from tests.support.upstream import without_definitions

Named = Callable[..., AddonContext]


@pytest.fixture(name="objects")
def made_objects(named: Named) -> Made:
    return made(ADDON, named("metallb"))


def names(found: Addons) -> list[str]:
    return [addon.name for addon in found.addons]


def test_only_clusters_that_name_it_have_it(named: Named) -> None:
    assert ADDON.name not in names(addons_of(named(), without_definitions))
    assert ADDON.name in names(addons_of(named("metallb"), without_definitions))


def test_it_is_not_deleted_when_it_is_not_named_any_more(named: Named) -> None:
    """Services would lose their addresses."""
    assert ADDON.name not in addons_of(named(), without_definitions).retired


def test_a_cluster_in_a_cloud_does_not_have_it(named: Named) -> None:
    context = named("metallb")
    context.cluster.metadata.labels.clear()
    assert not ADDON.condition(context)


def test_its_kinds_are_those_of_its_images(named: Named, objects: Made) -> None:
    (url,) = ADDON.upstream(named("metallb"))
    (version,) = {
        workload["spec"]["template"]["spec"]["containers"][0]["image"].rpartition(":")[2]
        for (kind, _name), workload in objects.items()
        if kind in ("Deployment", "DaemonSet")
    }
    assert url == (f"https://raw.githubusercontent.com/metallb/metallb/{version}/config/manifests/metallb-native.yaml")


def test_speakers_send_arp_on_all_nodes_and_may_do_nothing_else(objects: Made) -> None:
    speaker = pod(objects, "DaemonSet", "speaker")
    assert speaker["hostNetwork"]
    (container,) = speaker["containers"]
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"], "add": ["NET_RAW"]}
    tolerated = {each["key"] for each in speaker["tolerations"]}
    assert "node-role.kubernetes.io/control-plane" in tolerated


def test_speakers_find_each_other_by_a_key_that_the_controller_makes(objects: Made) -> None:
    (controller,) = pod(objects, "Deployment", "controller")["containers"]
    given = {each["name"]: each.get("value") for each in controller["env"]}
    speaker = pod(objects, "DaemonSet", "speaker")
    (mounted,) = [each["secret"]["secretName"] for each in speaker["volumes"] if "secret" in each]
    assert (given["METALLB_ML_SECRET_NAME"], mounted) == ("memberlist", "memberlist")
    assert ("Secret", "memberlist") not in objects
    secrets = next(rule for rule in objects["Role", "controller"]["rules"] if rule["resources"] == ["secrets"])
    assert "create" in secrets["verbs"]


def test_interfaces_of_pods_have_no_address_of_a_service(objects: Made) -> None:
    text = objects["ConfigMap", "metallb-excludel2"]["data"]["excludel2.yaml"]
    excluded = json.loads(text)["announcedInterfacesToExclude"]
    assert {"^veth.*", "^lo$", "^flannel.*", "^lxc.*"} <= set(excluded)
    assert all(each.startswith("^") for each in excluded)


def test_the_controller_checks_all_that_users_write(objects: Made) -> None:
    webhooks = objects["ValidatingWebhookConfiguration", "metallb-webhook-configuration"]["webhooks"]
    asked = {each["rules"][0]["resources"][0]: each["clientConfig"]["service"]["path"] for each in webhooks}
    assert asked == {
        "bgppeers": "/validate-metallb-io-v1beta2-bgppeer",
        "bfdprofiles": "/validate-metallb-io-v1beta1-bfdprofile",
        "bgpadvertisements": "/validate-metallb-io-v1beta1-bgpadvertisement",
        "communities": "/validate-metallb-io-v1beta1-community",
        "ipaddresspools": "/validate-metallb-io-v1beta1-ipaddresspool",
        "l2advertisements": "/validate-metallb-io-v1beta1-l2advertisement",
    }
    assert {each["failurePolicy"] for each in webhooks} == {"Fail"}
    # The controller writes the certificate into it: what is declared has no content that would be put back.
    assert not {"data", "stringData"} & objects["Secret", "metallb-webhook-cert"].keys()
