# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instance groups on AWS."""

from __future__ import annotations

import pytest


def mixed(*instances, machine="t3.medium", **change):
    return {"machineType": machine, "mixedInstancesPolicy": {"instances": list(instances), **change}}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"additionalSecurityGroups": ["sg-1"]}, []),
        (
            {"additionalSecurityGroups": [" ", ""]},
            ["Invalid::spec.additionalSecurityGroups[0]", "Invalid::spec.additionalSecurityGroups[1]"],
        ),
        ({"additionalSecurityGroups": ["sg-1", "sg-1"]}, ["Duplicate::spec.additionalSecurityGroups[1]"]),
        ({"securityGroupOverride": "sg-1"}, []),
        ({"securityGroupOverride": ""}, ["Invalid::spec.securityGroupOverride"]),
        ({"machineType": "m5.large"}, []),
        ({"machineType": "t3.invalid"}, ["Invalid::nodes.spec.machineType"]),
        ({"machineType": "m6g.large"}, ["Invalid::nodes.spec.machineType"]),
        ({"machineType": "m6g.large", "image": "ami-arm"}, []),
        ({"machineType": "t3.medium,m5.large"}, []),
        ({"machineType": "t3.medium,m6g.large,x"}, ["Invalid::nodes.spec.machineType"] * 2),
        ({"image": "ami-unknown"}, ["Invalid::nodes.spec.image"]),
        ({"image": "ami-unknown", "machineType": None}, []),
        *(({"spotDurationInMinutes": minutes}, []) for minutes in (60, 120, 360)),
        *(
            ({"spotDurationInMinutes": minutes}, ["NotSupported::nodes.spec.spotDurationInMinutes"])
            for minutes in (55, 125, 380)
        ),
        *(({"instanceInterruptionBehavior": good}, []) for good in ("terminate", "hibernate", "stop")),
        ({"instanceInterruptionBehavior": "explode"}, ["NotSupported::nodes.spec.instanceInterruptionBehavior"]),
        ({"maxInstanceLifetime": "24h0m0s"}, []),
        ({"maxInstanceLifetime": "0s"}, []),
        ({"maxInstanceLifetime": "100s"}, ["Invalid::nodes.spec.maxInstanceLifetime"]),
        ({"instanceMetadata": {"httpTokens": "required", "httpPutResponseHopLimit": 64}}, []),
        ({"instanceMetadata": {"httpTokens": "abc"}}, ["NotSupported::spec.instanceMetadata.httpTokens"]),
        *(
            (
                {"instanceMetadata": {"httpPutResponseHopLimit": hops}},
                ["Invalid::spec.instanceMetadata.httpPutResponseHopLimit"],
            )
            for hops in (-1, 0, 65)
        ),
        ({"cpuCredits": "unlimited"}, []),
        ({"cpuCredits": "infinite"}, ["NotSupported::spec.cpuCredits"]),
        (mixed("t3.medium", "m5.large"), []),
        (mixed("g4dn.xlarge", "g5.xlarge", machine="g4dn.xlarge"), []),
        (mixed("t3.medium", "g5.xlarge"), ["Forbidden::spec.mixedInstancesPolicy.instances[1]"]),
        (mixed("m6g.large"), ["Invalid::spec.mixedInstancesPolicy.instances[0]"]),
        (mixed("x"), ["Invalid::spec.machineType", "Invalid::spec.mixedInstancesPolicy.instances[0]"]),
        (mixed(machine="x"), ["Invalid::nodes.spec.machineType", "Invalid::spec.machineType"]),
        (mixed(onDemandBase=2, onDemandAboveBase=100), []),
        (mixed(onDemandBase=3), ["Invalid::spec.mixedInstancesPolicy.onDemandBase"]),
        (mixed(onDemandBase=-1), ["Invalid::spec.mixedInstancesPolicy.onDemandBase"]),
        (mixed(onDemandAboveBase=101), ["Invalid::spec.mixedInstancesPolicy.onDemandAboveBase"]),
        (mixed(onDemandAboveBase=-1), ["Invalid::spec.mixedInstancesPolicy.onDemandAboveBase"]),
        (mixed(spotAllocationStrategy="price-capacity-optimized"), []),
        (mixed(spotAllocationStrategy="cheap"), ["NotSupported::spec.mixedInstancesPolicy.spotAllocationStrategy"]),
    ],
)
def test_group(judge_group, spec, expected):
    assert judge_group(spec) == expected


def test_without_facts_nothing_is_looked_up(judge_in_cluster):
    unknown = mixed("x", machine="y", onDemandAboveBase=101)
    assert judge_in_cluster(unknown) == ["Invalid::spec.mixedInstancesPolicy.onDemandAboveBase"]
