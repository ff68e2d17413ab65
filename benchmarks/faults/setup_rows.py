"""Faults of the machine and of the settings: keys, regions, certificates, weights, disks."""

import errno
import os
import subprocess
from collections import namedtuple
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from unittest.mock import patch

from benchmarks.faults.bedrock_rows import REGION, bedrock_settings
from benchmarks.faults.good import KEY, Row, Terms, bedrock_good, good, served
from benchmarks.faults.openai_rows import ENVIRONMENT
from research_agent.model_settings import LocalModelSettings, ModelSettings, RoleSettings
from research_agent.models.adapters.weights import WEIGHT_SETS, WeightSet
from tests.converse import bedrock
from tests.loopback import server

ELSEWHERE = "https://192.0.2.1/v1"
"""An address that belongs to nobody (RFC 5737)."""
NOBODY = "http://127.0.0.1:9"
Usage = namedtuple("Usage", "total used free")  # noqa: PYI024 (as shutil's own)


def rows() -> tuple[Row, ...]:
    """Return one row a fault; each is met by all calls."""
    elsewhere = RoleSettings(provider="openai", model="m", base_url=ELSEWHERE)
    amazon = RoleSettings(provider="bedrock", model="amazon.nova-lite-v1:0")
    of_settings = {
        "missing key": ModelSettings(chat=elsewhere),
        "missing region": ModelSettings(chat=amazon),
        "missing model": ModelSettings(chat=RoleSettings(provider="openai", base_url=ELSEWHERE)),
        "a server elsewhere with models.offline": ModelSettings(chat=elsewhere, offline=True),
        "GGUF file that is not there": _gguf("gone.gguf"),
    }
    fixed = [
        Row(provider="set-up", fault=fault, opened=partial(_fixed, models))
        for fault, models in of_settings.items()
    ]
    return (*fixed, *_connections(), *_weights())


def _connections() -> Iterator[Row]:
    """Yield the rows of servers that cannot be reached, or not be trusted."""
    for fault, opened in {
        "refused connection": _refused,
        "certificate that nobody signed": _untrusted,
        "https:// to a server without TLS": _without_tls,
    }.items():
        yield Row(provider="set-up", fault=fault, opened=opened, environment=ENVIRONMENT)
    for fault, opened in {
        "Bedrock, refused connection": _bedrock_refused,
        "Bedrock, certificate that nobody signed": _bedrock_untrusted,
    }.items():
        yield Row(provider="set-up", fault=fault, opened=opened, environment=REGION)
    for fault, opened in {
        "no AWS credentials": _no_credentials,
        "expired AWS sign-in": _expired,
    }.items():
        yield Row(provider="set-up", fault=fault, opened=opened, environment=REGION, alone=True)


def _weights() -> Iterator[Row]:
    """Yield the rows of the embedded model's file."""
    yield Row(provider="set-up", fault="GGUF file that is none", opened=_no_gguf)
    yield Row(provider="set-up", fault="truncated GGUF file", opened=_truncated)
    for fault, opened in {
        "weights that are not installed": _not_installed,
        "weights of the wrong digest": _wrong_digest,
        "no disk for the join": _no_disk,
        "disk full during the join": _full_disk,
    }.items():
        yield Row(provider="set-up", fault=fault, opened=opened, alone=True)


@contextmanager
def _fixed(models: ModelSettings, terms: Terms) -> Iterator[ModelSettings]:
    del terms
    yield models


def _gguf(path: str) -> ModelSettings:
    return ModelSettings(local=LocalModelSettings(path=path))


@contextmanager
def _refused(terms: Terms) -> Iterator[ModelSettings]:
    yield served(f"{NOBODY}/v1", terms.timeout)


@contextmanager
def _bedrock_refused(terms: Terms) -> Iterator[ModelSettings]:
    yield bedrock_settings(NOBODY, terms.timeout)


@contextmanager
def _untrusted(terms: Terms) -> Iterator[ModelSettings]:
    with server(good, key=KEY, certificate=certificate(terms.folder)) as url:
        yield served(url, terms.timeout)


