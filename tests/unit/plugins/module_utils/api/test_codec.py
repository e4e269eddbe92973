# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects <-> plain data, copying and merging."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import (
    APISpec,
    Cluster,
    ClusterSpec,
    DNSAccessSpec,
    IAMSpec,
    KubeDNSConfig,
)
from ansible_collections.kubeops.kops.plugins.module_utils.api.common import FileAssetSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.components import EBSCSIDriverSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroupSpec, VolumeSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.kubelet import KubeletConfigSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.networking import NetworkingSpec
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ManifestError


def problems_of(cls: type, data: object) -> list[str]:
    with pytest.raises(ManifestError) as caught:
        codec.from_plain(cls, data)
    return str(caught.value).splitlines()


def test_unset_leaves_no_trace_and_structs_that_are_always_there_do() -> None:
    written = codec.to_plain(Cluster())
    assert written == {
        "metadata": {},
        "spec": {"configStore": {}, "cloudProvider": {}, "networking": {}, "api": {}},
    }


@pytest.mark.parametrize(
    ("group", "written"),
    [
        (InstanceGroupSpec(machine_type=""), {}),
        (InstanceGroupSpec(autoscale_priority=0), {}),
        (InstanceGroupSpec(autoscale=False), {"autoscale": False}),
        (InstanceGroupSpec(min_size=0), {"minSize": 0}),
        (InstanceGroupSpec(max_price=""), {"maxPrice": ""}),
        (InstanceGroupSpec(subnets=[], cloud_labels={}), {}),
        (InstanceGroupSpec(kubelet=KubeletConfigSpec()), {"kubelet": {}}),
        (InstanceGroupSpec(volumes=[VolumeSpec(device="/dev/xvdb")]), {"volumes": [{"device": "/dev/xvdb"}]}),
    ],
)
def test_what_is_written(group: InstanceGroupSpec, written: dict[str, object]) -> None:
    assert codec.to_plain(group) == written


def test_a_field_without_omitempty_is_written_as_its_zero_value() -> None:
    assert codec.to_plain(IAMSpec()) == {"legacy": False}


def test_a_hidden_field_is_neither_written_nor_read() -> None:
    assert codec.to_plain(EBSCSIDriverSpec(enabled=True)) == {}
    assert problems_of(EBSCSIDriverSpec, {"enabled": True}) == ["enabled: unknown field"]


def test_an_empty_free_form_value_is_a_value() -> None:
    assert codec.to_plain(KubeDNSConfig(affinity={})) == {"affinity": {}}


def test_reading_gives_the_declared_types() -> None:
    spec = codec.from_plain(
        InstanceGroupSpec,
        {
            "minSize": 0,
            "autoscale": False,
            "machineType": "",
            "maxInstanceLifetime": "90m",
            "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1},
            "mixedInstancesPolicy": {"instanceRequirements": {"cpu": {"min": 2, "max": "4000m"}}},
            "taints": None,
            "maxSize": 3.0,
        },
    )
    assert (spec.min_size, spec.autoscale, spec.machine_type, spec.max_size) == (0, False, None, 3)
    assert spec.max_instance_lifetime == "1h30m0s"
    assert (spec.rolling_update.max_surge, spec.rolling_update.max_unavailable) == ("25%", 1)
    assert spec.mixed_instances_policy.instance_requirements.cpu.max == "4"
    assert spec.taints == []


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({"maxsise": 1}, "maxsise: unknown field; did you mean maxSize?"),
        ({"qqqqq": 1}, "qqqqq: unknown field"),
        ({"maxSize": "1"}, "maxSize: expected a whole number, not the text '1'"),
        ({"maxSize": True}, "maxSize: expected a whole number, not true"),
        ({"maxSize": 1.5}, "maxSize: expected a whole number, not a number"),
        ({"autoscale": "true"}, "autoscale: expected true or false, not the text 'true'"),
        ({"autoscale": 1}, "autoscale: expected true or false, not a number"),
        ({"image": 1}, "image: expected text, not a number; put it in quotes"),
        ({"image": True}, "image: expected text, not true; put it in quotes"),
        # "90" would be no duration either.
        (
            {"maxInstanceLifetime": 90},
            "maxInstanceLifetime: expected a duration such as 90s, 10m or 1h30m, not a number",
        ),
        ({"image": "a\x1b[31m"}, "image: the text has the control character U+001B, which is not allowed"),
        ({"nodeLabels": {"a\x07": ""}}, "nodeLabels: the text has the control character U+0007, which is not allowed"),
        ({"minSize": 2**31}, "minSize: expected a whole number from -2147483648 to 2147483647"),
        (
            {"rollingUpdate": {"maxSurge": 2**31}},
            "rollingUpdate.maxSurge: expected a whole number from -2147483648 to 2147483647",
        ),
        ({"autoscalePriority": 2**15}, "autoscalePriority: expected a whole number from -32768 to 32767"),
        (
            {"spotDurationInMinutes": 2**63},
            "spotDurationInMinutes: expected a whole number from -9223372036854775808 to 9223372036854775807",
        ),
        ({"subnets": "a"}, "subnets: expected a list, not the text 'a'"),
        ({"subnets": [None]}, "subnets[0]: expected text, not nothing"),
        ({"cloudLabels": []}, "cloudLabels: expected a mapping, not a list"),
        ({"cloudLabels": {"a": 1}}, "cloudLabels[a]: expected text, not a number; put it in quotes"),
        ({"volumes": [{"size": "1"}]}, "volumes[0].size: expected a whole number, not the text '1'"),
        ({"kubelet": "x" * 50}, "kubelet: expected a mapping, not a text"),
        (
            {"maxInstanceLifetime": "1d"},
            "maxInstanceLifetime: '1d' is not a duration; examples are 90s, 10m and 1h30m",
        ),
        (
            {"maxInstanceLifetime": "9999999h"},
            "maxInstanceLifetime: '9999999h' is longer than a duration can be, which is 2562047h47m",
        ),
        (
            {"rollingUpdate": {"maxSurge": []}},
            "rollingUpdate.maxSurge: expected a whole number or text, not a list",
        ),
        ([], "expected a mapping, not a list"),
    ],
)
def test_what_is_refused(data: object, problem: str) -> None:
    assert problems_of(InstanceGroupSpec, data) == [problem]


