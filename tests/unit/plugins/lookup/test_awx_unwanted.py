# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lookup compares objects of AWX with what is wanted."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.lookup.awx_unwanted import LookupModule
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.awx import Settings, resources_of


def test_what_it_gives() -> None:
    options = {"resources": resources_of(Settings(prefix="prod")), "prefix": "prod"}
    plugin = LookupModule()
    plugin.set_options = lambda **_direct: None
    plugin.get_option = options.__getitem__
    items = [
        {"type": "job_template", "name": f"prod {name}", "description": f"[kubeops.kops prod: {name}]"}
        for name in ("drift", "find drift")
    ]
    name = "prod find drift"
    assert plugin.run(items, {}) == [{"kind": "job_templates", "name": name, "path": f"job_templates/{name}"}]
