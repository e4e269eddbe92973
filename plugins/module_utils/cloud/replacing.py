# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done with the instances of a cluster when they are replaced, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from ..base.errors import KopsError
from .reads import Reads

if TYPE_CHECKING:
    from .instances import CloudInstance

_NOT_REPLACED = "instances of this cloud are not replaced by rolling updates yet"

CloudT_contra = TypeVar("CloudT_contra", bound=Reads, contravariant=True)


class Replacing(Protocol[CloudT_contra]):
    """What changes instances of one cluster, that of the client, without its specification.

    Each function may be asked again for the same instance, by a run that goes on after another one broke off; what is
    done already is then no error. Several threads ask at once, each for another instance.
    """

    def detach(self, cloud: CloudT_contra, machine: CloudInstance) -> None:
        """Take an instance out of its group, which then lacks one; it runs on, and `machines` still shows it.

        Raises KopsError if that is not possible.
        """

    def deregister(self, cloud: CloudT_contra, machine: CloudInstance, seconds: float) -> None:
        """Take it out of load balancers, and wait until none sends to it. Raises KopsError after so many seconds."""

    def terminate(self, cloud: CloudT_contra, machine: CloudInstance) -> None:
        """End it. One that is gone already is no error."""

    def replenish(self, cloud: CloudT_contra, group: str) -> None:
        """Start the instances that an instance group lacks of its number; nothing where the cloud itself keeps numbers.

        It is asked after each instance that was ended or detached, also by several threads at once.
        """

    def lacking(self, cloud: CloudT_contra) -> dict[str, int]:
        """Instance group -> how many instances it lacks that only `replenish` starts; empty where the cloud does."""
        return {}

    def remove(self, cloud: CloudT_contra, machine: CloudInstance, wanted: int, fixed: bool) -> None:
        """End it for good: its group wants only so many from now on. fixed: and never more. No error if it is gone."""


class NothingReplaced(Replacing[Reads]):
    """A cloud whose instances do not become nodes by themselves yet. Everything raises KopsError."""

    def detach(self, cloud: Reads, machine: CloudInstance) -> None:
        raise KopsError(_NOT_REPLACED)

    def deregister(self, cloud: Reads, machine: CloudInstance, seconds: float) -> None:
        raise KopsError(_NOT_REPLACED)

    def terminate(self, cloud: Reads, machine: CloudInstance) -> None:
        raise KopsError(_NOT_REPLACED)

    def replenish(self, cloud: Reads, group: str) -> None:
        raise KopsError(_NOT_REPLACED)

    def remove(self, cloud: Reads, machine: CloudInstance, wanted: int, fixed: bool) -> None:
        raise KopsError(_NOT_REPLACED)
