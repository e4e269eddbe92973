# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the instances of a cloud, and their Nodes, are named. Nodes need it as well as the controller.

Here are the rows of the clouds whose instances become nodes; the table of clouds (api/clouds.py) refers to them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class InstanceIds:
    """A cloud's names. The id of an instance is also the name of its Node, unless nodes are named by their addresses.

    id_pattern: of ids; None where ids cannot be told from other names: then nothing is taken for the id of an instance
        that is gone.
    address_pattern: of the names of Nodes that are named by their addresses; None where none are.
    provider_id_form: of spec.providerID, with {zone} and {instance}, where kubelets are told it, which speeds up
        joining; else "".
    """

    id_pattern: re.Pattern[str] | None = None
    address_pattern: re.Pattern[str] | None = None
    provider_id_form: str = ""

    def is_id(self, text: str) -> bool:
        """Whether an instance can have this id."""
        return self.id_pattern is not None and self.id_pattern.fullmatch(text) is not None

    def is_name(self, text: str) -> bool:
        """Whether an instance can have this id, or its Node this name."""
        return self.is_id(text) or (
            self.address_pattern is not None and self.address_pattern.fullmatch(text) is not None
        )

    def provider_id(self, instance: str, zone: str) -> str:
        """The provider id of an instance's Node."""
        return self.provider_id_form.format(instance=instance, zone=zone)

    def id_in(self, provider_id: str) -> str:
        """The id of the instance that a provider id names, which is its last part in all clouds; "" for none."""
        return provider_id.rpartition("/")[2]


EC2 = InstanceIds(
    id_pattern=re.compile(r"i-[0-9a-f]{8,17}"),
    # node/aws/node_names.py
    address_pattern=re.compile(r"ip-[0-9a-f-]+\..+"),
    provider_id_form="aws:///{zone}/{instance}",
)
