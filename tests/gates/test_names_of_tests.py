# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""tests/unit mirrors plugins/: test_x.py is beside what would be x.py, or the folder x, or its group is named here."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.kubeops.kops.tests.conftest import ROOT

UNIT = ROOT / "tests" / "unit" / "plugins"
PLUGINS = ROOT / "plugins"
TESTS = sorted(UNIT.rglob("test_*.py"))

# Tests of several files together -> what they test, below plugins/. The first line of each says why they are together.
GROUPS: dict[str, tuple[str, ...]] = {
    # What the terminal shows of a plan.
    "action/test_plans.py": ("action/update_cluster.py", "action/delete_cluster.py", "plugin_utils/progress.py"),
    # Addons: what they consist of, against kops' own files, and their cloud roles.
    "module_utils/addons/test_content.py": ("module_utils/addons/*/*.py",),
    "module_utils/addons/test_kops_source.py": ("module_utils/addons/*/*.py",),
    "module_utils/addons/test_roles.py": ("module_utils/addons/definition.py", "module_utils/addons/conditions.py"),
    # Versions of the API.
    "module_utils/api/test_conversion.py": ("module_utils/api/v1alpha2/*.py", "module_utils/api/v1alpha3/*.py"),
    # Kinds of cloud objects that need each other to exist.
    "module_utils/cloud/aws/test_autoscaling.py": (
        "module_utils/cloud/aws/tasks/autoscaling_*.py",
        "module_utils/cloud/aws/tasks/launch_template.py",
        "module_utils/cloud/aws/tasks/warm_pool.py",
    ),
    "module_utils/cloud/aws/test_ec2_network.py": (
        "module_utils/cloud/aws/tasks/vpc*.py",
        "module_utils/cloud/aws/tasks/subnet.py",
        "module_utils/cloud/aws/tasks/route*.py",
        "module_utils/cloud/aws/tasks/*gateway.py",
    ),
    "module_utils/cloud/aws/test_ec2_shared_network.py": (
        "module_utils/cloud/aws/tasks/vpc*.py",
        "module_utils/cloud/aws/tasks/subnet.py",
        "module_utils/cloud/aws/tasks/*gateway.py",
    ),
    "module_utils/cloud/aws/test_ec2_terraform.py": ("module_utils/cloud/aws/tasks/*.py",),
    "module_utils/cloud/aws/test_ec2_volumes_and_keys.py": (
        "module_utils/cloud/aws/tasks/ebs_volume.py",
        "module_utils/cloud/aws/tasks/ssh_key.py",
    ),
    "module_utils/cloud/aws/test_events.py": (
        "module_utils/cloud/aws/tasks/event_bridge_*.py",
        "module_utils/cloud/aws/tasks/sqs_queue.py",
    ),
    "module_utils/cloud/aws/test_route53.py": ("module_utils/cloud/aws/tasks/dns_*.py",),
    # What services make later than they say.
    "module_utils/cloud/openstack/tasks/test_settling.py": (
        "module_utils/cloud/openstack/tasks/load_balancer.py",
        "module_utils/cloud/openstack/tasks/server.py",
        "module_utils/cloud/openstack/tasks/volume.py",
    ),
    # What Terraform is told of all kinds.
    "module_utils/cloud/digitalocean/test_terraform.py": ("module_utils/cloud/digitalocean/tasks/*.py",),
    "module_utils/cloud/hetzner/test_terraform.py": ("module_utils/cloud/hetzner/tasks/*.py",),
    "module_utils/cloud/openstack/test_terraform.py": (
        "module_utils/cloud/openstack/tasks/*.py",
        "module_utils/model/openstack/builders.py",
    ),
    # What is left of a run that is broken off, whichever task it was at.
    "module_utils/cloud/openstack/test_broken_off.py": (
        "module_utils/cloud/openstack/tasks/*.py",
        "module_utils/cloud/openstack/resources/*.py",
        "module_utils/model/openstack/*.py",
    ),
    "module_utils/cloud/hetzner/test_broken_off.py": (
        "module_utils/cloud/hetzner/tasks/*.py",
        "module_utils/cloud/hetzner/resources/*.py",
    ),
    # What a model asks for in all, beside kops.
    "module_utils/model/hetzner/test_objects_of_kops.py": ("module_utils/model/hetzner/*.py",),
    # What all kinds have.
    "module_utils/cloud/hetzner/tasks/test_all_kinds.py": ("module_utils/cloud/hetzner/tasks/*.py",),
    "module_utils/cloud/digitalocean/test_broken_off.py": (
        "module_utils/cloud/digitalocean/tasks/*.py",
        "module_utils/cloud/digitalocean/resources/*.py",
    ),
    # What every cloud promises.
    "module_utils/cloud/test_contract.py": (
        "module_utils/cloud/provider.py",
        "module_utils/cloud/looking.py",
        "module_utils/cloud/replacing.py",
    ),
    "module_utils/cloud/gce/tasks/test_load_balancers.py": (
        "module_utils/cloud/gce/tasks/*health_check.py",
        "module_utils/cloud/gce/tasks/target_pool.py",
        "module_utils/cloud/gce/tasks/backend_service.py",
        "module_utils/cloud/gce/tasks/forwarding_rule.py",
    ),
    "module_utils/cloud/gce/test_terraform.py": ("module_utils/cloud/gce/tasks/*.py",),
    "module_utils/cloud/tasks/test_stored.py": (
        "module_utils/cloud/tasks/keypair.py",
        "module_utils/cloud/tasks/managed_file.py",
    ),
    "module_utils/engine/test_engine.py": ("module_utils/engine/planner.py", "module_utils/engine/executor.py"),
    # Builders of one subject.
    "module_utils/model/aws/iam/test_policies.py": ("module_utils/model/aws/iam/*.py",),
    "module_utils/model/aws/test_instance_groups.py": (
        "module_utils/model/aws/autoscaling_group.py",
        "module_utils/model/aws/launch_template.py",
        "module_utils/model/aws/warm_pools.py",
    ),
    "module_utils/model/gce/test_load_balancers.py": ("module_utils/model/gce/*_load_balancer.py",),
    "module_utils/model/test_shared_builders.py": (
        "module_utils/model/etcd.py",
        "module_utils/model/issuer_discovery.py",
        "module_utils/model/pki.py",
    ),
    # What a node gets, by subject; against kops' own files; and read by what runs on the node.
    "module_utils/model/node/test_etcd_boot.py": (
        "module_utils/model/node/control_plane/etcd.py",
        "module_utils/node/boot/etcd.py",
        "module_utils/node/boot/etcd_newcomer.py",
    ),
    "module_utils/model/node/test_program_of_a_cloud.py": (
        "module_utils/model/node/program/program.py",
        "module_utils/model/node/program/loader_text.py",
        "module_utils/model/node/program/sources.py",
    ),
    "module_utils/model/node/test_etcd_manifest.py": ("module_utils/model/node/control_plane/etcd.py",),
    "module_utils/model/node/test_operating_system.py": (
        "module_utils/model/node/system/kernel.py",
        "module_utils/model/node/system/packages.py",
        "module_utils/model/node/system/ntp.py",
        "module_utils/model/node/system/hosts.py",
        "module_utils/model/node/system/hooks.py",
    ),
    "module_utils/model/node/test_kops_cases.py": ("module_utils/model/node/*.py",),
    "module_utils/model/node/test_kops_source.py": ("module_utils/model/node/*.py",),
    "module_utils/model/node/test_reader.py": ("module_utils/model/node/build.py", "module_utils/node/config.py"),
    # The same secrets document, made on the controller and on a control plane.
    "module_utils/model/node/test_secrets_document.py": (
        "module_utils/model/node/build.py",
        "module_utils/node/keys/secrets_document.py",
    ),
    "module_utils/model/node/test_texts.py": (
        "module_utils/model/node/systemd.py",
        "module_utils/model/node/runtime/toml.py",
    ),
    "module_utils/node/etcd/test_etcd.py": ("module_utils/node/etcd/*.py",),
    # The converger as a whole, and its small parts.
    "module_utils/node/test_entry_points.py": (
        "modules/node_converge.py",
        "module_utils/model/node/program/program.py",
    ),
    "module_utils/node/test_kill.py": ("module_utils/node/*.py",),
    "module_utils/node/test_parts.py": ("module_utils/node/*.py",),
    # Channels of addons, from the specification to the state store and the hosts.
    "module_utils/operations/metal/test_channels.py": (
        "module_utils/addons/channels/*.py",
        "module_utils/operations/update/cluster.py",
        "module_utils/operations/metal/plan.py",
    ),
    # Cilium on bare metal: its keys, and kernels that it refuses.
    "module_utils/operations/metal/test_cilium.py": (
        "module_utils/operations/metal/plan.py",
        "module_utils/operations/metal/kernel.py",
    ),
    # Operations one after the other.
    "module_utils/operations/metal/test_update.py": ("module_utils/operations/update/cluster.py",),
    # Another network for a cluster that runs.
    "module_utils/operations/test_network_change.py": (
        "module_utils/api/validation/update.py",
        "module_utils/operations/update/desired.py",
        "module_utils/operations/update/cluster.py",
        "module_utils/operations/metal/plan.py",
        "module_utils/model/node/runtime/networking.py",
    ),
    "module_utils/operations/test_google_cloud.py": (
        "module_utils/operations/create/cluster.py",
        "module_utils/operations/update/cluster.py",
        "module_utils/operations/delete.py",
    ),
    "module_utils/operations/test_digitalocean.py": (
        "module_utils/operations/create/cluster.py",
        "module_utils/operations/update/cluster.py",
        "module_utils/operations/delete.py",
    ),
    "module_utils/operations/test_hetzner.py": (
        "module_utils/operations/create/cluster.py",
        "module_utils/operations/update/cluster.py",
        "module_utils/operations/delete.py",
    ),
    "module_utils/operations/test_openstack.py": (
        "module_utils/operations/create/cluster.py",
        "module_utils/operations/update/cluster.py",
        "module_utils/operations/delete.py",
    ),
    # A cluster whose control planes are given a key.
    "module_utils/operations/test_openstack_store_in_s3.py": (
        "module_utils/cloud/openstack/store_keys.py",
        "module_utils/model/openstack/store_key.py",
        "module_utils/node/openstack/store_key.py",
        "module_utils/operations/update/cluster.py",
    ),
    "module_utils/operations/test_vsphere.py": (
        "module_utils/operations/create/cluster.py",
        "module_utils/operations/update/cluster.py",
        "module_utils/operations/delete.py",
    ),
    # What is left of an update that is broken off.
    "module_utils/operations/test_vsphere_broken_off.py": (
        "module_utils/cloud/vsphere/tasks/*.py",
        "module_utils/operations/update/cluster.py",
    ),
    "module_utils/statestore/test_secrets_and_ssh_keys.py": (
        "module_utils/statestore/secrets.py",
        "module_utils/statestore/ssh_keys.py",
    ),
    # What a process leaves that is killed while it makes a node, or its certificates.
    "module_utils/node/boot/test_killed.py": ("module_utils/node/boot/run.py", "module_utils/node/boot/renew.py"),
    # Modules as a user runs them, by subject.
    "modules/test_cloud_modules.py": (
        "modules/create_cluster.py",
        "modules/update_cluster.py",
        "modules/delete_cluster.py",
        "modules/assets_info.py",
    ),
    "modules/test_edit_modules.py": ("modules/cluster.py", "modules/instancegroup.py"),
    "modules/test_etcd_modules.py": ("modules/etcd_*.py",),
    "modules/test_key_modules.py": (
        "modules/secret.py",
        "modules/ssh_public_key.py",
        "modules/keypair.py",
        "modules/kubeconfig.py",
    ),
    "modules/test_store_modules.py": ("modules/cluster*.py", "modules/instancegroup*.py", "modules/replace.py"),
}


def has_counterpart(test: Path) -> bool:
    """Whether plugins/ has the file, or the folder, that the test's name says."""
    subject = PLUGINS / test.relative_to(UNIT).parent / test.name[len("test_") :]
    return subject.is_file() or subject.with_suffix("").is_dir()


def test_a_test_is_named_after_what_it_tests() -> None:
    assert TESTS
    unnamed = [str(test.relative_to(UNIT)) for test in TESTS if not has_counterpart(test)]
    assert sorted(set(unnamed) - GROUPS.keys()) == [], "rename it after its subject, or name its group in the table"
    assert sorted(GROUPS.keys() - set(unnamed)) == [], "there is no such group"


@pytest.mark.parametrize("test", GROUPS)
def test_what_a_group_tests_exists(test: str) -> None:
    assert [subject for subject in GROUPS[test] if not any(PLUGINS.glob(subject))] == []
