# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asking the API from a node, as often as one likes, as the node's kubelet does: by a name with several addresses."""

from __future__ import annotations

import dataclasses
import functools
import subprocess

from ansible_collections.kubeops.kops.tests.lab import cluster, hosts
from ansible_collections.kubeops.kops.tests.lab.commands import run

PER_SECOND = 5
_STOP = "/run/probe-is-over"
# With the kubelet's certificate, for an object that comes out of etcd. curl tries all addresses of the name.
_SCRIPT = """
set -eu
directory=$(mktemp -d)
python3 - "$directory" <<'END'
import base64, os, re, sys
text = open("/var/lib/kubelet/kubeconfig").read()
os.umask(0o077)
for word in ("certificate-authority", "client-certificate", "client-key"):
    data = re.search(word + "-data: *([^ \\n]+)", text).group(1)
    open(f"{sys.argv[1]}/{word}", "wb").write(base64.b64decode(data))
END
cd "$directory"
rm -f STOP
while [ ! -e STOP ]; do
  next=$(($(date +%s%N) + 1000000000 / RATE))
  code=$(curl --silent --output answer --max-time 2 --cacert certificate-authority --cert client-certificate \\
    --key client-key --write-out '%{http_code}' "https://SERVER/api/v1/nodes/NODE") || true
  grep -q '"kind": *"Node"' answer || code="$code, no node"
  echo "$(date +%T) $code"
  : >answer
  wait=$((next - $(date +%s%N)))
  [ "$wait" -le 0 ] || sleep "0.$(printf %09d "$wait")"
done
rm -r "$directory"
"""


@dataclasses.dataclass(frozen=True)
class Seen:
    """asked: how often. failed: moment and answer of each request that failed."""

    asked: int
    failed: list[str]

    def __str__(self) -> str:
        return f"{len(self.failed)} of {self.asked} requests failed" + "".join(f"\n  {each}" for each in self.failed)


class Probe:
    """Asks from the moment that it is made until stop() is called, or the body of `with` ends.

    node: that asks. name: of the cluster. prefix: with the node's name, the container.
    """

    def __init__(self, node: str, name: str = cluster.NAME, prefix: str = hosts.PREFIX) -> None:
        self._container = prefix + node
        words = {"STOP": _STOP, "RATE": str(PER_SECOND), "SERVER": f"api.internal.{name}", "NODE": node}
        script = functools.reduce(lambda text, word: text.replace(word, words[word]), words, _SCRIPT)
        command = ("podman", "exec", self._container, "sh", "-c", script)
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.seen = Seen(0, [])

    def stop(self) -> Seen:
        """What was seen."""
        if self._process.stdout is not None and not self._process.stdout.closed:
            run("podman", "exec", self._container, "touch", _STOP)
            lines = self._process.communicate()[0].splitlines()
            self.seen = Seen(len(lines), [line for line in lines if not line.endswith(" 200")])
        return self.seen

    def __enter__(self) -> Probe:
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()
