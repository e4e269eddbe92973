# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Imports container images from archives, for nodes that cannot pull them from a registry."""

from __future__ import annotations

from ...base.report import Step
from ...exchange.items import Image
from ..context import Context, Phase
from ..system.fetch import Fetch

# Without the timeout, ctr would wait a long time for a containerd that does not run.
_CTR = ("ctr", "--connect-timeout", "1s", "--namespace", "k8s.io", "images")


def plan(context: Context) -> Phase:
    """Plan the import of images that containerd does not have; without a running containerd, of all."""
    images = context.config.images
    if not images:
        return Phase()
    there = set(context.host.run(*_CTR, "list", "--quiet", timeout=30).output.split())
    return Phase([_plan_image(context, image, there) for image in images])


def _plan_image(context: Context, image: Image, there: set[str]) -> Step:
    imported = context.before.images.get(image.name, image.sha256)
    listed = _is_listed(image.name, there, context.host.architecture())
    step = Step(image.label, not listed or imported != image.sha256)
    if not step.changed:
        context.next.images[image.name] = image.sha256
        return step
    step.before, step.after = ("another archive" if listed else None), {"sha256": image.sha256}
    step.act = lambda: _import(context, image)
    context.fetches.append(Fetch(image.label, image.urls, image.sha256, image.size))
    return step


def _is_listed(name: str, there: set[str], architecture: str) -> bool:
    """Whether containerd has the image: by its full name, or by the last part of its repository."""
    words = {each.rpartition("/")[2].partition(":")[0] for each in there}
    return name in there or not words.isdisjoint((name, f"{name}-{architecture}"))


def _import(context: Context, image: Image) -> None:
    context.host.check_output(*_CTR, "import", context.fetched[image.sha256])
    context.next.images[image.name] = image.sha256
    context.save()
