"""Texts that no index can hold, out of values that escapes have let in."""

_CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127])


def clean(value: object) -> object:
    r"""Return values without control characters, and with a mark for halves of characters.

    >>> clean({"a\0": ["\ud800", "b\n", True]})
    {'a': ['\ufffd', 'b\n', True]}
    """
    if isinstance(value, str):
        return value if value.isascii() and value.isprintable() else _clean_text(value)
    if isinstance(value, list):
        return [clean(item) for item in value]
    if isinstance(value, dict):
        return {_clean_text(key): clean(item) for key, item in value.items()}
    return value


def _clean_text(text: str) -> str:
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.translate(_CONTROLS)
