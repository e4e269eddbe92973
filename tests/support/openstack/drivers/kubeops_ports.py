# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Neutron's ports without an agent: each is bound to the first segment of its network, and active."""

from neutron_lib.plugins.ml2 import api


class PortDriver(api.MechanismDriver):
    """Binds ports as Open vSwitch would."""

    def initialize(self):
        """Nothing."""

    @property
    def connectivity(self):
        return "l2"

    def bind_port(self, context):
        segment = context.segments_to_bind[0]
        context.set_binding(segment[api.ID], "ovs", {"port_filter": True}, status="ACTIVE")
