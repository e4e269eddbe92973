# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.origin import (
    Origin,
    another_origin,
    certificates_in,
    origin_of,
)

HERE, THERE = "s3://here/demo.example.com", "s3://there/demo.example.com"
OURS = "-----BEGIN CERTIFICATE-----\nb3Vy\ncw==\n-----END CERTIFICATE-----\n"
THEIRS = OURS.replace("b3Vy", "dGhlaXJz")


def _boot(**boot: object) -> str:
    return f"#!/bin/bash\ncat > /etc/kubeops/boot.json << '__EOF_BOOT'\n{json.dumps(boot)}\n__EOF_BOOT\n"


def _kops(environment: str, *, compressed: bool = False) -> str:
    text = f"CloudProvider: aws\nClusterName: demo.example.com\n{environment}InstanceGroupName: nodes\n"
    if not compressed:
        return f"#!/bin/bash\ncat > conf/kube_env.yaml << '__EOF_KUBE_ENV'\n{text}\n__EOF_KUBE_ENV\n"
    packed = base64.b64encode(gzip.compress(text.encode())).decode()
    return f'#!/bin/bash\necho "{packed}" | base64 -d | gzip -d > conf/kube_env.yaml\n'


def _of_worker(certificate: str) -> str:
    lines = "".join(f"    {line}\n" for line in certificate.splitlines())
    return f"ConfigServer:\n  CACertificates: |\n{lines}  servers:\n  - https://kops-controller:3988/\n"


@pytest.mark.parametrize("compressed", [False, True])
def test_what_kops_says(compressed: bool) -> None:
    assert origin_of(_kops(f"ConfigBase: {HERE}\n", compressed=compressed)) == Origin(HERE)
    found = origin_of(_kops(_of_worker(OURS), compressed=compressed))
    assert found == Origin(authorities=certificates_in(OURS))


def test_what_this_collection_says() -> None:
    assert origin_of(_boot(store=HERE, keysets={"kubernetes-ca": ["7"], "etcd": ["8"]})) == Origin(
        HERE, key_pairs=frozenset({"7"})
    )
    assert origin_of(_boot(servers={"ca": OURS})) == Origin(authorities=certificates_in(OURS))


@pytest.mark.parametrize(
    "text", ["", "#!/bin/bash\necho hello\n", 'echo "AAAA" | base64 -d | gzip -d > conf/kube_env.yaml']
)
def test_what_says_nothing(text: str) -> None:
    assert origin_of(text) == Origin()


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], None),
        (["#!/bin/bash\n"], None),
        ([_kops(f"ConfigBase: {HERE}\n")], None),
        ([_kops(f"ConfigBase: {THERE}\n")], THERE),
        # A store that was moved, or renamed, keeps its keys; one that was made anew does not.
        ([_kops(f"ConfigBase: {THERE}\n"), _kops(_of_worker(OURS))], None),
        ([_kops(f"ConfigBase: {HERE}\n"), _kops(_of_worker(THEIRS))], HERE),
        ([_boot(store=THERE, keysets={"kubernetes-ca": ["7", "9"]})], None),
        ([_boot(store=HERE, keysets={"kubernetes-ca": ["9"]})], HERE),
        ([_boot(store=THERE, keysets={"kubernetes-ca": ["9"]}), _boot(servers={"ca": OURS + THEIRS})], None),
        ([_boot(servers={"ca": THEIRS})], ""),
    ],
)
def test_whose_objects_these_are(texts: Iterable[str], expected: str | None) -> None:
    found = another_origin(map(origin_of, texts), HERE, certificates_in(OURS), ["6", "7"])
    assert (found.store if found else None) == expected