def test_an_address_of_a_component_has_no_control_characters() -> None:
    """They come before the rules: what follows a zero byte would be hidden from programs in C."""
    assert problems_of(ClusterSpec, {"kubeProxy": {"master": "https://a\x00"}}) == [
        "kubeProxy.master: the text has the control character U+0000, which is not allowed"
    ]


def test_the_content_of_files_has_any_characters() -> None:
    assert codec.from_plain(FileAssetSpec, {"content": "\x1b[31m"}).content == "\x1b[31m"
    assert codec.from_plain(FileAssetSpec, {"path": "/\u00e4\n\t"}).path == "/\u00e4\n\t"


def test_stored_text_of_kops_has_any_characters() -> None:
    problems: list[str] = []
    assert codec.read_into(InstanceGroupSpec, {"image": "a\x1b"}, problems, []).image == "a\x1b"
    assert problems == []


def test_all_problems_are_told_at_once_each_with_where_it_is() -> None:
    with pytest.raises(ManifestError) as caught:
        codec.from_plain(InstanceGroupSpec, {"a": 1, "maxSize": "1", "image": []}, where="f.yaml, document 2")
    lines = str(caught.value).splitlines()
    assert len(lines) == 3
    assert all(line.startswith("f.yaml, document 2: ") for line in lines)


def test_a_copy_shares_nothing_that_can_change() -> None:
    original = Cluster(spec=ClusterSpec(kube_dns=KubeDNSConfig(stub_domains={"a": ["1"]}, affinity={"x": [1]})))
    other = codec.copy(original)
    assert other == original
    other.spec.kube_dns.stub_domains["a"].append("2")
    other.spec.kube_dns.affinity["x"].append(2)
    other.spec.api.access.append("::/0")
    other.metadata.labels["a"] = "b"
    assert original == Cluster(spec=ClusterSpec(kube_dns=KubeDNSConfig(stub_domains={"a": ["1"]}, affinity={"x": [1]})))


def test_a_copy_keeps_hidden_fields() -> None:
    assert codec.copy(EBSCSIDriverSpec(enabled=True)).enabled is True


def test_merging_sets_what_the_overlay_says() -> None:
    base = KubeletConfigSpec(
        anonymous_auth=True, max_pods=10, cgroup_root="/", taints=["a"], feature_gates={"A": "true"}, log_level=2
    )
    overlay = KubeletConfigSpec(
        anonymous_auth=False, max_pods=0, cgroup_root="", taints=["b", "c"], feature_gates={"B": "true"}
    )
    merged = codec.merge(base, overlay)
    assert merged is base
    assert (base.anonymous_auth, base.max_pods, base.cgroup_root, base.log_level) == (False, 0, "/", 2)
    assert base.taints == ["b", "c"]
    assert base.feature_gates == {"A": "true", "B": "true"}
    base.taints.append("d")
    assert overlay.taints == ["b", "c"]


def test_merging_goes_into_structs() -> None:
    base = ClusterSpec(networking=NetworkingSpec(network_cidr="10.0.0.0/8"), api=APISpec(public_name="a"))
    codec.merge(base, ClusterSpec(networking=NetworkingSpec(network_id="vpc-1"), api=APISpec(dns=DNSAccessSpec())))
    assert base.networking == NetworkingSpec(network_cidr="10.0.0.0/8", network_id="vpc-1")
    assert base.api == APISpec(public_name="a", dns=DNSAccessSpec())
