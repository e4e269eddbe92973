# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets are found in every form, wherever blocks and lines begin, and what is no secret stays."""

from __future__ import annotations

import base64
import io
import json
import random
import textwrap
from collections import Counter
from collections.abc import Callable
from urllib.parse import quote

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.dump import redaction
from ansible_collections.kubeops.kops.plugins.module_utils.dump.known import HIDDEN, Known, Secret
from ansible_collections.kubeops.kops.plugins.module_utils.dump.redaction import Redaction
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki

KEY = pki.issue(pki.CertificateRequest("ca", pki.Subject("ca")), None).private_key.encode()
TOKEN, PASSWORD, RAW = b"qN8xTzv4RkLm2WpYd6HsBf0GjCu3EaVo", b"corr3ct h0rse", bytes(range(200, 232))
SECRETS = [Secret("key", KEY), Secret("token", TOKEN), Secret("password", PASSWORD), Secret("raw", RAW)]
BODY = b"".join(KEY.splitlines()[1:-1])
# What tokens of Hetzner, DigitalOcean and Linode are like.
HEX = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0"
# One log for a long time.
LINE = b'I1123 06:49:19.1 12345 server.go:42] "Event" pod="kube-system/coredns-5d78c9869d-abcde" latency="12.3ms" ok\n'


def kubeconfig(value: bytes) -> bytes:
    return b"users:\n- name: a\n  user:\n    client-key-data: " + base64.b64encode(value) + b"\n"


def wrapped(value: bytes, width: int) -> bytes:
    return "\n".join(textwrap.wrap(value.decode(), width)).encode()


FORMS: dict[str, Callable[[bytes], bytes]] = {
    "as it is": lambda value: value,
    "in JSON": lambda value: json.dumps({"a": value.decode(errors="surrogateescape")}).encode(errors="surrogateescape"),
    "in a URL": lambda value: b"https://a/?x=" + quote(value, safe="").encode() + b"&y",
    "base64": base64.b64encode,
    "base64 of URLs": base64.urlsafe_b64encode,
    "base64 without its end": lambda value: base64.b64encode(value).rstrip(b"="),
    "base64 in lines of 76": base64.encodebytes,
    "one byte later in base64": lambda value: base64.b64encode(b"x" + value + b"yz"),
    "two bytes later in base64": lambda value: base64.b64encode(b"xy" + value + b"z"),
    "base64 twice": lambda value: base64.b64encode(b"a: " + base64.b64encode(value)),
    "in a kubeconfig in a Secret": lambda value: base64.b64encode(kubeconfig(value)),
    "hexadecimal": lambda value: value.hex().encode(),
}


def pieces(value: bytes) -> list[bytes]:
    """What must not be left of a secret: each piece of a key of 40 characters, or the whole."""
    if value is not KEY:
        return [value, base64.b64encode(value), value.hex().encode()]
    return [BODY[start : start + 40] for start in range(0, len(BODY) - 40, 7)]


def hidden(text: bytes, known: Known, block: int = 1 << 20) -> bytes:
    source, target = io.BytesIO(text), io.BytesIO()
    source.read = lambda _size, read=source.read: read(block)  # type: ignore[misc]
    Redaction(known).copy(source, target)
    return target.getvalue()


