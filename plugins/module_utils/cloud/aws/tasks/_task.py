# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of the tasks for objects of AWS."""

from __future__ import annotations

from ....engine.task import Task
from ..cloud import AWSCloud


class AWSTask(Task[AWSCloud]):
    """An object of AWS: it is found and written by a client of AWS."""
