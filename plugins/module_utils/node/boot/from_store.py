# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node that reads the state store gets there with its own role: its NodeConfig, and a secrets document."""

from __future__ import annotations

from collections.abc import Mapping

from ...base.errors import KopsError
from ...exchange.store_places import url_of
from ..boot_file import Settings
from ..cloud.disks import Disks
from ..keys.keysets import Read
from ..keys.secrets_document import StoreSource, secrets_document
from ..observe import observe
from ..stores.store import Store
from ..system.machine import Machine
from . import node_configs
from .etcd import Members
from .given import Given
from .member_disks import MemberDisks


def given(
    settings: Settings,
    disks: Disks,
    store: Store,
    machine: Machine,
    facts: Mapping[str, str],
    place: tuple[str, str],
    *,
    check: bool = False,
) -> Given:
    """Certificates are issued here, and disks of etcd attached. place: location and hash of the NodeConfig.

    Raises KopsError, OSError.
    """
    (location, sha256), read = place, _reader(settings, store)

    def fetch() -> bytes:
        content = read(location)
        if content is None:
            raise KopsError(f"{url_of(settings.store, settings.elsewhere, location)} is not there")
        return content

    config = node_configs.load(machine, sha256, fetch)
    members = Members(
        _disks(disks, machine), store, machine, config, settings.store, facts, StoreSource(read), check=check
    ).facts()
    present = observe(machine, config.get("certificates") or ())
    return Given(config, secrets_document(config, read, {**facts, **members}, present), members)


def remember(settings: Settings, disks: Disks, store: Store, machine: Machine, given: Given) -> None:
    """Write down in the store what later boots ask for."""
    source = StoreSource(_reader(settings, store))
    Members(_disks(disks, machine), store, machine, given.config, settings.store, {}, source).remember(given.facts)


def _disks(disks: Disks, machine: Machine) -> MemberDisks:
    return MemberDisks(disks, machine.root)


def _reader(settings: Settings, store: Store) -> Read:
    return lambda path: store.read(url_of(settings.store, settings.elsewhere, path))
