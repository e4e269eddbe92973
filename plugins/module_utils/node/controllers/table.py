# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All controllers: what the leader of the control planes does."""

from __future__ import annotations

from . import nodes, records
from .addons import ADDONS
from .controller import Controller

CONTROLLERS: tuple[Controller, ...] = (ADDONS, records.CONTROLLER, nodes.CONTROLLER)
