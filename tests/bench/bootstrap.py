# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fleet of simulated workers that start at once, and then bad requests, against one bootstrap server.

Each worker loads the program and the NodeConfig, has three keys certified, and connects from an address of its own. The
server is the node program in a process of its own; the account that it asks (moto) and the workers share the machine.
Printed: times of the whole fleet and of single requests, CPU time and largest memory of the server.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.exchange.document import content_hash
from ansible_collections.kubeops.kops.tests.support import fake_kubernetes
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.bad_requests import bad_requests, send
from ansible_collections.kubeops.kops.tests.support.bootstrapping import BootstrapServer, Worker, new_keys

_PAUSE, _PATIENCE = 1.0, 300
_TICKS = os.sysconf("SC_CLK_TCK")


def usage(server: BootstrapServer) -> dict[str, float]:
    """CPU seconds, and the largest resident memory in MiB so far. What openssl uses is counted, too."""
    process = pathlib.Path(f"/proc/{server.process.pid}")
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    lines = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    return {
        "cpu_s": round(sum(map(int, fields[11:15])) / _TICKS, 2),
        "largest_memory_mib": round(int(lines["VmHWM"].split()[0]) / 1024, 1),
        "threads": int(lines["Threads"]),
    }


def join(server: BootstrapServer, worker: Worker, keys: dict[str, str]) -> tuple[float, int]:
    """Do as a worker does. Returns how long its last try took, and how many it needed."""
    program, end, tries = f"/program/{content_hash(server.program)}", time.monotonic() + _PATIENCE, 0
    loaded = False
    while time.monotonic() < end:
        begin, tries = time.monotonic(), tries + 1
        try:
            loaded = loaded or server.ask("GET", program, source=worker.source) == (200, server.program)
            if loaded and server.bootstrap(worker, keys)[0] == 200:
                return time.monotonic() - begin, tries
        except OSError:
            # Too many connections at once.
            pass
        time.sleep(_PAUSE)
    raise SystemExit(f"{worker.instance} has not joined\n{server.log()[-2000:]}")


def fleet(server: BootstrapServer, count: int) -> dict[str, Any]:
    """All at once. The keys of all workers are made before, as each has a machine of its own for that."""
    workers = [
        Worker(each.instance, each.address, each.credentials, f"127.1.{number // 250}.{number % 250 + 1}")
        for number, each in enumerate(server.workers(count))
    ]
    with ThreadPoolExecutor(2) as pool:
        keys = list(pool.map(lambda _worker: new_keys()[1], workers))
    before, begin = usage(server), time.monotonic()
    with ThreadPoolExecutor(count) as pool:
        joined = list(pool.map(join, [server] * count, workers, keys))
    seconds = [each for each, _tries in joined]
    after = usage(server)
    return {
        "workers": count,
        "all_s": round(time.monotonic() - begin, 1),
        "median_s": round(statistics.median(seconds), 2),
        "slowest_s": round(max(seconds), 2),
        "tries": sum(tries for _seconds, tries in joined),
        **after,
        "cpu_s": round(after["cpu_s"] - before["cpu_s"], 2),
    }


def fuzz(server: BootstrapServer, count: int) -> dict[str, Any]:
    """Bad requests, one after the other in a few threads; then a good one."""
    worker = server.worker(source="127.2.0.1")
    before, begin = usage(server), time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda each: send(server, *each), bad_requests(server, worker, count)))
    seconds = time.monotonic() - begin
    good = server.bootstrap(worker, new_keys()[1])[0]
    after = usage(server)
    if good != 200 or 200 in statuses or 500 in statuses:
        raise SystemExit(f"the server answered {good} to a good request, {sorted(set(statuses))} to bad ones")
    counted = {str(status): statuses.count(status) for status in sorted(set(statuses))}
    return {
        "bad_requests": count,
        "all_s": round(seconds, 1),
        "statuses": counted,
        "afterwards": good,
        **after,
        "cpu_s": round(after["cpu_s"] - before["cpu_s"], 2),
    }


def main() -> None:
    """Measure, and print one JSON object for each part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=200)
    parser.add_argument("--bad", type=int, default=10000)
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as directory,
        AWSServer(checked=True) as aws,
        fake_kubernetes.serving() as kubernetes,
    ):
        server = BootstrapServer(pathlib.Path(directory), aws, kubernetes.url)
        server.fill()
        with server.running():
            print(json.dumps(fleet(server, arguments.workers)), flush=True)
            if arguments.bad:
                print(json.dumps(fuzz(server, arguments.bad)), flush=True)


if __name__ == "__main__":
    main()
