"""Which packaged embedding model an index has: the English one, or the one for many languages."""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from research_agent.assembly.index import index_header
from research_agent.assembly.sources import absolute_paths
from research_agent.errors import DocumentError, IndexMissingError
from research_agent.index.ports import DocumentReader, FileSource
from research_agent.model_settings import ENGLISH, MULTILINGUAL, ModelSettings
from research_agent.models.adapters import multilingual
from research_agent.text.language import languages_of
from research_agent.types.documents import SourceFile

SAMPLES = 9
"""Files whose language is looked at before a new index is made, from the smaller half of them."""
LEAST_BYTES, LOOKED_AT = 200, 3_000
"""Bytes that such a file has at least, and characters of it that are looked at."""


def with_model(settings: ModelSettings, model: str) -> ModelSettings:
    """Return `settings` with another packaged embedding model."""
    return replace(settings, embedding=replace(settings.embedding, model=model))


def as_indexed(location: str, settings: ModelSettings) -> ModelSettings:
    """Return `settings` with the packaged model that an index was made with.

    As they are where they name a model or a server, or where there is no index yet. Raises
    IndexDamagedError, IndexMismatchError, PathError.
    """
    if settings.embedding.provider != "local" or settings.embedding.model:
        return settings
    try:
        kept = index_header(location, offline=settings.offline).model
    except IndexMissingError:
        return settings
    return with_model(settings, MULTILINGUAL if kept == multilingual.NAME else ENGLISH)


def to_index(
    location: str,
    paths: Sequence[str],
    settings: ModelSettings,
    *,
    files: FileSource,
    reader: DocumentReader,
    rebuild: bool,
) -> tuple[ModelSettings, str]:
    """Return `settings` for indexing these paths, and what a person may want to know.

    They name the model that the index has; a new one, and one that is made anew, gets the one for
    many languages where most documents are not in English and it is installed; where it is not,
    the second value says how to get it. Raises PathError, and what `as_indexed` raises, but for a
    rebuild.
    """
    known = settings if rebuild else as_indexed(location, settings)
    if known != settings or settings.embedding.provider != "local" or settings.embedding.model:
        return known, ""
    below = files.find(absolute_paths(paths)).files
    if _are_english([file for file in below if file.size >= LEAST_BYTES], reader):
        return with_model(settings, ENGLISH), ""
    seems = "most documents seem to be in another language than English"
    if multilingual.is_installed():
        return with_model(settings, MULTILINGUAL), f"{seems}: embedding model {MULTILINGUAL}"
    advice = f"{multilingual.INSTALL} finds more in them; then index with --rebuild"
    return with_model(settings, ENGLISH), f"{seems}: {advice}"


def _are_english(found: Sequence[SourceFile], reader: DocumentReader) -> bool:
    """Return whether at least half of a few files are in English, or none says anything."""
    english: list[bool] = []
    smaller = sorted(found, key=lambda file: (file.size, file.path))[: ceil(len(found) / 2)]
    for file in smaller[:: ceil(len(smaller) / SAMPLES) or 1]:
        try:
            blocks = reader.read(file.path).blocks
        except DocumentError:  # (it is told when the file is indexed)
            continue
        languages = languages_of(" ".join(block.text for block in blocks)[:LOOKED_AT])
        if languages:
            english.append("en" in languages)
    return 2 * sum(english) >= len(english)
