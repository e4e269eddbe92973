# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives a new control plane its credentials over SSH, in clouds whose servers have no identity of their own.

A cloud does this, for each server of a control plane:

1. It makes the server with ``for_server(user_data, nonce)`` (exchange/server_credentials.py). The nonce is
   ``nonce_of(key, cluster, name, birth)``: key is the cluster's secret SERVER_KEY (statestore/secrets.py), birth a text
   by ``new_birth()`` that the cloud keeps as a mark on the server, so that each run knows the nonce, and a successor of
   that name has another one. What a server was made from (made_from.py) is a hash of user data with its placeholder.
2. Once the server has an address: ``hand_over(address, name, nonce, document, access)``, again as long as it raises
   TryAgainLater. document: of ``credentials_document``. The answer is ``mark_of_host(...)`` of its host key.
3. It keeps this and ``mark_of_credentials(key, document)`` as marks on the server: ``is_given(mark, key, document)``
   then says without a connection whether a server has these credentials. Other ones are handed over with
   ``known=`` the mark of its host. A run that is killed before it has marked a server hands over once more.

Nobody knows the host key of a new server. So the server first proves that it is the one: only it was told the nonce,
by the cloud, and it says a hash of its host key that is keyed by the nonce. The credentials are sent over a connection
with this key only. An attacker between controller and server has another key, and no nonce. Whoever reads user data on
a control plane before it has its credentials (no pod runs there then) could stand in for it only from such a place in
the network; afterwards the nonce is good for nothing, as the mark of the host key decides, and a successor has another
nonce. Credentials are on standard input only: in no argument, no file of the controller, no log and no error.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import pathlib
import secrets
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass

from ...base.errors import KopsError
from ...engine.task import TryAgainLater
from ...exchange.server_credentials import CREDENTIALS_FILE, HOST_KEY_TYPE, PROOF_FILE, proof_of

# Of a whole connection, of its beginning, and between signs of life.
_SECONDS, _CONNECT_SECONDS, _ALIVE_SECONDS = 60, 15, 10
# Marks are labels or tags, whose length has bounds.
_MARK_LENGTH, _BIRTH_BYTES, _NONCE_BYTES = 32, 8, 32
_LONGEST_WORD = 300
# Exit codes: of ssh, if it is not that of the command; of the commands below.
_SSH_FAILED, _NO_PROOF, _CUT_OFF, _NOT_ROOT = 255, 90, 91, 92
_PASSWORDLESS = "log in as root, or as a user that may use sudo without a password"

# What ssh says of what no further attempt changes.
_DENIED = ("Permission denied", "Too many authentication failures")
_OTHER_KEY = "Host key verification failed"
_WRONG_SETTINGS = ("Bad configuration option", "Bad owner or permissions", "terminating,", "unsupported option")

_READ_PROOF = f"test -s {PROOF_FILE} || exit {_NO_PROOF}; cat {PROOF_FILE}"
# A file that was cut off is not taken. sync: what is marked as given has to survive a crash.
_WRITE = f"""set -e
umask 077
mkdir -p -m 0755 {os.path.dirname(CREDENTIALS_FILE)}
new=$(mktemp {CREDENTIALS_FILE}.XXXXXX)
trap 'rm -f "$new"' EXIT
trap 'exit {_CUT_OFF}' HUP INT PIPE TERM
cat > "$new"
[ "$(wc -c < "$new")" -eq @LENGTH@ ] || exit {_CUT_OFF}
sync "$new"
mv -f "$new" {CREDENTIALS_FILE}
sync {os.path.dirname(CREDENTIALS_FILE)}"""
_AS_ROOT = f"""if [ "$(id -u)" -eq 0 ]; then exec sh -c @COMMAND@; fi
sudo -n true || exit {_NOT_ROOT}
exec sudo -n sh -c @COMMAND@"""


@dataclass(frozen=True)
class Access:
    """How the controller reaches servers; what is empty is left to ssh's own configuration and agent.

    user: to log in as. usual_user: if neither this nor ssh's configuration names one. key_file: a private key.
    options: further arguments of ssh, such as ``-o ProxyJump=...``. program: ssh itself.
    """

    user: str = ""
    usual_user: str = "root"
    key_file: str = ""
    port: str = ""
    options: tuple[str, ...] = ()
    program: str = "ssh"


