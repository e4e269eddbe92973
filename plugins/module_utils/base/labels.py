# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels and annotations of kops that several rooms write or read."""

from __future__ import annotations

# On a Node, and as a tag on instances: the name of the instance group.
INSTANCE_GROUP = "kops.k8s.io/instancegroup"
# Annotation of a Node that a rolling update has cordoned and not uncordoned yet: when it was cordoned.
CORDONED_FOR_UPDATE = "kops.k8s.io/cordoned-for-update"
# Annotation of a Node that a rolling update has to update, because of an addon, or because somebody has set it.
NEEDS_UPDATE = "kops.k8s.io/needs-update"
# On a Cluster, with the value "metal": its nodes are bare metal, whatever spec.cloudProvider says.
CLOUD = "alpha.kops.k8s.io/cloud"