@contextmanager
def _bedrock_untrusted(terms: Terms) -> Iterator[ModelSettings]:
    with bedrock(bedrock_good, certificate(terms.folder)) as running:
        yield bedrock_settings(running.url, terms.timeout)


@contextmanager
def _without_tls(terms: Terms) -> Iterator[ModelSettings]:
    with server(good, key=KEY) as url:
        yield served(url.replace("http:", "https:"), terms.timeout)


def certificate(folder: Path) -> str:
    """Make a certificate for this machine that nobody signed, with its key, and return its path."""
    path = str(folder / "own.pem")
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    named = ["-subj", "/CN=own", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = [*made, *named, "-keyout", path, "-out", path]
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 (our own words)
    return path


@contextmanager
def _no_credentials(terms: Terms) -> Iterator[ModelSettings]:
    kept = {name: value for name, value in os.environ.items() if "AWS_" not in name}
    nowhere = {f"AWS_{name}_FILE": "/nowhere" for name in ("CONFIG", "SHARED_CREDENTIALS")}
    changed = {**kept, **nowhere, "AWS_EC2_METADATA_DISABLED": "true"}
    with (
        patch.dict(os.environ, changed, clear=True),
        bedrock(bedrock_good) as running,
    ):
        yield bedrock_settings(running.url, terms.timeout)


@contextmanager
def _expired(terms: Terms) -> Iterator[ModelSettings]:
    """Name a profile that is signed in to by `aws sso login`, which nobody did lately."""
    config = terms.folder / "config"
    config.write_text(
        "[profile work]\nsso_session = s\nsso_account_id = 1\nsso_role_name = r\n"
        "[sso-session s]\nsso_region = eu-west-1\nsso_start_url = https://192.0.2.1/start\n",
        encoding="utf-8",
    )
    chosen = {"AWS_CONFIG_FILE": str(config), "AWS_PROFILE": "work", "HOME": str(terms.folder)}
    with _no_credentials(terms) as models, patch.dict(os.environ, chosen):
        yield models


@contextmanager
def _no_gguf(terms: Terms) -> Iterator[ModelSettings]:
    file = terms.folder / "none.gguf"
    file.write_bytes(b"<html>SECRET</html>")
    yield _gguf(str(file))


@contextmanager
def _truncated(terms: Terms) -> Iterator[ModelSettings]:
    file = terms.folder / "short.gguf"
    file.write_bytes(b"GGUF\x03\x00\x00\x00" + (500).to_bytes(8, "little") + b"\x00" * 2000)
    yield _gguf(str(file))


@contextmanager
def _parts(terms: Terms, *sizes: int) -> Iterator[ModelSettings]:
    """Let the parts of the smaller weights be files of these sizes; 0: a part is missing."""
    files: list[Path | None] = []
    for number, size in enumerate(sizes):
        file = terms.folder / f"part{number}.bin"
        file.write_bytes(b"\x00" * size)
        files.append(file if size else None)

    def found(weights: WeightSet) -> list[Path | None]:
        return files if weights is WEIGHT_SETS["0.5b"] else [None] * len(weights.packages)

    with patch("research_agent.models.adapters.weights.part_files", found):
        yield ModelSettings(local=LocalModelSettings(weights="auto" if all(sizes) else "0.5b"))


@contextmanager
def _not_installed(terms: Terms) -> Iterator[ModelSettings]:
    with _parts(terms, 9, 9, 9, 0, 9, 9) as models:
        yield models


@contextmanager
def _wrong_digest(terms: Terms) -> Iterator[ModelSettings]:
    with _parts(terms, 9, 9, 9, 9, 9, 9) as models:
        yield models


@contextmanager
def _no_disk(terms: Terms) -> Iterator[ModelSettings]:
    almost = Usage(10**12, 10**12 - 10**8, 10**8)
    with _parts(terms, 9, 9, 9, 9, 9, 9) as models, patch("shutil.disk_usage", lambda _: almost):
        yield models


@contextmanager
def _full_disk(terms: Terms) -> Iterator[ModelSettings]:
    def full(_file: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with _parts(terms, 9, 9, 9, 9, 9, 9) as models, patch("os.fsync", full):
        yield models
