"""Keeping a library from reading the `.env` file of whatever folder a command runs in."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager


@contextmanager
def without_dot_env(package: str) -> Iterator[None]:
    """Let the settings of `package` that are made inside read no `.env` file.

    Chroma makes some while it is imported, where nobody can give it an argument, and one line of
    such a file could name a server to send everything to. Settings of other packages are not
    touched.
    """
    from pydantic_settings import DotEnvSettingsSource

    reading = DotEnvSettingsSource._read_env_files  # noqa: SLF001 (there is no public way)

    def read(self: DotEnvSettingsSource) -> Mapping[str, str | None]:
        theirs = self.settings_cls.__module__.partition(".")[0] == package
        return {} if theirs else reading(self)

    DotEnvSettingsSource._read_env_files = read  # type: ignore[method-assign]  # noqa: SLF001 (as above)
    try:
        yield
    finally:
        DotEnvSettingsSource._read_env_files = reading  # type: ignore[method-assign]  # noqa: SLF001 (as above)
