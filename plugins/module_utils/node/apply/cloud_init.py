# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""/etc/hosts where cloud-init writes it anew at every boot: what is to stay must be in cloud-init's template, too.

cloud-init does that if its setting manage_etc_hosts is true, and the file then says so
(cloudinit/config/cc_update_etc_hosts.py and templates/hosts.*.tmpl). Several providers of virtual machines set it.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Sequence

from ...exchange.distributions import FAMILIES
from ...exchange.items import File
from ..context import Context

_HOSTS = "/etc/hosts"
_MANAGED = "configured 'manage_etc_hosts' as True"
_NAMED = re.compile(r"/etc/cloud/templates/hosts[a-z.]*\.tmpl")


def templates(context: Context, files: Sequence[File]) -> list[File]:
    """Our blocks of /etc/hosts once more, for the template. context.warnings gets what cannot be kept."""
    blocks = [file for file in files if file.path == _HOSTS and file.block]
    text = context.read_text(_HOSTS) if blocks else ""
    if _MANAGED not in text:
        return []
    # Versions that name another one in the file do not have the family's.
    candidates = [*_NAMED.findall(text), *filter(None, [FAMILIES[context.machine.distribution.family].hosts_template])]
    path = next((each for each in candidates if os.path.isfile(context.path(each))), "")
    if not path:
        context.warnings.append(
            f"file:{_HOSTS}: cloud-init writes it anew at every boot (manage_etc_hosts), but its template is missing: "
            "names of the cluster will be missing until the next run"
        )
        return []
    return [dataclasses.replace(file, path=path) for file in blocks]
