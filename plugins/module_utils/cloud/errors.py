# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of all clouds. Advice for the user is in the tables of each cloud's errors.py."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping

from ..base.errors import KopsError


class CloudError(KopsError):
    """A cloud refused, or cannot be asked: what to do, and the cloud's own code and message."""


class NoLogin(CloudError):
    """There are no credentials for the cloud on this machine, or the libraries that use them are missing."""


class AccessDenied(CloudError):
    """The credentials lack a permission."""


class Missing(CloudError):
    """There is no such object."""


class Exists(CloudError):
    """What is to be made is there already."""


@contextlib.contextmanager
def explained(explain: Callable[[BaseException, str], KopsError], where: str) -> Iterator[None]:
    """Raise errors of a cloud's library as its errors.py explains them. where: what is being done, and where."""
    try:
        yield
    except Exception as error:
        raise explain(error, where) from error


def as_sentence(
    error: BaseException,
    where: str,
    advice: Mapping[str, str],
    kinds: Mapping[str, type[CloudError]] | None = None,
) -> KopsError:
    """An error of a library as an error for the user; one of ours keeps its kind.

    where: what was being done ("reading the zones of us-east1"). advice: what to do, by the name of the exception's
    class or of one that it derives from. kinds: what it becomes, where that is more than a CloudError.
    """
    head = f"{where}: " if where else ""
    if isinstance(error, CloudError):
        return type(error)(f"{head}{error}")
    if isinstance(error, KopsError):
        return error
    name = next((kind.__name__ for kind in type(error).__mro__ if kind.__name__ in advice), "")
    made = (kinds or {}).get(name, CloudError)
    return made(f"{head}{advice[name]} ({error})" if name else f"{head}{error}")
