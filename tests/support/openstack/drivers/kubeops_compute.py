# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts nova-compute, which looks for drivers below nova.virt only."""

import pathlib

from nova.cmd import compute

# Afterwards, as this changes how threads work.
import nova.virt  # isort: skip

nova.virt.__path__.append(str(pathlib.Path(__file__).parent))
compute.main()
