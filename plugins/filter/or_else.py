# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible filter: a variable, or something else if it is not set."""

from __future__ import annotations

DOCUMENTATION = r"""
name: or_else
short_description: A variable of a playbook, or something else if it is not set
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Gives the input, unless it is an empty text or none. These mean in the playbooks of this collection that a variable
    is not set; so does a question in a survey of AWX that nobody answers.
  - Unlike C(default(x, true)), it takes V(false) and V(0) for values.
positional: otherwise
options:
  _input:
    description: The value. A variable that may not be there at all needs C(default('')) before the filter.
    type: raw
    required: true
  otherwise:
    description: What is given instead.
    type: raw
    required: true
"""

EXAMPLES = r"""
- name: Wait for a while, or not at all with 0
  ansible.builtin.pause:
    seconds: "{{ my_seconds | default('') | kubeops.kops.or_else(60) }}"
"""

RETURN = r"""
_value:
  description: The input, or what is given instead.
  type: raw
"""

from typing import Any, Callable


def or_else(value: Any, otherwise: Any) -> Any:
    """The value of a variable, unless it is not set."""
    return otherwise if value is None or value == "" else value


class FilterModule:
    """kubeops.kops.or_else"""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """The filters of this file."""
        return {"or_else": or_else}
