# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options of modules that show their progress."""

from __future__ import annotations


class ModuleDocFragment:
    """Options of modules that change many objects."""

    DOCUMENTATION = r"""
options:
  progress_file:
    description:
      - File that one line is appended to for each object that is done.
      - The action plugin of the same name uses it to show the lines in the terminal.
    type: path
"""
