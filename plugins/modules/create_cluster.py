#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: create a cluster's configuration from options."""

from __future__ import annotations

DOCUMENTATION = r"""
module: create_cluster
short_description: Infer a Kubernetes cluster from a few options and store it
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Works out the Cluster and its InstanceGroups from options such as zones, sizes and networking, as C(kops create
    cluster) does, and writes them to the state store. No cloud object is created; M(kubeops.kops.update_cluster) does
    that.
  - The whole specification is completed and validated before anything is written, so that a problem leaves the store
    as it was.
  - Every option left out, or given as an empty string, is inferred.
  - Running it again with the same options changes nothing. What a channel or the cloud answered when the cluster was
    created (Kubernetes version, images, machine types, address ranges) is kept then, unless an option says otherwise.
  - When the cluster is stored with a specification that differs from what the options give, the stored one is the
    truth. See O(if_different).
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.clouds
  - kubeops.kops.feature_flags
  - kubeops.kops.lease
  - kubeops.kops.progress
  - kubeops.kops.attributes
  - kubeops.kops.adopt
  - kubeops.kops.create_aws
  - kubeops.kops.create_azure
  - kubeops.kops.create_gce
  - kubeops.kops.create_openstack
  - kubeops.kops.create_vsphere
options:
  name:
    description:
      - Name of the cluster, a DNS name such as C(demo.example.com). Everything that belongs to the cluster carries
        it.
      - Taken from the environment variable E(KOPS_CLUSTER_NAME) if it is not given.
    type: str
    aliases: [cluster_name]
  config_base:
    description:
      - Where the nodes of the cluster read its configuration, if that is not below O(state_store).
      - Needs the feature flag C(EnableSeparateConfigBase).
    type: str
  discovery_store:
    description:
      - A public place, for example C(s3://my-public-bucket), for the documents by which others verify the cluster's
        service account tokens.
      - On AWS it also makes service accounts get IAM roles of their own.
    type: str
  cloud:
    description:
      - The cloud that the cluster runs in. One of V(aws), V(azure), V(digitalocean), V(gce), V(hetzner), V(linode),
        V(openstack), V(scaleway), V(vsphere) or V(metal), which is the hosts of an inventory.
      - Guessed from O(state_store) if it is not given; an S3 store means AWS.
      - Clusters on V(aws), V(gce), V(hetzner), V(openstack) and V(metal) can be applied by
        M(kubeops.kops.update_cluster). For the other clouds the specification is inferred without asking the cloud, and
        stored; see RV(can_be_applied).
    type: str
  channel:
    description:
      - Where recommended versions and images come from. V(stable), V(alpha), V(none), or the path or URL of a channel
        file.
    type: str
    default: stable
  kubernetes_version:
    description:
      - Version of Kubernetes, for example V(1.34.1). The channel's recommendation if it is not given.
    type: str
  kubernetes_feature_gates:
    description:
      - Kubernetes feature gates for all components; V(Name) or V(+Name) switches one on, V(-Name) off.
    type: list
    elements: str
  authorization:
    description:
      - How the API server authorizes requests, V(RBAC) or V(AlwaysAllow).
    type: str
    default: RBAC
  hardened:
    description:
      - Whether the specification gets what the CIS benchmark of Kubernetes recommends and kops does not set by
        default. This is an audit log with its policy, Pod Security defaults (C(baseline) is enforced outside the
        namespaces of the system), encryption of Secrets in etcd, seccomp profiles for all containers, and limits
        of events and ended pods.
      - All of it is written as fields of kops, and can be changed later.
    type: bool
    default: false
  zones:
    description:
      - Zones of the nodes, and of the control plane unless O(control_plane_zones) says otherwise. Required.
      - DigitalOcean, Hetzner, Linode and Scaleway take exactly one, a region or location.
    type: list
    elements: str
  control_plane_zones:
    description:
      - Zones of the control plane, if they are not O(zones). One control-plane node in each unless
        O(control_plane_count) says otherwise.
    type: list
    elements: str
  control_plane_count:
    description:
      - Number of control-plane nodes, an odd number; shared out over the zones in turn.
      - As many as O(control_plane_zones), or 1, if it is not given.
    type: int
  node_count:
    description:
      - Number of all worker nodes, distributed over O(zones). One for each zone if it is not given.
    type: int
  api_server_count:
    description:
      - Number of nodes that run an API server and nothing else of the control plane.
      - Needs the feature flag C(APIServerNodes).
    type: int
  instance_manager:
    description:
      - What starts worker nodes. V(cloudgroups) for groups of the cloud, or V(karpenter), which needs
        O(discovery_store).
    type: str
    default: cloudgroups
  control_plane_size:
    description:
      - Machine type of control-plane nodes. On AWS several make a mixed instances group with the first as its main
        type.
    type: list
    elements: str
  node_size:
    description:
      - Machine type of worker nodes. On AWS several make a mixed instances group with the first as its main type.
    type: list
    elements: str
  api_server_size:
    description:
      - Machine type of API server nodes; only the first counts.
      - Needs the feature flag C(APIServerNodes).
    type: list
    elements: str
  image:
    description:
      - Machine image of all nodes, named as the cloud names it. The channel's, for the machine's architecture, if it
        is not given.
    type: str
  control_plane_image:
    description:
      - Machine image of control-plane nodes, before O(image).
    type: str
  node_image:
    description:
      - Machine image of worker nodes, before O(image).
    type: str
  bastion_image:
    description:
      - Machine image of bastions, before O(image).
    type: str
  control_plane_volume_size:
    description:
      - Size in GB of the root volume of control-plane nodes.
    type: int
  control_plane_volume_type:
    description:
      - Type of the root volume of control-plane nodes, for example V(gp3).
    type: str
  node_volume_size:
    description:
      - Size in GB of the root volume of worker nodes.
    type: int
  node_volume_type:
    description:
      - Type of the root volume of worker nodes, for example V(gp3).
    type: str
  control_plane_security_groups:
    description:
      - Existing security groups that control-plane nodes join in addition to their own.
    type: list
    elements: str
  node_security_groups:
    description:
      - Existing security groups that worker nodes join in addition to their own.
    type: list
    elements: str
  associate_public_ip:
    description:
      - Whether nodes get public addresses. By the type of their subnet if it is not given.
    type: bool
  cloud_labels:
    description:
      - Labels (tags) for the cloud objects of the cluster, as a mapping or as text in the form V(Owner=John
        Doe,Team=Some Team).
      - In the text form a comma always separates; quotes protect an equals sign in a value.
    type: raw
  networking:
    description:
      - The pod network. One of V(amazonvpc), V(amazon-vpc-routed-eni), V(calico), V(cilium), V(cilium-eni),
        V(cilium-etcd), V(cni), V(external), V(flannel), V(flannel-udp), V(flannel-vxlan), V(gce), V(gcp), V(kindnet),
        V(kopeio), V(kopeio-vxlan), V(kube-router) or V(kubenet).
      - With V(cni) and V(external) the cluster's owner installs one.
    type: str
    default: cilium
  network_id:
    description:
      - An existing network (VPC) to use. A new one is made if neither this nor O(subnets) is given.
    type: str
  network_cidr:
    description:
      - Address ranges of the network. The first is the main one; each further one also gets a subnet, over O(zones)
        in turn, and worker nodes then use these.
    type: list
    elements: str
  subnets:
    description:
      - Existing subnets to use, one for each zone; a single one on GCE. AWS, GCE and OpenStack only.
    type: list
    elements: str
  utility_subnets:
    description:
      - Existing public subnets for load balancers and NAT in a private topology, one for each zone. AWS and OpenStack
        only.
    type: list
    elements: str
  egress:
    description:
      - How traffic leaves the subnets, for example the id of an existing NAT gateway, instance or transit gateway, or
        V(External).
    type: str
  topology:
    description:
      - V(public) gives nodes public addresses, V(private) does not. V(private) with O(ipv6), V(public) otherwise, if
        it is not given.
    type: str
  bastion:
    description:
      - Add a bastion, through which nodes of a private topology are reached.
    type: bool
    default: false
  admin_access:
    description:
      - Address ranges that may reach the Kubernetes API.
    type: list
    elements: str
    default: [0.0.0.0/0, "::/0"]
  ssh_access:
    description:
      - Address ranges that may reach nodes by SSH. Those of O(admin_access) if it is not given.
    type: list
    elements: str
  dns:
    description:
      - Where the cluster's names are published. V(public) or V(private) hosted zones, or V(none).
      - V(public) with O(dns_zone), V(none) otherwise, if it is not given.
    type: str
  dns_zone:
    description:
      - The hosted zone for the cluster's names, by name or id. The longest one that matches O(name) if it is not
        given.
    type: str
  api_loadbalancer_type:
    description:
      - Put a load balancer before the Kubernetes API; V(public) or V(internal).
      - There is one anyway with a private topology or without DNS; it is V(public) then.
    type: str
  api_public_name:
    description:
      - Name under which users reach the Kubernetes API. C(api.) and the name of the cluster if it is not given.
    type: str
  etcd_clusters:
    description:
      - Names of the etcd clusters; V(main), V(events) and V(leases) are known.
    type: list
    elements: str
    default: [main, events]
  etcd_storage_type:
    description:
      - Type of the volumes of etcd, for example V(gp3).
    type: str
  encrypt_etcd_storage:
    description:
      - Whether the volumes of etcd are encrypted. V(true) on AWS if it is not given.
    type: bool
  ssh_public_key:
    description:
      - The public key for SSH to the nodes, as the path of its file or as the key itself.
      - On clouds other than AWS and GCE C(~/.ssh/id_ed25519.pub) or C(~/.ssh/id_rsa.pub) is taken if it is not given.
    type: str
  add:
    description:
      - Files or URLs of Kubernetes objects to store with the cluster.
      - Needs the feature flag C(ClusterAddons).
    type: list
    elements: str
  set:
    description:
      - Values for any field of the Cluster, in the form C(cluster.spec.<path>=<value>); applied after all other
        options.
      - Give a list where a value holds a comma.
    type: list
    elements: str
  unset:
    description:
      - Fields of the Cluster to clear, in the form C(cluster.spec.<path>); applied before O(set).
    type: list
    elements: str
  dry_run:
    description:
      - Only return the RV(manifest); look at no state store and write nothing.
    type: bool
    default: false
  leave_to_update:
    description:
      - If the cluster can be applied, store nothing. M(kubeops.kops.update_cluster) stores the RV(manifest) that it is
        given, after it has looked at its plan.
      - The specification of a cluster that cannot be applied yet is stored all the same; see RV(can_be_applied).
    type: bool
    default: false
  if_different:
    description:
      - What to do when the cluster is stored already and differs from what the options give.
      - V(fail) lists the differences and stops. To change the cluster, use M(kubeops.kops.cluster),
        M(kubeops.kops.instancegroup) or M(kubeops.kops.replace); to start over, delete it first.
      - V(keep) accepts the stored cluster as it is and returns the RV(differences).
    type: str
    choices: [fail, keep]
    default: fail
seealso:
  - module: kubeops.kops.update_cluster
  - module: kubeops.kops.replace
"""

