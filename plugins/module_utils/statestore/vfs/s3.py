# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""s3://: a store in a bucket of Amazon S3 or of a compatible service.

Environment variables are named as in kops: S3_ENDPOINT with S3_REGION, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY for
compatible services, KOPS_STATE_S3_ACL for the canned ACL of all objects. AWS_ENDPOINT_URL is the SDK's own.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, ClassVar

from . import boto
from .path import Listed, StoreError, VFSPath, WriteConflict

if TYPE_CHECKING:
    import boto3

# The maximum of one DeleteObjects request.
DELETE_BATCH = 1000
# Attempts to read an object whose connection breaks: as many as the SDK's own downloads make.
READ_ATTEMPTS = 5
DEFAULT_REGION = "us-east-1"

_CREDENTIAL_CODES = frozenset(
    ["ExpiredToken", "InvalidAccessKeyId", "InvalidClientTokenId", "InvalidToken", "SignatureDoesNotMatch"]
)
_CONFLICT_CODES = frozenset(["PreconditionFailed", "ConditionalRequestConflict", "412"])


class Bucket:
    """One bucket: its client, its region, its encryption. Each is requested once. scheme: of its address."""

    def __init__(self, name: str, session: boto3.Session | None = None, scheme: str = "s3") -> None:
        self.name = name
        self.url = f"{scheme}://{name}"
        self._session = session
        self._lock = threading.RLock()
        self._client: Any = None
        self._region: str | None = None
        self._encrypts: bool | None = None
        self._is_public: bool | None = None
        self._versioning: dict[str, Any] | None = None

    @property
    def client(self) -> Any:
        """The boto3 client. The SDK finds the bucket's region."""
        with self._lock:
            if self._client is None:
                self._client = self._connect()
            return self._client

    def _connect(self) -> Any:
        import botocore.config

        options: dict[str, Any] = {"retries": {"mode": "standard", "max_attempts": 5}, "max_pool_connections": 32}
        endpoint = compatible_endpoint()
        if not endpoint:
            session = self._session or boto.default_session()
            return boto.client(session, "s3", config=botocore.config.Config(**options))
        missing = [name for name in ("S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY") if not os.environ.get(name)]
        if missing:
            raise StoreError(f"S3_ENDPOINT is set, so {' and '.join(missing)} must be set too")
        # Compatible services often support neither the SDK's newer checksums nor bucket.host names.
        options.update(
            s3={"addressing_style": "path"},
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        )
        return boto.client(
            boto.default_session(),
            "s3",
            endpoint_url=endpoint,
            region_name=os.environ.get("S3_REGION") or DEFAULT_REGION,
            aws_access_key_id=os.environ["S3_ACCESS_KEY_ID"],
            aws_secret_access_key=os.environ["S3_SECRET_ACCESS_KEY"],
            config=botocore.config.Config(**options),
        )

    @property
    def region(self) -> str:
        """The region of the bucket."""
        with self._lock:
            if self._region is None:
                self._region = self._find_region()
            return self._region

    def _find_region(self) -> str:
        if os.environ.get("S3_ENDPOINT"):
            return os.environ.get("S3_REGION") or DEFAULT_REGION
        with self.explained("find the region of"):
            answer = self.client.head_bucket(Bucket=self.name)
        return answer.get("BucketRegion") or DEFAULT_REGION

    @property
    def encrypts(self) -> bool:
        """Whether the bucket has a default encryption; then writes do not request another one."""
        from botocore.exceptions import ClientError

        with self._lock:
            if self._encrypts is None:
                try:
                    answer = self.client.get_bucket_encryption(Bucket=self.name)
                    rules = answer["ServerSideEncryptionConfiguration"]["Rules"]
                    self._encrypts = any("ApplyServerSideEncryptionByDefault" in rule for rule in rules)
                except ClientError:
                    # Not configured, not allowed to read, or not implemented: then each write requests encryption.
                    self._encrypts = False
            return self._encrypts

    @property
    def is_public(self) -> bool:
        """Whether the bucket's policy makes it public; such buckets usually refuse object ACLs."""
        from botocore.exceptions import ClientError

        with self._lock:
            if self._is_public is None:
                try:
                    answer = self.client.get_bucket_policy_status(Bucket=self.name)
                    self._is_public = bool(answer.get("PolicyStatus", {}).get("IsPublic"))
                except ClientError:
                    # No policy, not allowed to read, or not implemented: then objects get an ACL.
                    self._is_public = False
            return self._is_public

    @property
    def keeps_versions(self) -> bool | None:
        """Whether versioning is switched on; None if that may not be read, or is not implemented."""
        from botocore.exceptions import ClientError

        with self._lock:
            if self._versioning is None:
                try:
                    self._versioning = self.client.get_bucket_versioning(Bucket=self.name)
                except ClientError:
                    self._versioning = {"Status": None}
            status = self._versioning.get("Status", "")
            return None if status is None else status == "Enabled"

    @contextmanager
    def explained(self, doing: str, what: str = "") -> Iterator[None]:
        """Turn the SDK's errors within the block into StoreError, WriteConflict or FileNotFoundError.

        Errors that do not concern a single file name the bucket.
        """
        from botocore.exceptions import (
            BotoCoreError,
            ClientError,
            ConnectionError,
            HTTPClientError,
            NoCredentialsError,
            PartialCredentialsError,
        )
        from urllib3.exceptions import ProtocolError

        store = self.url
        subject = what or store
        try:
            yield
        except (NoCredentialsError, PartialCredentialsError) as error:
            raise StoreError(
                f"cannot {doing} {store}: no AWS credentials found; set AWS_PROFILE, or AWS_ACCESS_KEY_ID and "
                "AWS_SECRET_ACCESS_KEY, or run with an IAM role"
            ) from error
        except ClientError as error:
            raise self._refused(doing, subject, error) from error
        except (ConnectionError, HTTPClientError, ProtocolError) as error:
            raise StoreError(
                f"cannot {doing} {store}: {error}; check the network, proxies, and AWS_ENDPOINT_URL or S3_ENDPOINT"
            ) from error
        except BotoCoreError as error:
            raise StoreError(f"cannot {doing} {subject}: {error}") from error

    def _refused(self, doing: str, subject: str, error: Any) -> Exception:
        code, message = str(error.response["Error"].get("Code")), str(error.response["Error"].get("Message") or "")
        if code == "NoSuchKey":
            return FileNotFoundError(subject)
        if code in _CONFLICT_CODES:
            return WriteConflict(f"{subject} was changed meanwhile")
        if code == "NoSuchBucket" or (code == "404" and error.operation_name == "HeadBucket"):
            return StoreError(f"cannot {doing} {self.url}: the bucket {self.name} does not exist; create it first")
        if code in _CREDENTIAL_CODES:
            return StoreError(f"cannot {doing} {self.url}: the credentials were refused ({code}: {message})")
        return StoreError(f"cannot {doing} {subject}: {code}: {message}")


