"""Faults of the machine and of the settings: keys, regions, certificates, weights, disks."""

import errno
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from unittest.mock import patch

from benchmarks.faults.bedrock_rows import REGION, bedrock_settings
from benchmarks.faults.good import KEY, Opened, Row, Terms, bedrock_good, good, served
from benchmarks.faults.openai_rows import ENVIRONMENT
from research_agent.model_settings import LocalModelSettings, ModelSettings, RoleSettings
from research_agent.models.adapters.weights import WEIGHT_SETS, WeightSet
from tests.converse import bedrock
from tests.loopback import CERTIFICATE, server

ELSEWHERE = "https://192.0.2.1/v1"
"""An address that belongs to nobody (RFC 5737)."""
NOBODY = "http://127.0.0.1:9"
SHORT = b"GGUF\x03\x00\x00\x00" + (500).to_bytes(8, "little") + b"\x00" * 2000


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
    fixed = {fault: _fixed(models) for fault, models in of_settings.items()}
    files = {"GGUF file that is none": b"<html>SECRET</html>", "truncated GGUF file": SHORT}
    named: list[tuple[str, Opened, Mapping[str, str]]] = [
        *((fault, opened, {}) for fault, opened in fixed.items()),
        ("refused connection", _refused, ENVIRONMENT),
        ("certificate that nobody signed", _untrusted, ENVIRONMENT),
        ("https:// to a server without TLS", _without_tls, ENVIRONMENT),
        ("Bedrock, refused connection", _bedrock_refused, REGION),
        ("Bedrock, certificate that nobody signed", _bedrock_untrusted, REGION),
        *((fault, partial(_file, data), {}) for fault, data in files.items()),
    ]
    alone: list[tuple[str, Opened, Mapping[str, str]]] = [
        ("no AWS credentials", _no_credentials, REGION),
        ("expired AWS sign-in", _expired, REGION),
        ("weights that are not installed", partial(_parts, sizes=(9, 9, 9, 0, 9, 9)), {}),
        ("weights of the wrong digest", _parts, {}),
        ("disk full during the join", _full_disk, {}),
    ]
    return tuple(
        Row(provider="set-up", fault=name, opened=opened, environment=env, alone=group is alone)
        for group in (named, alone)
        for name, opened, env in group
    )


def _fixed(models: ModelSettings) -> Opened:
    return lambda _: nullcontext(models)


def _gguf(path: str) -> ModelSettings:
    return ModelSettings(local=LocalModelSettings(path=path))


def _refused(terms: Terms) -> AbstractContextManager[ModelSettings]:
    return nullcontext(served(f"{NOBODY}/v1", terms.timeout))


def _bedrock_refused(terms: Terms) -> AbstractContextManager[ModelSettings]:
    return nullcontext(bedrock_settings(NOBODY, terms.timeout))


@contextmanager
def _untrusted(terms: Terms) -> Iterator[ModelSettings]:
    with server(good, key=KEY, certificate=CERTIFICATE) as url:
        yield served(url, terms.timeout)


@contextmanager
def _bedrock_untrusted(terms: Terms) -> Iterator[ModelSettings]:
    with bedrock(bedrock_good, CERTIFICATE) as running:
        yield bedrock_settings(running.url, terms.timeout)


@contextmanager
def _without_tls(terms: Terms) -> Iterator[ModelSettings]:
    with server(good, key=KEY) as url:
        yield served(url.replace("http:", "https:"), terms.timeout)


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
def _file(data: bytes, terms: Terms) -> Iterator[ModelSettings]:
    file = terms.folder / "own.gguf"
    file.write_bytes(data)
    yield _gguf(str(file))


@contextmanager
def _parts(terms: Terms, sizes: Sequence[int] = (9,) * 6) -> Iterator[ModelSettings]:
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
def _full_disk(terms: Terms) -> Iterator[ModelSettings]:
    def full(_file: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with _parts(terms) as models, patch("os.fsync", full):
        yield models
