# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of the servers of an instance group, where the cloud keeps none: which are taken, kept, and free.

A server's stable name has its number. Kops' groups have the numbers from 1; others follow as servers come and go.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Numbers:
    """A group's numbers: of its servers, of places without one (what a server has is there, such as its port), and of
    servers that run on until they are ended, though they are out of the group.

    leaving: number -> the size that the group had when the server left. The group has it until no such server is left,
    unless it has grown meanwhile.
    """

    served: frozenset[int] = frozenset()
    empty: frozenset[int] = frozenset()
    leaving: Mapping[int, int] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many servers the group wants."""
        return max([*self.leaving.values(), len(self.served | self.empty)])

    def kept(self, least: int, most: int) -> list[int]:
        """The numbers that a group of a size between these has: its own, and free ones if it has too few.

        Of what is too much, places without servers go first, then the highest.
        """
        own = [*sorted(self.served), *sorted(self.empty - self.served)][: max(least, most)]
        return sorted(own + self._free(least - len(own)))

    def lacking(self) -> list[int]:
        """The numbers that get a server, so that the group has its size: of empty places first."""
        count = max(self.size - len(self.served), 0)
        places = sorted(self.empty)[:count]
        return places + self._free(count - len(places))

    def _free(self, count: int) -> list[int]:
        taken = {*self.served, *self.empty, *self.leaving}
        free = (number for number in itertools.count(1) if number not in taken)
        return list(itertools.islice(free, max(count, 0)))