def access_of(environment: Mapping[str, str]) -> Access:
    """As Ansible's own variables of the environment say it. Raises KopsError."""
    try:
        words = [
            word
            for name in ("ANSIBLE_SSH_COMMON_ARGS", "ANSIBLE_SSH_EXTRA_ARGS")
            for word in shlex.split(environment.get(name) or "")
        ]
    except ValueError as error:
        raise KopsError(f"ANSIBLE_SSH_COMMON_ARGS or ANSIBLE_SSH_EXTRA_ARGS cannot be read: {error}") from error
    return Access(
        user=environment.get("ANSIBLE_REMOTE_USER") or "",
        key_file=os.path.expanduser(environment.get("ANSIBLE_PRIVATE_KEY_FILE") or ""),
        port=environment.get("ANSIBLE_REMOTE_PORT") or "",
        options=tuple(words),
        program=environment.get("ANSIBLE_SSH_EXECUTABLE") or "ssh",
    )


# -- what a cloud keeps on a server -----------------------------------------------------------------------------------


def new_birth() -> str:
    """A text that tells this server from all that had its name, or will have it. It is no secret."""
    return secrets.token_hex(_BIRTH_BYTES)


def nonce_of(key: bytes, cluster: str, name: str, birth: str) -> bytes:
    """What this server alone is told. key: of the cluster. name: of the server."""
    return _keyed(key, "nonce", cluster, name, birth)[:_NONCE_BYTES]


def mark_of_credentials(key: bytes, document: bytes) -> str:
    """The mark of servers that have these credentials, in hexadecimal; without the cluster's key it says nothing."""
    return _keyed(key, "credentials", document.decode()).hex()[:_MARK_LENGTH]


def is_given(mark: str, key: bytes, document: bytes) -> bool:
    """Whether a server with this mark ("" for none) has these credentials."""
    return hmac.compare_digest(mark.encode(), mark_of_credentials(key, document).encode())


def mark_of_host(host_key: str) -> str:
    """The mark of a host key, in hexadecimal. host_key: type and base64."""
    return hashlib.sha256(host_key.encode()).hexdigest()[:_MARK_LENGTH]


def _keyed(key: bytes, *words: str) -> bytes:
    if not key:
        raise KopsError("the cluster has no key for the credentials of its servers in its state store")
    return hmac.new(key, "\0".join(words).encode(), hashlib.sha256).digest()


# -- handing over -----------------------------------------------------------------------------------------------------


def hand_over(address: str, name: str, nonce: bytes, document: bytes, access: Access, known: str = "") -> str:
    """Give a server its credentials, once it has proved that it is the one; the mark of its host key.

    known: this mark, of a server that has been given credentials before: then the key counts, and no proof.
    Raises TryAgainLater while the server does not answer or has no proof yet, and KopsError for what does not pass:
    a login that is denied, another server at this address, ssh that is not there.
    """
    if access.key_file and not os.path.isfile(access.key_file):
        raise KopsError(f"server {name} cannot be given its credentials: there is no private key {access.key_file}")
    with tempfile.TemporaryDirectory(prefix="kubeops-ssh-") as directory:
        connection = _Connection(address, name, access, pathlib.Path(directory))
        # What the shell of a user says first is no proof.
        proof = connection.run("true" if known else _READ_PROOF, checking="accept-new").rpartition("\n")[2]
        host_key = connection.host_key()
        told, wanted = (mark_of_host(host_key), known) if known else (proof, proof_of(nonce, host_key))
        if not hmac.compare_digest(told.encode(), wanted.encode()):
            raise KopsError(connection.other_server())
        connection.pin(host_key)
        command = shlex.quote(_WRITE.replace("@LENGTH@", str(len(document))))
        connection.run(_AS_ROOT.replace("@COMMAND@", command), checking="yes", stdin=document)
    return mark_of_host(host_key)


