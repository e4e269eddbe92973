# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the pages of modules refer to in Ansible's documentation, as an inventory of Sphinx that is made here.

Ansible's own inventory would have to be fetched in each build. A name that is missing here is a warning of Sphinx.
"""

from __future__ import annotations

import zlib

ANSIBLE = "https://docs.ansible.com/ansible/latest/"
INVENTORY = "ansible.inv"
_SETTINGS = "reference_appendices/config.html"
_DISPLAY_SETTINGS = ("ANSIBLE_DISPLAY_SKIPPED_HOSTS", "ANSIBLE_SHOW_CUSTOM_STATS")
_CACHE_SETTINGS = ("ANSIBLE_CACHE_PLUGIN", "ANSIBLE_CACHE_PLUGIN_CONNECTION", "ANSIBLE_CACHE_PLUGIN_PREFIX")
# Name and kind -> page, and what it is called.
_OBJECTS = {
    ("action_plugins", "std:label"): ("plugins/action.html#action-plugins", "Action plugins"),
    ("ansible_collections.amazon.aws.aws_ec2_inventory", "std:label"): (
        "collections/amazon/aws/aws_ec2_inventory.html",
        "amazon.aws.aws_ec2",
    ),
    ("ansible_collections.ansible.builtin.default_callback", "std:label"): (
        "collections/ansible/builtin/default_callback.html",
        "ansible.builtin.default",
    ),
    ("ansible_collections.ansible.builtin.set_stats_module", "std:label"): (
        "collections/ansible/builtin/set_stats_module.html",
        "ansible.builtin.set_stats",
    ),
    ("callback_plugins", "std:label"): ("plugins/callback.html#callback-plugins", "Callback plugins"),
    ("ansible_configuration_settings", "std:label"): (_SETTINGS, "Ansible Configuration Settings"),
    ("common_return_values", "std:label"): ("reference_appendices/common_return_values.html", "Return Values"),
    **{
        (name, "std:envvar"): (f"{_SETTINGS}#envvar-{name}", "-")
        for name in (*_CACHE_SETTINGS, "ANSIBLE_CACHE_PLUGIN_TIMEOUT", *_DISPLAY_SETTINGS)
    },
}


def inventory() -> bytes:
    """The inventory, in version 2 of its format (sphinx.util.inventory)."""
    head = "# Sphinx inventory version 2\n# Project: Ansible\n# Version: latest\n"
    head += "# The remainder of this file is compressed using zlib.\n"
    lines = [f"{name} {kind} -1 {page} {title}\n" for (name, kind), (page, title) in sorted(_OBJECTS.items())]
    return head.encode() + zlib.compress("".join(lines).encode())
