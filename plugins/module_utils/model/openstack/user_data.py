# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What servers are told: control planes where the state store is, and others where control planes are.

No user data holds a secret: every pod of a server can read it.
"""

from __future__ import annotations

from ...cloud.openstack.tasks.server_template import ServerTemplate
from .. import bootstrap_script
from ..context import ModelContext, runs_api_server
from . import access, store_key


def build(context: ModelContext) -> None:
    """Completes the templates of servers."""
    for group in context.updated_groups:
        template = context.get(ServerTemplate, str(group.metadata.name))
        template.user_data = bootstrap_script.user_data(context, group) or ""
        if runs_api_server(group):
            template.credential = access.credential_of(context)
            template.store_key = store_key.fingerprint(context)
