# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All clusters of a state store in one kubeconfig file: kops export kubeconfig --all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...base.errors import KopsError
from ...statestore.store import StateStore
from .export import KubeconfigOptions, KubeconfigResult, export_kubeconfig, remove_from_kubeconfig


def export_all(options: KubeconfigOptions, *, check: bool = False) -> tuple[dict[str, KubeconfigResult], list[str]]:
    """Merge each cluster into the file. The current context of the file stays as it is.

    options: name and switch count for nothing. Returns the results by name, and a warning for each cluster that is left
    out because it cannot be written. Raises KopsError if the store cannot be read, or options contradict each other.
    """
    if options.api_server:
        raise KopsError("api_server is the address of one cluster; give its name instead of all")
    return _each(options, lambda name: export_kubeconfig(replace(options, name=name, switch=False), check=check))


def remove_all(options: KubeconfigOptions, *, check: bool = False) -> tuple[dict[str, KubeconfigResult], list[str]]:
    """Take each cluster of the store out of the file; as export_all()."""
    return _each(options, lambda name: remove_from_kubeconfig(name, options.path, check=check))


def _each(
    options: KubeconfigOptions, work: Callable[[str], KubeconfigResult]
) -> tuple[dict[str, KubeconfigResult], list[str]]:
    found, warnings = {}, []
    for name in StateStore(options.state_store).clusters():
        try:
            found[name] = work(name)
        except KopsError as error:
            warnings.append(f"cluster {name} is left out: {error}")
    return found, warnings
