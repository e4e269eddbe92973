# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Static pods: manifests in the kubelet's directory.

The kubelet restarts a static pod when its manifest changes. A pod that must be restarted because of restartOn gets a
number in its annotations. The record has this number before the items are changed that cause the restart.

Some pods only fail until other pods work, and then the kubelet delays their restarts. Their manifests are written last.
The images of pods are pulled as soon as containerd runs, several at once, while the kubelet starts and pods wait.
"""

from __future__ import annotations

import contextlib
import queue
import re
import threading
from collections.abc import Iterable, Sequence

from ...base.errors import KopsError
from ...base.report import Step
from ...exchange.items import File, StaticPod
from ..context import Context, Phase
from ..system.host import Host
from ..system.machine import MANIFESTS
from . import checks
from .files import plan_file

ANNOTATION = "kops.k8s.io/started-anew"
_IMAGE = re.compile(r"^ +(?:- )?image: [\"']?([^\s\"']+)", re.MULTILINE)
# ctr uses containerd like the kubelet does; other clients such as crictl may not be installed.
_RUNTIME = "containerd.service"
PULL = ("ctr", "--namespace=k8s.io", "images", "pull", "--hosts-dir=/etc/containerd/certs.d")
PARALLEL = 2
_NUMBER = re.compile(rf'^ +{re.escape(ANNOTATION)}: "(\d+)"$', re.MULTILINE)
_METADATA = re.compile(r"^metadata:\n(?:  annotations:\n)?", re.MULTILINE)


def plan(context: Context) -> Phase:
    """Plan the manifests. Must be called after all parts that restartOn can refer to."""
    pods = context.config.static_pods
    steps = [_plan_pod(context, pod) for pod in pods]
    if any(step.waits for step in steps):
        # One that is lost must not come back in another version than those beside it.
        for pod, step in zip(pods, steps):
            step.waits = step.waits or (step.changed and _is_lost(context, pod, step))

    def pull() -> None:
        due = [pod for pod, step in zip(pods, steps) if step.due]
        _pull(context.host, [pod for pod in due if not pod.last] + [pod for pod in due if pod.last])

    context.then[_RUNTIME] = pull

    def act() -> None:
        changed = [(pod, step) for pod, step in zip(pods, steps) if step.due]
        _place([step for pod, step in changed if not pod.last])
        last = [(pod, step) for pod, step in changed if pod.last]
        if last and not context.deferring:  # Else, what they need works already, and is not checked.
            if _RUNTIME not in context.restarted:
                pull()
            checks.wait(context, without=[pod.name for pod in pods if pod.last])
        _place([step for _pod, step in last])

    return Phase(steps, act, separable=True)


def _place(steps: Sequence[Step]) -> None:
    for step in steps:
        if step.act is not None:
            step.act()


def _pull(host: Host, pods: Iterable[StaticPod]) -> None:
    """Start to pull the images of the pods. Errors are ignored, because the kubelet pulls missing images itself."""
    images: queue.SimpleQueue[str] = queue.SimpleQueue()
    for image in dict.fromkeys(image for pod in pods for image in _IMAGE.findall(pod.content)):
        images.put(image)

    def pull() -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                image = images.get_nowait()
                with contextlib.suppress(KopsError):
                    host.run(*PULL, image, timeout=300)

    for _number in range(PARALLEL):
        threading.Thread(target=pull, daemon=True).start()


def _plan_pod(context: Context, pod: StaticPod) -> Step:
    path = _path(pod)
    number = context.before.pods.get(pod.name, 0)
    # A new pod needs no restart.
    if context.changes(pod.restart_on) and path in context.before.files:
        number += 1
    if number:
        context.next.pods[pod.name] = number
    content = _numbered(context, pod, number) if number else pod.content
    step = plan_file(context, File(path=path, content=content, mode=0o600), label=pod.label)
    restarted = step.changed and path in context.before.files and not _is_lost(context, pod, step)
    step.interrupts = restarted and pod.interrupts
    # A new version, and not only a restart: versions of programs belong together.
    step.waits = restarted and not _is_same(context, pod, context.read_text(path))
    return step


def _path(pod: StaticPod) -> str:
    return f"{MANIFESTS}/{pod.name}.manifest"


def _is_lost(context: Context, pod: StaticPod, step: Step) -> bool:
    """Whether a manifest of ours has gone. Its pod does not run, so that writing it again interrupts nothing."""
    return step.before is None and _path(pod) in context.before.files


def _is_same(context: Context, pod: StaticPod, written: str) -> bool:
    """Whether a manifest is that of the pod, with any number of restarts."""
    number = _NUMBER.search(written)
    return written == (_numbered(context, pod, int(number.group(1))) if number else pod.content)


def _numbered(context: Context, pod: StaticPod, number: int) -> str:
    begin = _METADATA.search(pod.content)
    if begin is None:
        context.problems.append(f"{pod.label}: its manifest has no line 'metadata:' at the expected place")
        return pod.content
    line = f'    {ANNOTATION}: "{number}"\n'
    heading = begin.group(0) if "annotations" in begin.group(0) else begin.group(0) + "  annotations:\n"
    return pod.content[: begin.start()] + heading + line + pod.content[begin.end() :]
