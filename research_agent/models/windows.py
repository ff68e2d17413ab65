"""How a text that is longer than a model reads is cut into overlapping windows."""


def window_spans(length: int, *, size: int, overlap: int) -> tuple[tuple[int, int], ...]:
    """Return the half-open spans that cover `length` tokens, each of `size` at most.

    Neighbours share at least `overlap` tokens. All spans are about equally long, so that none is
    a short rest with little meaning of its own. An overlap that leaves no room to move on is
    lowered to half a window.

    >>> window_spans(100, size=256, overlap=32)
    ((0, 100),)
    >>> window_spans(300, size=200, overlap=20)
    ((0, 160), (140, 300))
    >>> window_spans(0, size=200, overlap=20)
    ((0, 0),)
    """
    if length <= size:
        return ((0, length),)
    shared = min(overlap, size // 2)
    count = -(-(length - shared) // (size - shared))
    width = -(-(length + shared * (count - 1)) // count)
    last = length - width
    starts = [round(last * i / (count - 1)) for i in range(count)]
    return tuple((start, start + width) for start in starts)
