# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What virtual machines are told: control planes where the state store is, and others where control planes are.

No user data holds a secret: every pod of a machine can read it.
"""

from __future__ import annotations

from .. import bootstrap_script
from ..context import ModelContext, runs_api_server
from . import access, vm_templates


def build(context: ModelContext) -> None:
    """Completes the templates of machines."""
    for group in context.updated_groups:
        template = vm_templates.template_of(context, group)
        template.user_data = bootstrap_script.user_data(context, group) or ""
        template.server_key = access.key_of(context) if runs_api_server(group) else None
