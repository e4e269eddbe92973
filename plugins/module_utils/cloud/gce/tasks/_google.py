# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of the tasks for objects of Google Cloud."""

from __future__ import annotations

from ....engine.task import Task
from ..cloud import GCECloud


class GoogleTask(Task[GCECloud]):
    """An object of Google Cloud: it is found and written by a client of its APIs."""