_BUCKETS: dict[tuple[Any, ...], Bucket] = {}
_BUCKETS_LOCK = threading.Lock()


def compatible_endpoint() -> str:
    """Of a compatible service; "" for Amazon's own. kops takes it without https://, too."""
    endpoint = os.environ.get("S3_ENDPOINT", "")
    return endpoint if not endpoint or "://" in endpoint else f"https://{endpoint}"


def _bucket(name: str, session: boto3.Session | None, scheme: str) -> Bucket:
    settings = ("S3_ENDPOINT", "S3_REGION", "S3_ACCESS_KEY_ID", "AWS_ENDPOINT_URL", "AWS_PROFILE", "AWS_ACCESS_KEY_ID")
    key = (scheme, name, session, *(os.environ.get(setting) for setting in settings))
    with _BUCKETS_LOCK:
        return _BUCKETS.setdefault(key, Bucket(name, session, scheme))


class S3Path(VFSPath):
    """An object in a bucket."""

    scheme: ClassVar[str] = "s3"

    def __init__(self, bucket: Bucket, key: str) -> None:
        self.bucket = bucket
        self.key = key

    @classmethod
    def open(cls, location: str, **auth: Any) -> S3Path:
        """The path for what follows ``scheme://``. auth: session, a boto3.Session instead of the SDK's default."""
        name, _separator, key = location.partition("/")
        if not name:
            raise StoreError(
                f"{cls.scheme}:// needs a bucket, for example {cls.scheme}://bucket or {cls.scheme}://bucket/prefix"
            )
        return cls(_bucket(name, auth.get("session"), cls.scheme), key.strip("/"))

    @property
    def path(self) -> str:
        return f"{self.bucket.url}/{self.key}".rstrip("/")

    @property
    def region(self) -> str:
        """The region of the bucket; Terraform's provider needs it."""
        return self.bucket.region

    @property
    def server_side_encryption(self) -> str | None:
        """The encryption that a write requests: AES256, or None if the bucket has a default."""
        with self.bucket.explained("write", self.path):
            return None if self.bucket.encrypts else "AES256"

    def acl(self, public: bool) -> str | None:
        """The canned ACL of a write: KOPS_STATE_S3_ACL for all objects, else public-read for public ones.

        A bucket with a public policy needs none.
        """
        configured = os.environ.get("KOPS_STATE_S3_ACL", "").strip()
        if configured or not public:
            return configured or None
        with self.bucket.explained("write", self.path):
            return None if self.bucket.is_public else "public-read"

    def join(self, *parts: str) -> S3Path:
        return type(self)(self.bucket, "/".join(part.strip("/") for part in (self.key, *parts) if part.strip("/")))

    def read_tagged(self) -> tuple[bytes, str]:
        from s3transfer.utils import S3_RETRYABLE_DOWNLOAD_ERRORS
        from urllib3.exceptions import ProtocolError

        attempts_left = READ_ATTEMPTS
        with self.bucket.explained("read", self.path):
            while True:
                attempts_left -= 1
                try:
                    answer = self.bucket.client.get_object(Bucket=self.bucket.name, Key=self.key)
                    return answer["Body"].read(), answer["ETag"].strip('"')
                except (*S3_RETRYABLE_DOWNLOAD_ERRORS, ProtocolError):
                    # The SDK retries a request until its answer begins, but not while its content is read; of an answer
                    # that says "not found" it does not even translate what breaks.
                    if not attempts_left:
                        raise

    def write(
        self, data: bytes, *, public: bool = False, if_none_match: bool = False, if_match: str | None = None
    ) -> str:
        options = self._options(
            public,
            IfNoneMatch="*" if if_none_match else None,
            IfMatch=f'"{if_match}"' if if_match is not None else None,
        )
        try:
            with self.bucket.explained("write", self.path):
                answer = self.bucket.client.put_object(Bucket=self.bucket.name, Key=self.key, Body=data, **options)
        except FileNotFoundError:
            # If-Match on a removed object.
            raise WriteConflict(f"{self} was removed meanwhile") from None
        except WriteConflict as conflict:
            etag = self._own_write(data, conflict)
            if etag is None:
                raise
            return etag
        return answer["ETag"].strip('"')

    def _own_write(self, data: bytes, conflict: WriteConflict) -> str | None:
        """The etag, if what a refused write conflicts with is itself: sent again because its first answer was lost."""
        response = getattr(conflict.__cause__, "response", {})
        if not response.get("ResponseMetadata", {}).get("RetryAttempts"):
            return None
        present, etag = self.read_tagged()
        return etag if present == data else None

    def _options(self, public: bool, **more: str | None) -> dict[str, str]:
        wanted = {"ServerSideEncryption": self.server_side_encryption, "ACL": self.acl(public), **more}
        return {name: value for name, value in wanted.items() if value is not None}

    def upload(self, source: IO[bytes], *, public: bool = False) -> None:
        options = self._options(public)
        with self.bucket.explained("write", self.path):
            self.bucket.client.upload_fileobj(source, self.bucket.name, self.key, ExtraArgs=options)

    def download(self, target: IO[bytes]) -> None:
        from botocore.exceptions import ClientError

        with self.bucket.explained("read", self.path):
            try:
                self.bucket.client.download_fileobj(self.bucket.name, self.key, target)
            except ClientError as error:
                # It starts with a HEAD request, whose error has no message.
                if str(error.response["Error"].get("Code")) == "404":
                    raise FileNotFoundError(self.path) from None
                raise

    def list_tree(self) -> list[Listed]:
        prefix = f"{self.key}/" if self.key else ""
        with self.bucket.explained("list", self.path):
            pages = self.bucket.client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket.name, Prefix=prefix)
            found = [item for page in pages for item in page.get("Contents", ())]
        # Some tools create an empty object for the directory itself.
        return [
            Listed(
                item["Key"][len(prefix) :], type(self)(self.bucket, item["Key"]), item["ETag"].strip('"'), item["Size"]
            )
            for item in found
            if not item["Key"].endswith("/")
        ]

    def advice(self) -> list[str]:
        """To switch versioning on, where it is off."""
        with self.bucket.explained("read", self.path):
            if self.bucket.keeps_versions is not False:
                return []
        bucket, endpoint = self.bucket.name, compatible_endpoint()
        command = (
            f"aws s3api{f' --endpoint-url {endpoint}' if endpoint else ''} put-bucket-versioning --bucket {bucket}"
        )
        return [
            f"the bucket {bucket} has no versioning: what is replaced or removed in the state store by mistake is lost."
            f" Switch it on: {command} --versioning-configuration Status=Enabled"
        ]

    def remove(self) -> None:
        with self.bucket.explained("remove", self.path):
            self.bucket.client.delete_object(Bucket=self.bucket.name, Key=self.key)

    def remove_many(self, paths: Iterable[VFSPath]) -> None:
        keys = iter([path.key for path in paths if isinstance(path, S3Path)])
        while batch := list(itertools.islice(keys, DELETE_BATCH)):
            with self.bucket.explained("remove files below", self.path):
                answer = self.bucket.client.delete_objects(
                    Bucket=self.bucket.name, Delete={"Objects": [{"Key": key} for key in batch], "Quiet": True}
                )
            failed = [f"{error['Key']}: {error.get('Code')}" for error in answer.get("Errors", ())]
            if failed:
                raise StoreError(f"cannot remove {len(failed)} files below {self}: {'; '.join(failed[:5])}")
