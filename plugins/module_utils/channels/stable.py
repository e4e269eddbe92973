# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The channel ``stable`` of kops 1.37.0-alpha.1, as data."""

from __future__ import annotations

from .channel import Channel, ChannelImage, KopsVersionAdvice, KubernetesVersionAdvice

_IMAGES = (
    # cloud, architecture, range of Kubernetes versions, image
    ChannelImage("aws", "amd64", ">=1.4.0 <1.5.0", "kope.io/k8s-1.4-debian-jessie-amd64-hvm-ebs-2017-07-28"),
    ChannelImage("aws", "amd64", ">=1.5.0 <1.6.0", "kope.io/k8s-1.5-debian-jessie-amd64-hvm-ebs-2018-08-17"),
    ChannelImage("aws", "amd64", ">=1.6.0 <1.7.0", "kope.io/k8s-1.6-debian-jessie-amd64-hvm-ebs-2018-08-17"),
    ChannelImage("aws", "amd64", ">=1.7.0 <1.8.0", "kope.io/k8s-1.7-debian-jessie-amd64-hvm-ebs-2018-08-17"),
    ChannelImage("aws", "amd64", ">=1.8.0 <1.9.0", "kope.io/k8s-1.8-debian-stretch-amd64-hvm-ebs-2018-08-17"),
    ChannelImage("aws", "amd64", ">=1.9.0 <1.10.0", "kope.io/k8s-1.9-debian-stretch-amd64-hvm-ebs-2018-08-17"),
    ChannelImage("aws", "amd64", ">=1.10.0 <1.11.0", "kope.io/k8s-1.10-debian-stretch-amd64-hvm-ebs-2018-08-17"),
    ChannelImage("aws", "amd64", ">=1.11.0 <1.12.0", "kope.io/k8s-1.11-debian-stretch-amd64-hvm-ebs-2021-02-05"),
    ChannelImage("aws", "amd64", ">=1.12.0 <1.13.0", "kope.io/k8s-1.12-debian-stretch-amd64-hvm-ebs-2021-02-05"),
    ChannelImage("aws", "amd64", ">=1.13.0 <1.14.0", "kope.io/k8s-1.13-debian-stretch-amd64-hvm-ebs-2021-02-05"),
    ChannelImage("aws", "amd64", ">=1.14.0 <1.15.0", "kope.io/k8s-1.14-debian-stretch-amd64-hvm-ebs-2021-02-05"),
    ChannelImage("aws", "amd64", ">=1.15.0 <1.16.0", "kope.io/k8s-1.15-debian-stretch-amd64-hvm-ebs-2021-02-05"),
    ChannelImage("aws", "amd64", ">=1.16.0 <1.17.0", "kope.io/k8s-1.16-debian-stretch-amd64-hvm-ebs-2021-02-05"),
    ChannelImage("aws", "amd64", ">=1.17.0 <1.18.0", "kope.io/k8s-1.17-debian-stretch-amd64-hvm-ebs-2021-02-05"),
    ChannelImage(
        "aws",
        "amd64",
        ">=1.18.0 <1.27.0",
        "099720109477/ubuntu/images/hvm-ssd/ubuntu-focal-20.04-amd64-server-20250624",
    ),
    ChannelImage(
        "aws",
        "arm64",
        ">=1.20.0 <1.27.0",
        "099720109477/ubuntu/images/hvm-ssd/ubuntu-focal-20.04-arm64-server-20250624",
    ),
    ChannelImage(
        "aws",
        "amd64",
        ">=1.27.0 <1.32.0",
        "099720109477/ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-amd64-server-20260714",
    ),
    ChannelImage(
        "aws",
        "arm64",
        ">=1.27.0 <1.32.0",
        "099720109477/ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-arm64-server-20260714",
    ),
    ChannelImage(
        "aws", "amd64", ">=1.32.0", "099720109477/ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-amd64-server-20260714"
    ),
    ChannelImage(
        "aws", "arm64", ">=1.32.0", "099720109477/ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-arm64-server-20260714"
    ),
    ChannelImage("gce", "amd64", "<1.16.0-alpha.1", "cos-cloud/cos-stable-65-10323-99-0"),
    ChannelImage("gce", "amd64", ">=1.16.0 <1.18.0", "cos-cloud/cos-stable-77-12371-114-0"),
    ChannelImage("gce", "amd64", ">=1.18.0 <1.27.0", "ubuntu-os-cloud/ubuntu-2004-focal-v20240607"),
    ChannelImage("gce", "amd64", ">=1.27.0 <1.32.0", "ubuntu-os-cloud/ubuntu-2204-jammy-v20260612"),
    ChannelImage("gce", "amd64", ">=1.32.0", "ubuntu-os-cloud/ubuntu-2404-noble-amd64-v20260615"),
    ChannelImage("gce", "arm64", ">=1.32.0", "ubuntu-os-cloud/ubuntu-2404-noble-arm64-v20260615"),
    ChannelImage(
        "azure", "amd64", ">=1.20.0 <1.27.0", "Canonical:0001-com-ubuntu-server-focal:20_04-lts-gen2:20.04.202505200"
    ),
    ChannelImage(
        "azure", "amd64", ">=1.27.0 <1.32.0", "Canonical:0001-com-ubuntu-server-jammy:22_04-lts-gen2:22.04.202606110"
    ),
    ChannelImage("azure", "amd64", ">=1.32.0", "Canonical:ubuntu-24_04-lts:server:24.04.202606060"),
    ChannelImage("azure", "arm64", ">=1.32.0", "Canonical:ubuntu-24_04-lts:server-arm64:24.04.202606060"),
)

