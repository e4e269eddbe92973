# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugins. Ansible imports this package before the first of them, which then imports its operation."""

from ..plugin_utils.bytecode import cache_bytecode

cache_bytecode(__name__.rpartition(".")[0])
