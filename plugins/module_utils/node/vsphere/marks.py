# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What virtual machines of a cluster say of themselves, in extra configuration (config.extraConfig).

None of it is guestinfo.*: any process of a guest may write that.
"""

from __future__ import annotations

CLUSTER, GROUP, ROLE = "kubeops.cluster", "kubeops.group", "kubeops.role"
# The disks of etcd that a control plane has, as JSON: [{"etcd", "member", "members", "uuid"}].
DISKS = "kubeops.disks"
CONTROL_PLANE, WORKER = "ControlPlane", "Node"
ON = "poweredOn"
