# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options as messages name them: a message does not know whether a task or a playbook of the collection is run."""

from __future__ import annotations


def named(option: str, value: str = "true") -> str:
    """How to set an option that modules have, and playbooks as a variable."""
    return f"{option}: {value} (kops_{option}={value} in a playbook)"
