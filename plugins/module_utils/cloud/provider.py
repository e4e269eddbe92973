# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the rest of the collection asks of a cloud's API. Each cloud answers in its own provider.py.

It has three parts: a client with what is known before a cluster is there (this file), what is seen of a cluster
(looking.py), and what is done with its instances (replacing.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from ..base.errors import KopsError
from .reads import Reads

if TYPE_CHECKING:
    from ..api.cluster import Cluster
    from ..api.facts import CloudFacts
    from ..api.instance_group import InstanceGroup
    from .looking import Looking
    from .place import Place
    from .replacing import Replacing
    from .stacks import Stacks
    from .type_selection import OfferedType, Requirements

_NOT_SELECTED = "machine types of this cloud are not selected by requirements; name them"

CloudT = TypeVar("CloudT", bound=Reads)


@dataclass
class explaining(AbstractContextManager[None]):  # noqa: N801 (used as a function)
    """Within it, what the library of a provider's cloud raises becomes a KopsError with the provider's sentence."""

    provider: Provider[Any]

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, KopsError):
            raise KopsError(self.provider.explain(error)) from error


class Provider(Protocol[CloudT]):
    """One cloud, with the class of its client. It imports libraries, facts and its other parts when they are asked for.

    Whatever it or one of its parts asks of the cloud may raise what the cloud's library raises; `explain` makes
    sentences of that, and `explaining` a KopsError.

    compares: whether tasks can be compared with what exists; else only Terraform makes them.
    """

    compares: ClassVar[bool] = True

    @property
    def looking(self) -> Looking[CloudT]:
        """What is seen of a cluster."""

    @property
    def replacing(self) -> Replacing[CloudT]:
        """What is done with its instances."""

    @property
    def stacks(self) -> Stacks[CloudT] | None:
        """What the cloud makes from templates; None where it makes nothing from them."""
        return None

    def place(self, cluster: Cluster) -> Place:
        """Where a cluster is by its specification, completed or not. Raises ValidationError if that is in no region."""

    def open(self, place: Place, cluster_name: str) -> CloudT:
        """A client for a place; tasks get it as their cloud. Raises KopsError when libraries are missing.

        It remembers nothing of another client, and asks the cloud nothing before it is used.
        """

    def facts(self, cloud: CloudT, ahead_for: Sequence[InstanceGroup] | None = None) -> CloudFacts:
        """Answers to what completion and validation ask.

        ahead_for: groups of which everything will be asked; where the cloud has a call for many, it is made now.
        """

    def account(self, cloud: CloudT) -> object:
        """Whose the cluster's objects are, by the credentials; None where nothing depends on it.

        An object of the cloud: shared code hands it to the cloud's own model and addons, and does not look into it.
        """

    def machine_types(self, cloud: CloudT, wanted: Requirements, names: Sequence[str] = ()) -> list[OfferedType]:
        """Machine types of the region: at least those that meet the requirements. names: and that have these names."""
        raise KopsError(_NOT_SELECTED)

    def zones_of_types(self, cloud: CloudT, names: Sequence[str]) -> dict[str, set[str]]:
        """The zones that offer each of the machine types."""
        raise KopsError(_NOT_SELECTED)

    def explain(self, error: Exception) -> str:
        """A sentence for an exception of the cloud's library."""

    def is_denied(self, error: Exception) -> bool:
        """Whether the exception says that the credentials lack a permission."""

    def is_conflict(self, error: Exception) -> bool:
        """Whether the exception says that what is to be made is there already."""
        return False
