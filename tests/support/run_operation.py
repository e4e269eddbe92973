# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run one operation in a separate process, so that it can be killed or measured.

run_operation.py update STORE NAME [DIRECTORY | --options JSON], or plan or delete STORE NAME.

With a directory the update is written there as Terraform; else it has these options. plan is an update in check mode.
"""

from __future__ import annotations

import json
import sys

operation, state_store, name, *out = sys.argv[1:]
print("ready", flush=True)
sys.stdin.readline()
if operation in ("update", "plan"):
    from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
        UpdateOptions,
        update_cluster,
    )

    is_options = out[:1] == ["--options"]
    where = json.loads(out[1]) if is_options else {"target": "terraform", "out": out[0]} if out else {}
    options = UpdateOptions(state_store=state_store, name=name, **where)
    changed = update_cluster(options, check=operation == "plan", progress=print).changed
else:
    from ansible_collections.kubeops.kops.plugins.module_utils.operations.delete import DeleteOptions, delete_cluster

    changed = delete_cluster(DeleteOptions(state_store=state_store, name=name), progress=print).changed
print(f"changed={changed}")
