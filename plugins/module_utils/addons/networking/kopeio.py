# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kopeio, a network of pods (networking.kope.io of kops)."""

from __future__ import annotations

from ..conditions import network
from ..context import AddonContext
from ..definition import AddonDefinition
from .selector import NETWORKING

_is_chosen = network("kopeio")


def _has_no_operator(context: AddonContext) -> bool:
    return _is_chosen(context) and "UseAddonOperators" not in context.features


ADDON = AddonDefinition(name="networking.kope.io", condition=_has_no_operator, selector=NETWORKING, replaceable=True)
