"""A server of S3's protocol on a loopback address, with one bucket, and servers that refuse."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer

import httpx
import pytest

from tests.loopback import Quiet, serving
from tests.needed import needed_package

BUCKET = "papers"


def use(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let S3 be at `url`, for this process and those that it starts."""
    for name, value in {
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)


@contextmanager
def bucket() -> Iterator[str]:
    """Yield the address of a server with an empty bucket."""
    needed_package("moto", "dev")
    import boto3
    from moto.moto_server.threaded_moto_server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        url = f"http://{host}:{port}"
        httpx.post(f"{url}/moto-api/reset")  # (buckets stay in the process from server to server)
        keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret"}
        client = boto3.client("s3", endpoint_url=url, region_name="us-east-1", **keys)
        client.create_bucket(Bucket=BUCKET)
        yield url
    finally:
        server.stop()


@contextmanager
def refusing(answer: Callable[[str], tuple[int, str]]) -> Iterator[str]:
    """Yield the address of a server that answers each method with a status and a code of S3's."""

    class Handler(Quiet):
        def _answer(self) -> None:
            status, code = answer(self.command)
            body = f"<Error><Code>{code}</Code><Message>{code}</Message></Error>".encode()
            self.given()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _answer  # noqa: N815 (the base class's names)

    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as url:
        yield url
