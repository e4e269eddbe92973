# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that the kubelet runs by itself: files in its directory.

The kubelet starts such a pod anew when its manifest changes. So one that has to be started anew for what it reads gets
a number into its annotations; the record has the number before anything that it stands for is written.
"""

from __future__ import annotations

import re

from .context import Context, Phase
from .files import plan_file
from .items import File, StaticPod
from .leaving import MANIFESTS
from .report import Step

ANNOTATION = "kops.k8s.io/started-anew"
_METADATA = re.compile(r"^metadata:\n(?:  annotations:\n)?", re.MULTILINE)


def plan(context: Context) -> Phase:
    """Look at the manifests. Comes after everything that restarts may depend on."""
    return Phase([_plan_pod(context, pod) for pod in context.config.static_pods])


def _plan_pod(context: Context, pod: StaticPod) -> Step:
    path = f"{MANIFESTS}/{pod.name}.manifest"
    number = context.before.pods.get(pod.name, 0)
    # A pod that is not there yet reads everything anew in any case.
    if context.changes(pod.restart_on) and path in context.before.files:
        number += 1
    if number:
        context.next.pods[pod.name] = number
    content = _numbered(context, pod, number) if number else pod.content
    step = plan_file(context, File(path=path, content=content, mode=0o600), label=pod.label)
    step.interrupts = step.changed and path in context.before.files
    return step


def _numbered(context: Context, pod: StaticPod, number: int) -> str:
    begin = _METADATA.search(pod.content)
    if begin is None:
        context.problems.append(f"{pod.label}: its manifest has no metadata where they are looked for")
        return pod.content
    line = f'    {ANNOTATION}: "{number}"\n'
    heading = begin.group(0) if "annotations" in begin.group(0) else begin.group(0) + "  annotations:\n"
    return pod.content[: begin.start()] + heading + line + pod.content[begin.end() :]