class _Connection:
    """Connections to one server, with host keys of their own. directory: is empty, and nobody else reads it."""

    def __init__(self, address: str, name: str, access: Access, directory: pathlib.Path) -> None:
        self._address, self._name, self._access = address, name, access
        self._known_hosts, self._settings = directory / "known_hosts", directory / "config"
        self._settings.write_text(_settings(address, access))

    def run(self, command: str, *, checking: str, stdin: bytes = b"") -> str:
        """What a command of sh prints. checking: StrictHostKeyChecking. Raises TryAgainLater, KopsError."""
        arguments = [*self._options(checking), "--", self._address, f"exec sh -c {shlex.quote(command)}"]
        try:
            done = subprocess.run(  # noqa: S603 - no shell; the program is the user's
                [self._access.program, *arguments],
                input=stdin,
                capture_output=True,
                timeout=_SECONDS,
                env={**os.environ, "LC_ALL": "C"},
                check=False,
            )
        except subprocess.TimeoutExpired:
            # Without its cause, which has what was sent.
            raise TryAgainLater(f"{self._who} did not end a command within {_SECONDS} s") from None
        except OSError as error:
            raise KopsError(
                f"{self._who} cannot be given its credentials: {self._access.program} cannot be run"
                f" ({error.strerror}); install the OpenSSH client on the controller"
            ) from None
        if done.returncode:
            # What a command prints that was sent credentials is not repeated.
            said = done.stderr if stdin else done.stdout + done.stderr
            raise self._failed(done.returncode, said.decode(errors="replace"))
        return done.stdout.decode(errors="replace")

    def host_key(self) -> str:
        """Type and base64 of the key that the server has shown. Raises KopsError."""
        lines = self._known_hosts.read_text().splitlines() if self._known_hosts.exists() else []
        keys = [line.split()[1:3] for line in lines]
        if len(keys) != 1 or keys[0][0] != HOST_KEY_TYPE:
            raise KopsError(f"ssh has not said which host key of the type {HOST_KEY_TYPE} {self._who} has")
        return " ".join(keys[0])

    def pin(self, host_key: str) -> None:
        """No other key is taken from now on."""
        self._known_hosts.write_text(f"{self._name} {host_key}\n")

    def other_server(self) -> str:
        """The sentence for a server that is not the one."""
        return (
            f"another server than {self._name} answers at {self._address}: it cannot prove that it is this server,"
            " and was sent nothing; look at what is between the controller and the server"
        )

    @property
    def _who(self) -> str:
        return f"server {self._name} ({self._address})"

    def _options(self, checking: str) -> list[str]:
        """They count before all others. Nothing is forwarded, nobody is asked, and no other connection is used."""
        told = {
            "BatchMode": "yes",
            "StrictHostKeyChecking": checking,
            "UserKnownHostsFile": str(self._known_hosts),
            "GlobalKnownHostsFile": "/dev/null",
            "HostKeyAlias": self._name,
            "HostKeyAlgorithms": HOST_KEY_TYPE,
            "CheckHostIP": "no",
            "HashKnownHosts": "no",
            "UpdateHostKeys": "no",
            "VerifyHostKeyDNS": "no",
            "NoHostAuthenticationForLocalhost": "no",
            "ControlMaster": "no",
            "ControlPath": "none",
            "ForwardAgent": "no",
            "ForwardX11": "no",
            "ClearAllForwardings": "yes",
            "PermitLocalCommand": "no",
            "RemoteCommand": "none",
            "RequestTTY": "no",
            "LogLevel": "ERROR",
            "ConnectTimeout": str(_CONNECT_SECONDS),
            "ServerAliveInterval": str(_ALIVE_SECONDS),
            "ServerAliveCountMax": "2",
        }
        access = self._access
        given = ["-l", access.user] if access.user else []
        given += ["-i", access.key_file] if access.key_file else []
        given += ["-p", access.port] if access.port else []
        options = [word for name, value in told.items() for word in ("-o", f"{name}={value}")]
        return [*options, "-F", str(self._settings), *given, *access.options]

    def _failed(self, code: int, said: str) -> KopsError:
        """The error for an exit code that is not 0."""
        lines = ["".join(filter(str.isprintable, line))[:_LONGEST_WORD].strip() for line in said.splitlines()]
        last = next((line for line in reversed(lines) if line), f"exit code {code}")
        if code == _NO_PROOF:
            return TryAgainLater(f"{self._who} has not said yet which host key it has: it is starting")
        if code == _NOT_ROOT:
            return KopsError(f"{self._who} cannot be given its credentials: {last}; {_PASSWORDLESS}")
        if code == _CUT_OFF:
            return TryAgainLater(f"the connection to {self._who} broke off")
        if code != _SSH_FAILED:
            return KopsError(f"{self._who} cannot be given its credentials: {last}")
        if denied := next((line for line in lines if any(word in line for word in _DENIED)), ""):
            keys = f"the key {self._access.key_file}" if self._access.key_file else "any key of ssh's own and its agent"
            return KopsError(
                f"{self._who} cannot be given its credentials: SSH with {keys} is refused ({denied}); name user and"
                " key by ANSIBLE_REMOTE_USER and ANSIBLE_PRIVATE_KEY_FILE, or in ssh's configuration, and put keys"
                " with a passphrase into the agent"
            )
        if any(_OTHER_KEY in line for line in lines):
            return KopsError(f"{self.other_server()} ({last})")
        if wrong := next((line for line in lines if any(word in line for word in _WRONG_SETTINGS)), ""):
            return KopsError(f"{self._who} cannot be given its credentials: ssh does not take its settings: {wrong}")
        return TryAgainLater(f"{self._who} does not answer over SSH yet: {last}")


def _settings(address: str, access: Access) -> str:
    """The user's and the system's, and last what counts without them, for this server alone."""
    return f"Include ~/.ssh/config\nInclude /etc/ssh/ssh_config\nHost {address}\n  User {access.usual_user}\n"
