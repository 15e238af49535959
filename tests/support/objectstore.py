"""An S3-like object store on loopback, in this process or in one of its own."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

BUCKET = "harvests"


@contextmanager
def object_store() -> Iterator[str]:
    """Serve a store with one bucket; give its URL. The environment says how it is reached."""
    boto3 = pytest.importorskip("boto3")
    s3fs = pytest.importorskip("s3fs")
    server = pytest.importorskip("moto.server").ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        for name in tuple(os.environ):
            if name.startswith(("AWS_", "FSSPEC_")):
                patch.delenv(name)
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "key")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        patch.setenv("AWS_CONFIG_FILE", os.devnull)
        patch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
        boto3.client("s3").create_bucket(Bucket=BUCKET)
        s3fs.S3FileSystem.clear_instance_cache()
        yield f"s3://{BUCKET}"
        s3fs.S3FileSystem.clear_instance_cache()
    server.stop()
