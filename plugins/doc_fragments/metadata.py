# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the metadata of an object that is given as a specification."""

from __future__ import annotations


class ModuleDocFragment:
    """Labels and annotations, for modules that take the specification of one object."""

    DOCUMENTATION = r"""
options:
  labels:
    description: The C(metadata.labels) of the object in O(spec).
    type: dict
  annotations:
    description: The C(metadata.annotations) of the object in O(spec).
    type: dict
"""