def readable(text: bytes) -> bytes:
    """The text with whatever base64 is in it."""
    parts = [text, text.translate(bytes.maketrans(b"-_", b"+/"))]
    for _depth in range(3):
        for word in parts[-1].replace(b'"', b" ").split():
            for skipped in range(4):
                usual = word.translate(bytes.maketrans(b"-_", b"+/"))[skipped:]
                try:
                    parts.append(base64.b64decode(usual[: len(usual) // 4 * 4]))
                except ValueError:
                    break
    return b"\n".join(parts)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("secret", SECRETS, ids=lambda secret: secret.name)
def test_no_form_of_a_known_secret_is_left(form: str, secret: Secret) -> None:
    if secret.name == "key" and form == "hexadecimal":
        pytest.skip("nobody writes PEM in hexadecimal")
    known = Known([secret])
    text = FORMS[form](secret.value)
    assert known.find(text) or secret.name == "key"
    left = hidden(LINE + b"before " + text + b" after\n" + LINE, known)
    assert known.find(left) == ""
    found = readable(left)
    assert [piece for piece in pieces(secret.value) if piece in found] == []
    assert left.count(LINE) == 2


@pytest.mark.parametrize("block", [1 << 20, 4099, 257])
def test_wherever_blocks_begin_nothing_is_left(block: int) -> None:
    """Secrets in random forms at random places; the same with blocks that cut them in two."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    chance, known = random.Random(seed), Known(SECRETS)
    text = b""
    for _each in range(60):
        secret, form = chance.choice(SECRETS), chance.choice(sorted(FORMS))
        if secret.name == "key" and form == "hexadecimal":
            continue
        text += LINE * chance.randrange(30) + chance.randbytes(4).hex().encode() + b" "
        text += FORMS[form](secret.value) + chance.choice((b" ok\n", b"\n", b'"\n'))
    left = hidden(text, known, block)
    found = readable(left)
    for secret in SECRETS:
        assert [piece for piece in pieces(secret.value) if piece in found] == []
    assert known.find(left) == ""
    # What is no secret is still there, but for lines of a key that has not ended in its block.
    assert left.count(LINE) == text.count(LINE)


def test_a_piece_of_a_key_is_found() -> None:
    """A log that was cut off, or a key whose lines are broken elsewhere."""
    known, chance = Known([Secret("key", KEY)]), random.Random(4)
    for _each in range(50):
        start = chance.randrange(len(BODY) - 60)
        removed: Counter[str] = Counter()
        assert known.hide(b"x " + BODY[start : start + 45] + b" y", removed) == b"x (hidden) y"
        assert removed == {"key": 1}
    rewrapped = b"\n".join(BODY[start : start + 76] for start in range(0, len(BODY), 76))
    left = known.hide(rewrapped, Counter())
    assert {word.rstrip(b"=") for word in left.split()} == {HIDDEN}


def test_a_key_without_a_name_is_found_though_nobody_knows_it() -> None:
    text = LINE + KEY + LINE
    for given in (
        text,
        text.replace(b"\n", b"\\n"),
        b"".join(b"Nov 23 a b[1]: " + line for line in text.splitlines(True)),
    ):
        for block in (1 << 20, 100):
            left = hidden(given, Known(), block)
            assert [piece for piece in pieces(KEY) if piece in left] == []
            assert left.count(b"server.go:42") == 2
    # Its begin or its end may be missing.
    for cut in (text[: text.index(BODY[600:620])], text[text.index(BODY[100:120]) :]):
        left = hidden(cut, Known())
        assert [piece for piece in pieces(KEY) if piece in left] == []
    assert HIDDEN in hidden(base64.b64encode(KEY), Known())


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Authorization: Bearer abcdef0123456789", "abcdef0123456789"),
        ('"Authorization": ["Basic dXNlcjpodW50ZXIy"]', "dXNlcjpodW50ZXIy"),
        ("authorization: AWS4-HMAC-SHA256 Credential=a/b, Signature=0123abcd", "0123abcd"),
        ("curl -H 'X: bearer AbCdEf0123456789xyz'", "AbCdEf0123456789xyz"),
        ("x eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhYmMifQ.c2lnbmF0dXJl y", "eyJzdWIiOiJhYmMifQ"),
        ("aws_access_key_id = AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI"),
        ("https://s3/x?X-Amz-Credential=a&X-Amz-Signature=0123456789abcdef&z", "0123456789abcdef"),
        ("kubeadm join --token abcdef.0123456789abcdef 10.0.0.1", "0123456789abcdef"),
        ("    client-key-data: LS0tLS1CRUdJTg==", "LS0tLS1CRUdJTg"),
        ("passwd:amd64x-hunter22 y", "hunter22"),
        ("http_proxy=http://bob:hunter22@proxy:3128", "hunter22"),
        ("https://0123456789abcdef0123@github.com/x", "0123456789abcdef0123"),
        ('{"auths": {"r": {"auth": "Ym9iOmh1bnRlcjI="}}}', "Ym9iOmh1bnRlcjI"),
        ('{\\"auths\\": {\\"r\\": {\\"auth\\": \\"Ym9iOmh1bnRlcjI=\\"}}}', "Ym9iOmh1bnRlcjI"),
        ("DB_PASSWORD=hunter22 x", "hunter22"),
        ('password: "hunter22"', "hunter22"),
        ("--token=abcdefgh", "abcdefgh"),
        ("api_key: 12345678", "12345678"),
        ("- name: key1\n  secret: c2VjcmV0IGtleSBvZiAzMiBieXRlcyBmb3IgYWVz", "c2VjcmV0IGtleSBv"),
        ("ghp_0123456789abcdefABCDEF", "0123456789abcdefABCDEF"),
        (f"HCLOUD_TOKEN={HEX}", HEX),
        (f'"envs": [{{"key": "HCLOUD_TOKEN", "value": "{HEX}"}}]', HEX),
        (f'[{{"name":"HCLOUD_TOKEN","value":"{HEX}"}}]', HEX),
        (f'  "key": "OS_PASSWORD",\n  "value": "{HEX}"', HEX),
        (f"    - name: HCLOUD_TOKEN\n      value: {HEX}", HEX),
        (f"    - name: AWS_SECRET_ACCESS_KEY\n      value: {HEX}", HEX),
        (f"doctl auth init -t dop_v1_{HEX}", HEX),
        (f"refreshed doo_v1_{HEX}, dor_v1_{HEX}", HEX),
        (f"LINODE_TOKEN={HEX}", HEX),
        (f'{{"apiToken": "{HEX}"}}', HEX),
        ("export OS_PASSWORD='hunter22'", "hunter22"),
        ("OS_APPLICATION_CREDENTIAL_SECRET=hunter22", "hunter22"),
        ('application-credential-secret="hunter22"', "hunter22"),
        (f"token issued: gAAAAABn{HEX}==", HEX),
        ("SCW_SECRET_KEY=0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", "a5b4c3d2e1f0"),
        ("access key SCWABCDEFGHIJ0123456 is gone", "ABCDEFGHIJ0123456"),
        (f"X-Auth-Token: {HEX}", HEX),
        ('"aadClientSecret": "Abc8Q~d.f_hunter22"', "hunter22"),
        (f"metadata: ya29.c.{HEX}", HEX),
    ],
)
def test_what_looks_like_a_secret_is_removed(text: str, secret: str) -> None:
    left = hidden(LINE + text.encode() + b"\n" + LINE, Known())
    assert secret not in left.decode()
    assert b"(hidden)" in left
    assert left.count(LINE) == 2
    assert hidden(left, Known()) == left


@pytest.mark.parametrize("block", range(20, 80, 3))
def test_a_variable_and_its_value_are_not_read_apart(block: int) -> None:
    left = hidden(b"  env:\n  - name: HCLOUD_TOKEN\n    value: " + HEX.encode() + b"\n", Known(), block)
    assert left == b"  env:\n  - name: HCLOUD_TOKEN\n    value: (hidden)\n"


@pytest.mark.parametrize(
    "text",
    [
        'pod="kube-system/coredns" secret="kube-system/token-abcde"',
        "image: registry.k8s.io/pause@sha256:7031c1b283388d2c2e09b57badb803c05ebed362dc88d84b480cc47f72a21097",
        "secretName: dockerconfig\n  tokenExpirationSeconds: 3600\n  automountServiceAccountToken: true",
        "uid: 0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0",
        "https://10.0.0.1:6443/api/v1/namespaces?limit=500",
        "-----BEGIN CERTIFICATE-----\nMIIDBTCCAe2gAwIBAgIIYUCkm1Y\n-----END CERTIFICATE-----",
        "failed to rotate tokens: no such file",
        "node-1.cluster.local and server.internal-example-x",
        "- name: HCLOUD_TOKEN\n  valueFrom:\n    secretKeyRef: {name: hcloud, key: value}",
        "scwcontroller and SCW_DEFAULT_PROJECT_ID=0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0",
        "status installed passwd:amd64 1:4.13+dfsg1-1+deb12u2",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert hidden(text.encode() + b"\n", Known(SECRETS)) == text.encode() + b"\n"


def test_a_line_that_never_ends_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redaction, "LONGEST_LINE", 10_000)
    left = hidden(LINE + b"x" * 50_000 + TOKEN + b"\n" + LINE, Known(SECRETS), 1000)
    assert left == LINE + b"(a line of more than 10000 bytes is left out)\n" + LINE


def test_a_secret_that_is_a_common_word_is_named() -> None:
    known = Known([Secret("short", b"ab"), Secret("token", TOKEN)])
    assert (known.count, known.too_short) == (2, ["short"])


def test_secrets_have_no_representation() -> None:
    assert TOKEN.decode() not in repr(Secret("token", TOKEN))
