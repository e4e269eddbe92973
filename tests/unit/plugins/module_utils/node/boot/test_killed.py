# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A boot, and a renewal, that are killed at any moment: the next one ends in the state of an undisturbed one."""

from __future__ import annotations

import functools
import multiprocessing
import pathlib
import random
import shutil
import time
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot import from_store
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys import issue
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys.secrets_document import secrets_document
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import serving
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.boot.conftest import (
    KUBECONFIG,
    SERVING,
    Setting,
)
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.boot.test_renew import ago, at_api_server

pytestmark = pytest.mark.long

MOMENTS = 20
# What differs between two runs: keys, what is made of them, and who ran.
_OWN = {f"{SERVING}.crt".lstrip("/"), f"{SERVING}.key".lstrip("/"), KUBECONFIG.lstrip("/"), "var/lib/kops/state.json"}


def state(setting: Setting) -> dict[str, Any]:
    """Files with their modes, and contents of those that do not differ between two runs."""
    tree = {path: each for path, each in setting.node.tree().items() if not path.startswith("run/")}
    return {path: each[1] if path in _OWN else each[:2] for path, each in tree.items()}


def killed_at(seconds: float, work: Any) -> None:
    """Do the work in a process that is killed after some time."""
    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    time.sleep(seconds)
    process.kill()
    process.join()


def fresh(setting: Setting, content: Any) -> None:
    """The machine as it was."""
    shutil.rmtree(setting.node.root)
    shutil.copytree(content, setting.node.root, symlinks=True)


def timed(work: Any) -> float:
    begin = time.monotonic()
    work()
    return time.monotonic() - begin


def is_whole(setting: Setting) -> bool:
    return issue.belongs(setting.text(f"{SERVING}.crt"), setting.text(f"{SERVING}.key"))


def killed_at_moments(setting: Setting, work: Any, before: pathlib.Path) -> Iterator[float]:
    """Work is killed at a random moment, and done again: the machine is then as if nothing had been. Yields the moment.

    before: a free path, for a copy of the machine as it was.
    """
    shutil.copytree(setting.node.root, before, symlinks=True)
    seconds = timed(work)
    undisturbed, chance = state(setting), random.Random(14)
    for _number in range(MOMENTS):
        moment = chance.uniform(0, seconds)
        fresh(setting, before)
        killed_at(moment, work)
        work()
        assert state(setting) == undisturbed
        assert is_whole(setting)
        yield moment


@pytest.fixture(params=["worker", "reader"])
def booting(request: pytest.FixtureRequest) -> Setting:
    """A machine that boots."""
    found = request.getfixturevalue(request.param)
    setting: Setting = found[0] if isinstance(found, tuple) else found
    return setting


def test_a_boot_that_is_killed(booting: Setting, tmp_path: Any) -> None:
    for _moment in killed_at_moments(booting, booting.start, tmp_path / "before"):
        assert booting.start() == []


def test_a_renewal_that_is_killed(reader: Setting, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(from_store, "secrets_document", functools.partial(secrets_document, now=ago(20)))
        reader.start()
    with serving() as api:
        at_api_server(reader, api.url)
        old = reader.text(f"{SERVING}.crt")
        for _moment in killed_at_moments(reader, reader.renew, tmp_path / "before"):
            assert reader.text(f"{SERVING}.crt") != old
            assert reader.renew() == []
