# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bootstrap server asks of its cloud: which instance a request comes from. And why it answers no."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Callable, Protocol

from ...base.errors import KopsError


class Refused(KopsError):
    """The request is refused. The reason is for the server's journal; the caller learns the status only."""

    status = 403


class Busy(Refused):
    """Too many requests."""

    status = 429


class Conflict(Refused):
    """The instance has another key already."""

    status = 409


class Malformed(Refused):
    """Not a request at all."""

    status = 400


class TooLarge(Refused):
    """More than any request needs."""

    status = 413


class Unavailable(KopsError):
    """What is needed to decide does not answer. The caller should try again later, or elsewhere."""


@dataclass(frozen=True)
class Identity:
    """An instance, as its cloud knows it.

    role: by which it proved who it is. group: its instance group. facts: those that certificates name.
    """

    role: str
    group: str
    facts: Mapping[str, str]

    @property
    def node(self) -> str:
        """The name of its Node object."""
        return self.facts["NODE_NAME"]


class Verifier(Protocol):
    """Tells instances, and reads the state store as this one."""

    def read(self, url: str) -> bytes | None:
        """A file of the state store; None if there is none. Raises KopsError."""

    def identify(self, proof: str, body: bytes, admit: Callable[[], None]) -> Identity:
        """The instance that has sent a body with this proof (header Authorization). Raises Refused, Unavailable.

        admit: is called before the cloud is asked, and raises Busy if that is too often.
        """