_KUBERNETES_VERSIONS = (
    # range of Kubernetes versions, recommended, required
    KubernetesVersionAdvice(">=1.36.0", "1.36.3", "1.36.0"),
    KubernetesVersionAdvice(">=1.35.0", "1.35.7", "1.35.0"),
    KubernetesVersionAdvice(">=1.34.0", "1.34.10", "1.34.0"),
    KubernetesVersionAdvice(">=1.33.0", "1.33.13", "1.33.0"),
    KubernetesVersionAdvice(">=1.32.0", "1.32.13", "1.32.0"),
    KubernetesVersionAdvice(">=1.31.0", "1.31.14", "1.31.0"),
    KubernetesVersionAdvice(">=1.30.0", "1.30.14", "1.30.0"),
    KubernetesVersionAdvice(">=1.29.0", "1.29.15", "1.29.0"),
    KubernetesVersionAdvice(">=1.28.0", "1.28.15", "1.28.0"),
    KubernetesVersionAdvice(">=1.27.0", "1.27.16", "1.27.0"),
    KubernetesVersionAdvice(">=1.26.0", "1.26.15", "1.26.0"),
    KubernetesVersionAdvice(">=1.25.0", "1.25.16", "1.25.0"),
    KubernetesVersionAdvice(">=1.24.0", "1.24.17", "1.24.0"),
    KubernetesVersionAdvice(">=1.23.0", "1.23.17", "1.23.0"),
    KubernetesVersionAdvice(">=1.22.0", "1.22.17", "1.22.0"),
    KubernetesVersionAdvice(">=1.21.0", "1.21.14", "1.21.0"),
    KubernetesVersionAdvice(">=1.20.0", "1.20.15", "1.20.0"),
    KubernetesVersionAdvice(">=1.19.0", "1.19.16", "1.19.0"),
    KubernetesVersionAdvice(">=1.18.0", "1.18.20", "1.18.0"),
    KubernetesVersionAdvice(">=1.17.0", "1.17.17", "1.17.0"),
    KubernetesVersionAdvice(">=1.16.0", "1.16.15", "1.16.0"),
    KubernetesVersionAdvice(">=1.15.0", "1.15.12", "1.15.0"),
    KubernetesVersionAdvice(">=1.14.0", "1.14.10", "1.14.0"),
    KubernetesVersionAdvice(">=1.13.0", "1.13.12", "1.13.0"),
    KubernetesVersionAdvice(">=1.12.0", "1.12.10", "1.12.0"),
    KubernetesVersionAdvice(">=1.11.0", "1.11.10", "1.11.0"),
    KubernetesVersionAdvice("<1.11.0", "1.11.10", "1.11.10"),
)

_KOPS_VERSIONS = (
    # range of kops versions, recommended kops, Kubernetes of a new cluster
    KopsVersionAdvice(">=1.36.0-alpha.1", "1.36.0-beta.1", "1.36.3"),
    KopsVersionAdvice(">=1.35.0-alpha.1", "1.35.1", "1.35.7"),
    KopsVersionAdvice(">=1.34.0-alpha.1", "1.35.1", "1.34.10"),
    KopsVersionAdvice(">=1.33.0-alpha.1", "1.35.1", "1.33.13"),
    KopsVersionAdvice(">=1.32.0-alpha.1", "1.35.1", "1.32.13"),
    KopsVersionAdvice(">=1.31.0-alpha.1", "1.35.1", "1.31.14"),
    KopsVersionAdvice(">=1.30.0-alpha.1", "1.35.1", "1.30.14"),
    KopsVersionAdvice(">=1.29.0-alpha.1", "1.34.3", "1.29.15"),
    KopsVersionAdvice(">=1.28.0-alpha.1", "1.33.1", "1.28.15"),
    KopsVersionAdvice(">=1.27.0-alpha.1", "1.32.2", "1.27.16"),
    KopsVersionAdvice(">=1.26.0-alpha.1", "1.31.0", "1.26.15"),
    KopsVersionAdvice(">=1.25.0-alpha.1", "1.30.4", "1.25.16"),
    KopsVersionAdvice(">=1.24.0-alpha.1", "1.29.2", "1.24.17"),
    KopsVersionAdvice(">=1.23.0-alpha.1", "1.28.7", "1.23.17"),
    KopsVersionAdvice(">=1.22.0-alpha.1", "1.27.0", "1.22.17"),
    KopsVersionAdvice(">=1.21.0-alpha.1", "1.26.5", "1.21.14"),
    KopsVersionAdvice(">=1.20.0-alpha.1", "1.25.4", "1.20.15"),
    KopsVersionAdvice(">=1.19.0-alpha.1", "1.24.5", "1.19.16"),
    KopsVersionAdvice(">=1.18.0-alpha.1", "1.23.4", "1.18.20"),
    KopsVersionAdvice(">=1.17.0-alpha.1", "1.22.3", "1.17.17"),
    KopsVersionAdvice(">=1.16.0-alpha.1", "1.21.4", "1.16.15"),
    KopsVersionAdvice(">=1.15.0-alpha.1", "1.21.4", "1.15.12"),
    KopsVersionAdvice(">=1.14.0-alpha.1", "", "1.14.10"),
    KopsVersionAdvice(">=1.13.0-alpha.1", "", "1.13.12"),
    KopsVersionAdvice(">=1.12.0-alpha.1", "1.12.1", "1.12.10"),
    KopsVersionAdvice(">=1.11.0-alpha.1", "1.11.1", "1.11.10"),
    KopsVersionAdvice("<1.11.0-alpha.1", "1.11.1", "1.11.10"),
)

STABLE = Channel(
    images=_IMAGES,
    kubernetes_versions=_KUBERNETES_VERSIONS,
    kops_versions=_KOPS_VERSIONS,
    cluster={"kubernetesVersion": "v1.5.8", "networking": {"kubenet": {}}},
)
