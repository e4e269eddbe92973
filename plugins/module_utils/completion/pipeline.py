# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The components of a cluster, in the order in which they are completed: kops' own, as later ones rely on earlier."""

from __future__ import annotations

from typing import Callable

from ..api.cluster import Cluster
from .components import (
    aws,
    aws_cloud_controller_manager,
    aws_ebs_csi_driver,
    azure_cloud_controller_manager,
    calico,
    cilium,
    cloud_configuration,
    cluster_autoscaler,
    containerd,
    defaults,
    discovery,
    etcd,
    etcd_manager,
    gcp_cloud_controller_manager,
    gcp_pd_csi_driver,
    hetzner_cloud_controller_manager,
    karpenter,
    kindnet,
    kube_apiserver,
    kube_controller_manager,
    kube_dns,
    kube_proxy,
    kube_scheduler,
    kubelet,
    linode_cloud_controller_manager,
    networking,
    node_problem_detector,
    node_termination_handler,
    openstack,
)
from .context import Context

# Each completes its part of the cluster that it is given, in place, and does nothing for clusters that it is not for.
COMPONENTS: tuple[Callable[[Cluster, Context], None], ...] = (
    defaults.complete,
    etcd.complete,
    etcd_manager.complete,
    kube_apiserver.complete,
    containerd.complete,
    networking.complete,
    kube_dns.complete,
    kubelet.complete,
    kube_controller_manager.complete,
    kube_scheduler.complete,
    kube_proxy.complete,
    cloud_configuration.complete,
    calico.complete,
    cilium.complete,
    kindnet.complete,
    openstack.complete,
    discovery.complete,
    cluster_autoscaler.complete,
    node_termination_handler.complete,
    node_problem_detector.complete,
    aws.complete,
    aws_ebs_csi_driver.complete,
    aws_cloud_controller_manager.complete,
    gcp_cloud_controller_manager.complete,
    gcp_pd_csi_driver.complete,
    azure_cloud_controller_manager.complete,
    hetzner_cloud_controller_manager.complete,
    linode_cloud_controller_manager.complete,
    karpenter.complete,
)
