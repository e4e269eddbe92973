# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The task that gives a module the variables of a playbook, option by option."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.checks import PREFIX
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.descriptions import options_of
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.specs import spec_of

# What follows, to the next comment, is written.
MARK = "    # From playbooks/meta/{playbook}.yml, by script/playbook-docs:\n"
_WRITTEN = re.compile("^" + re.escape(MARK).replace(r"\{playbook\}", r"(\w+)") + r"(?: +\w+: .*\n)*", re.MULTILINE)


def with_arguments(tasks: str) -> str:
    """The text of a file of tasks whose marks are followed by the arguments that the specs name."""
    return _WRITTEN.sub(lambda found: MARK.format(playbook=found[1]) + "".join(_lines(found[1])), tasks)


def _lines(playbook: str) -> Iterator[str]:
    for section in spec_of(playbook).sections:
        for variable in section.options if section.module else ():
            name = variable.removeprefix(PREFIX)
            option = options_of(section.module)[name]
            # False differs from what is not given where a module has no default.
            empty = "''" if option["type"] == "bool" and "default" not in option else "omit, true"
            yield f'    {name}: "{{{{ {variable} | default({empty}) }}}}"\n'