EXAMPLES = r"""
- name: A highly available cluster with private nodes
  kubeops.kops.create_cluster:
    name: demo.example.com
    state_store: s3://my-state-store
    zones: [us-east-1a, us-east-1b, us-east-1c]
    control_plane_count: 3
    node_count: 6
    node_size: [m5.large]
    topology: private
    bastion: true
    set:
      - cluster.spec.metricsServer.enabled=true
      - cluster.spec.certManager.enabled=true

- name: The manifest of a small cluster, to keep in git
  kubeops.kops.create_cluster:
    name: small.example.com
    state_store: s3://my-state-store
    zones: [us-east-1a]
    dry_run: true
  register: small
"""

RETURN = r"""
manifest:
  description: The Cluster, its InstanceGroups, SSH keys and additional objects, as YAML in the version v1alpha2.
  returned: success
  type: str
name:
  description: The name of the cluster.
  returned: success
  type: str
  sample: demo.example.com
can_be_applied:
  description:
    - Whether M(kubeops.kops.update_cluster) can apply clusters on this cloud. If not, there is a warning, and only the
      specification is stored, which kops can apply.
  returned: success
  type: bool
differences:
  description:
    - Where the stored cluster differs from what the options give; empty for a new cluster and for an equal one.
  returned: success
  type: list
  elements: str
  sample: ["instance group nodes-us-east-1a, spec.maxSize: stored 5, from the options 3"]
# From plugins/doc_fragments/store_changes.py, by script/module-docs:
plan:
  description:
    - What changed in the store, or would in check mode, in the form of RV(kubeops.kops.update_cluster#module:plan).
    - The fields of an object are called by their paths in its manifest, for example C(spec.maxSize).
  returned: success
  type: list
  elements: dict
plan_text:
  description: The same for a reader. Of many objects of a kind, some are named.
  returned: success
  type: str
summary:
  description: How many objects are created, updated and deleted.
  returned: success
  type: dict
"""


from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    ADOPT,
    LEASE,
    PROGRESS,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.options import argument_spec
from ansible_collections.kubeops.kops.plugins.module_utils.operations.progress import progress_to

ARGUMENTS = {
    **argument_spec(),
    **LEASE,
    **ADOPT,
    **PROGRESS,
    "dry_run": {"type": "bool", "default": False},
    "leave_to_update": {"type": "bool", "default": False},
    "if_different": {"type": "str", "choices": ["fail", "keep"], "default": "fail"},
}


def run(module: Call) -> Outcome:
    """Infer, and store unless in check mode."""
    given = {"name": module.cluster_name, "state_store": module.state_store}
    with progress_to(module.parameters["progress_file"]) as progress:
        return create_cluster({**module.parameters, **given}, check_mode=module.check, progress=progress)


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
