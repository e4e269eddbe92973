# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sphinx' settings for the site of the documentation. It reads nothing from the network."""

from __future__ import annotations

import pathlib
from typing import Any

from ansible_collections.kubeops.kops.tests.site.elsewhere import ANSIBLE, INVENTORY

_SOURCE = pathlib.Path(__file__).resolve().parent

project = "kubeops.kops"
html_title = "kubeops.kops"
extensions = ["myst_parser", "sphinx.ext.intersphinx", "sphinx_antsibull_ext"]
exclude_patterns = ["conf.py"]
# Links to headings, as forges make them.
myst_heading_anchors = 4
# Pages of Ansible that the pages of modules refer to.
intersphinx_mapping = {"ansible": (ANSIBLE, str(_SOURCE / INVENTORY))}
nitpicky = True
# A wide page with a menu that folds away on a phone, in light and dark.
html_theme = "furo"
html_theme_options: dict[str, Any] = {"navigation_with_keys": True}
html_copy_source = False
html_show_sphinx = False
pygments_style = "ansible"
