# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A boot, and a renewal, that are killed at any moment: the next one ends in the state of an undisturbed one."""

from __future__ import annotations

import functools
import multiprocessing
import random
import shutil
import time
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node import issue
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot import from_store
from ansible_collections.kubeops.kops.plugins.module_utils.node.secrets_document import secrets_document
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import serving
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.boot.conftest import (
    KUBECONFIG,
    SERVING,
    Setting,
)
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.boot.test_renew import ago, at_api_server

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


@pytest.fixture(params=["worker", "reader"])
def booting(request: pytest.FixtureRequest) -> Setting:
    """A machine that boots."""
    found = request.getfixturevalue(request.param)
    setting: Setting = found[0] if isinstance(found, tuple) else found
    return setting


def test_a_boot_that_is_killed(booting: Setting, tmp_path: Any) -> None:
    shutil.copytree(booting.node.root, tmp_path / "before", symlinks=True)
    seconds = timed(booting.start)
    undisturbed, chance = state(booting), random.Random(14)
    for _number in range(MOMENTS):
        fresh(booting, tmp_path / "before")
        killed_at(chance.uniform(0, seconds), booting.start)
        booting.start()
        assert state(booting) == undisturbed
        assert is_whole(booting)
        assert booting.start() == []


def test_a_renewal_that_is_killed(reader: Setting, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(from_store, "secrets_document", functools.partial(secrets_document, now=ago(20)))
        reader.start()
    with serving() as api:
        at_api_server(reader, api.url)
        old = reader.text(f"{SERVING}.crt")
        shutil.copytree(reader.node.root, tmp_path / "before", symlinks=True)
        seconds = timed(reader.renew)
        undisturbed, chance = state(reader), random.Random(14)
        for _number in range(MOMENTS):
            fresh(reader, tmp_path / "before")
            killed_at(chance.uniform(0, seconds), reader.renew)
            reader.renew()
            assert state(reader) == undisturbed
            assert is_whole(reader)
            assert reader.text(f"{SERVING}.crt") != old
            assert reader.renew() == []
