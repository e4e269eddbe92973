# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How completion says that it cannot go on."""

from __future__ import annotations

from ..base.errors import FieldError, ValidationError


def invalid(path: str, message: str, value: object = None, *, subject: str = "") -> ValidationError:
    """An error at one field, to be raised. path: in the hub's spelling; subject: the object, if not the cluster."""
    return ValidationError([FieldError("Invalid", path, message, value)], subject)


def required(path: str, message: str, *, subject: str = "") -> ValidationError:
    """An error about a field that is missing and that completion cannot infer, to be raised."""
    return ValidationError([FieldError("Required", path, message)], subject)


def not_found(path: str, message: str, value: object, *, subject: str = "") -> ValidationError:
    """An error about a field that names something which the cloud does not have, to be raised."""
    return ValidationError([FieldError("NotFound", path, message, value)], subject)
