# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The instance that the process runs on, with all that it can ask its cloud."""

from __future__ import annotations

from typing import Protocol

from .disks import Disks
from .identity import OwnIdentity
from .instances import Group, Instances
from .records import Records


class Instance(OwnIdentity, Group, Disks, Instances, Records, Protocol):
    """What node/<cloud>/cloud.py gives. Whoever needs a part of it asks for the protocol of that part."""
