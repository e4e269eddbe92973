# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The addons of kops, in the order in which they are applied (bootstrapchannelbuilder of kops), and our own."""

from __future__ import annotations

from .any_cloud import (
    gvisor,
    kopeio_authentication,
    kops_controller,
    kubelet_api,
    limit_range,
    metrics_server,
    node_problem_detector,
    snapshot_controller,
)
from .any_cloud.cert_manager import addon as cert_manager
from .any_cloud.cluster_autoscaler import addon as cluster_autoscaler
from .any_cloud.nvidia import addon as nvidia
from .any_cloud.spotinst import addon as spotinst
from .aws import cloud_controller as aws_cloud_controller
from .aws import (
    iam_authenticator,
    node_termination_handler,
    pod_identity_webhook,
)
from .aws import storage_classes as aws_storage_classes
from .aws.ebs_csi_driver import addon as ebs_csi_driver
from .aws.karpenter import addon as karpenter
from .aws.load_balancer_controller import addon as load_balancer_controller
from .azure import cloud_config as azure_cloud_config
from .azure import cloud_controller as azure_cloud_controller
from .azure import storage_classes as azure_storage_classes
from .azure.disk_csi_driver import addon as azure_disk_csi_driver
from .definition import AddonDefinition
from .digitalocean import cloud_controller as digitalocean_cloud_controller
from .digitalocean import csi_driver as digitalocean_csi_driver
from .dns import coredns, dns_controller, external_dns, kube_dns, node_local_dns
from .gce import cloud_controller as gce_cloud_controller
from .gce import storage_classes as gce_storage_classes
from .gce.pd_csi_driver import addon as pd_csi_driver
from .hetzner import cloud_controller as hetzner_cloud_controller
from .hetzner import config as hetzner_config
from .hetzner import csi_driver as hetzner_csi_driver
from .metal import local_path_storage
from .metal.metallb import addon as metallb
from .networking import amazon_vpc, flannel, kindnet, kopeio, kube_router
from .networking.calico import addon as calico
from .networking.cilium import addon as cilium
from .openstack import cinder_csi_driver
from .openstack import cloud_controller as openstack_cloud_controller
from .scaleway import cloud_controller as scaleway_cloud_controller
from .scaleway import csi_driver as scaleway_csi_driver

ADDONS: tuple[AddonDefinition, ...] = (
    kops_controller.ADDON,
    kube_dns.ADDON,
    coredns.ADDON,
    kubelet_api.ADDON,
    limit_range.ADDON,
    dns_controller.ADDON,
    dns_controller.REMOVED,
    external_dns.ADDON,
    node_local_dns.ADDON,
    cluster_autoscaler.ADDON,
    metrics_server.ADDON,
    cert_manager.ADDON,
    node_termination_handler.ADDON,
    node_problem_detector.ADDON,
    nvidia.ADDON,
    gvisor.ADDON,
    load_balancer_controller.ADDON,
    load_balancer_controller.WITH_OWN_ROLE,
    pod_identity_webhook.ADDON,
    aws_storage_classes.ADDON,
    azure_storage_classes.ADDON,
    digitalocean_cloud_controller.ADDON,
    digitalocean_csi_driver.ADDON,
    hetzner_config.ADDON,
    hetzner_cloud_controller.ADDON,
    hetzner_csi_driver.ADDON,
    azure_cloud_config.ADDON,
    azure_cloud_controller.ADDON,
    azure_disk_csi_driver.ADDON,
    gce_storage_classes.ADDON,
    pd_csi_driver.ADDON,
    scaleway_cloud_controller.ADDON,
    scaleway_csi_driver.ADDON,
    spotinst.ADDON,
    gce_cloud_controller.ADDON,
    kopeio.ADDON,
    flannel.ADDON,
    calico.ADDON,
    kube_router.ADDON,
    amazon_vpc.ADDON,
    kindnet.ADDON,
    cilium.ADDON,
    kopeio_authentication.ADDON,
    iam_authenticator.ADDON,
    cinder_csi_driver.ADDON,
    openstack_cloud_controller.ADDON,
    aws_cloud_controller.ADDON,
    ebs_csi_driver.ADDON,
    snapshot_controller.ADDON,
    karpenter.ADDON,
    # Not of kops: of spec.addons.
    metallb.ADDON,
    local_path_storage.ADDON,
)
