# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kops' cases of updates: whether Terraform itself accepts what is rendered, without as much as a warning."""

from __future__ import annotations

import atexit
import contextlib
import functools
import tempfile
from pathlib import Path

from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.terraform import CONFIGURATION, write_files

from tests.support.terraform import PROVIDER, Terraform

from . import terraform
from .results import DIFFERING, MATCHED, Result

Case = terraform.Case


def cases(directory: Path) -> list[Case]:
    """The cases of clouds whose provider this machine may have."""
    return [case for case in terraform.cases(directory) if case.provider in PROVIDER.split("/")]


def compare(case: Case) -> list[Result]:
    """One result: valid, or what Terraform says. Needs Terraform and its provider (support.terraform.why_not)."""
    try:
        files = terraform.rendered(case)
    except KopsError as error:
        return [Result(case.name, CONFIGURATION, DIFFERING, f"refused: {error}")]
    with tempfile.TemporaryDirectory() as directory:
        write_files(files, directory)
        problems = _terraform().validate(Path(directory))
    return [Result(case.name, CONFIGURATION, DIFFERING if problems else MATCHED, "\n".join(problems))]


@functools.cache
def _terraform() -> Terraform:
    """One for all cases, ended with the program."""
    stack = contextlib.ExitStack()
    atexit.register(stack.close)
    running = Terraform(Path(stack.enter_context(tempfile.TemporaryDirectory())), {})
    stack.enter_context(running.attached())
    return running
