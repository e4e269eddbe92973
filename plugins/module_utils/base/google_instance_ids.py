# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How instances of Google Cloud, and their Nodes, are named.

A file of its own, because each node program contains the names of its own cloud, and no others.
"""

from __future__ import annotations

import re

from .instance_ids import InstanceIds

# The id is the instance's name, which Compute Engine makes of the name of its managed instance group and four
# characters. An instance that is made again keeps its name. zone: with the project before it, as "project/us-east1-b".
COMPUTE_ENGINE = InstanceIds(
    id_pattern=re.compile(r"[a-z][a-z0-9-]{0,57}-[a-z0-9]{4}"),
    provider_id_form="gce://{zone}/{instance}",
)
