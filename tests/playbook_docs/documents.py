# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All that is written from the specs of the playbooks."""

from __future__ import annotations

import pathlib

from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.specs import playbooks
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.playbook_docs.arguments import with_arguments
from ansible_collections.kubeops.kops.tests.playbook_docs.heads import with_head
from ansible_collections.kubeops.kops.tests.playbook_docs.overview import with_overview
from ansible_collections.kubeops.kops.tests.playbook_docs.tables import page

PAGE = ROOT / "docs" / "playbook-variables.md"
OVERVIEW = ROOT / "docs" / "playbooks.md"
ARGUMENTS = ROOT / "playbooks" / "tasks" / "from_variables.yml"


def outdated() -> dict[pathlib.Path, str]:
    """The files that are not as the specs say, and what they should be."""
    wanted = {
        PAGE: page(),
        OVERVIEW: with_overview(OVERVIEW.read_text(encoding="utf-8")),
        ARGUMENTS: with_arguments(ARGUMENTS.read_text(encoding="utf-8")),
    }
    for playbook in playbooks():
        path = ROOT / "playbooks" / f"{playbook}.yml"
        wanted[path] = with_head(playbook, path.read_text(encoding="utf-8"))
    return {
        path: text for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text
    }
