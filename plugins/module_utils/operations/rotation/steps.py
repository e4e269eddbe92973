# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes the steps of a rotation that are safe now, and goes on when all nodes have taken them up.

A step is safe if no node and no pod loses another one by it: a key pair is trusted everywhere before it signs, and
nothing uses one that is distrusted. That follows from the store, the nodes and the pods; no other state is kept.
So a run that was killed is simply run again.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from ...base.errors import KopsError
from ...statestore.keyset import Keyset
from ...statestore.secrets import ENCRYPTION_CONFIG
from ...statestore.store import ClusterStore
from ..policy.rule import Violation
from ..progress import Progress
from ..store.write import StoreOptions
from .encryption import EncryptionKeys
from .keys import ADD, DISTRUST, Keys, Wish, grouped

_ROLLOUT = "all nodes take this up, and pods with the keys of before are restarted"


class Nodes(Protocol):
    """What uses the keys, as it is now."""

    def unready(self, keys: Keys, name: str, step: str, after: Keyset | None) -> list[str]:
        """Why a step other than ADD would cut something off, a sentence each; empty if it is safe.

        after: the keyset after the step; None for the encryption configuration.
        """

    def unsettled(self, keys: Keys, wish: Wish) -> list[str]:
        """What does not use the keys as they are in the store, a sentence each."""

    def write_again(self, keys: Keys) -> None:
        """Encrypt all objects with the key that encrypts now. Only asked for if nothing is unready."""


@dataclass
class Steps:
    """taken: lines for people. blocked: name of keys -> why their next step has to wait."""

    taken: list[str] = field(default_factory=list)
    blocked: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class Rotation:
    """What a run has done, or would. lines: for people. stopped: why it has not come to its end.

    violations: of the policy. If one of them stops it, nothing was done.
    """

    lines: list[str] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)
    violations: list[Violation] = field(default_factory=list)


# Writes keysets and the encryption configuration to the store.
Write = Callable[[Keys, "dict[str, Keyset]", "EncryptionKeys | None"], None]


def take_steps(keys: Keys, wish: Wish, nodes: Nodes, write: Write) -> Steps:
    """Take all steps that are safe now, also those that follow from them. keys: are changed likewise."""
    done = Steps()
    while True:
        safe: dict[str, str] = {}
        changed: dict[str, Keyset] = {}
        encryption: EncryptionKeys | None = None
        done.blocked = {}
        for name, step in keys.next_steps(wish).items():
            after = None if name == ENCRYPTION_CONFIG else keys.after(name, step)
            reasons = [] if step == ADD else nodes.unready(keys, name, step, after)
            if reasons:
                done.blocked[name] = reasons
                continue
            safe[name] = step
            if after is not None:
                changed[name] = after
            else:
                if step == DISTRUST:
                    nodes.write_again(keys)
                encryption = keys.encryption_after(step, datetime.datetime.now(datetime.timezone.utc))
        if not safe:
            return done
        write(keys, changed, encryption)
        keys.keysets.update(changed)
        if encryption is not None:
            keys.encryption, keys.stored_encryption = encryption, encryption.value()
        done.taken += grouped(safe)


def rotate(keys: Keys, wish: Wish, nodes: Nodes, write: Write, settle: Callable[[], None], tell: Progress) -> Rotation:
    """Take steps until there are none. settle: lets all nodes take up what the store has; raises KopsError."""
    result, settled = Rotation(), False
    while True:
        steps = take_steps(keys, wish, nodes, write)
        for line in steps.taken:
            tell(line)
        result.lines += steps.taken
        left = nodes.unsettled(keys, wish)
        if not left and not steps.blocked:
            return result
        if settled and not steps.taken:
            result.stopped = list(dict.fromkeys([*(each for found in steps.blocked.values() for each in found), *left]))
            return result
        result.lines.append(_ROLLOUT)
        settle()
        settled = True


def writer(store: ClusterStore, options: StoreOptions) -> Write:
    """Writes to the store while it holds the lease. Raises KopsError if another process has changed something."""

    def write(keys: Keys, changed: dict[str, Keyset], encryption: EncryptionKeys | None) -> None:
        with store.lease("rotate keys", wait=options.lease_wait, break_existing=options.break_lease) as lease:
            for name, keyset in changed.items():
                lease.ensure()
                # Refused if it was changed since it was read.
                store.keysets.store(name, keyset)
            if encryption is not None:
                lease.ensure()
                if store.secrets.find(ENCRYPTION_CONFIG) != keys.stored_encryption:
                    raise KopsError(f"secret {ENCRYPTION_CONFIG} was changed by another process meanwhile; run again")
                store.secrets.store(ENCRYPTION_CONFIG, encryption.value())

    return write


def no_write(_keys: Keys, _changed: dict[str, Keyset], _encryption: EncryptionKeys | None) -> None:
    """For check mode."""
