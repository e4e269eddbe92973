# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What says of Google's objects that they are a cluster's, and of which instance group: kops' metadata and labels."""

from __future__ import annotations

import re

CLUSTER_NAME, GROUP_NAME = "cluster-name", "kops-k8s-io-instance-group-name"
CLUSTER_LABEL, ROLE_LABEL, ETCD_LABEL = "k8s-io-cluster-name", "k8s-io-role-", "k8s-io-etcd-"
CONTROL_PLANE, API_SERVER = "control-plane", "apiserver"
MADE_BY = "created-by"
_ENCODED = re.compile("-([0-9a-f]{2})")


def label_of(cluster: str) -> str:
    """The value of the label of a cluster's objects, which other clusters may have as well: it has no dots."""
    return cluster.replace(".", "-")


def search_of(cluster: str) -> str:
    """The filter of a listing for what has the label. Answers are looked at again."""
    return f"labels.{CLUSTER_LABEL}={label_of(cluster)}"


def decoded(value: str) -> str:
    """The text that a label's value was made of (EncodeGCELabel of kops)."""
    return _ENCODED.sub(lambda found: chr(int(found[1], 16)), value)
