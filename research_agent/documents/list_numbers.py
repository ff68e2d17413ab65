"""Numbers of lists as letters and Roman numerals."""

MOST_LETTERS = 9
"""A letter is repeated as often as this."""
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


def shown_number(number: int, form: str) -> str:
    """Return a number in one of the forms of Office files; in digits where it has no such form.

    >>> [shown_number(28, form) for form in ("lowerLetter", "upperRoman", "romanLcParenR", "")]
    ['bb', 'XXVIII', 'xxviii', '28']
    """
    is_upper = form.startswith("upper") or "Uc" in form
    if (form.endswith("Letter") or form.startswith("alpha")) and number > 0:
        letter = chr(ord("a") + (number - 1) % 26) * min((number - 1) // 26 + 1, MOST_LETTERS)
        return letter.upper() if is_upper else letter
    if "roman" in form.lower() and 0 < number < 4 * _ROMAN[0][0]:
        text = ""
        for size, sign in _ROMAN:
            text += sign * (number // size)
            number %= size
        return text.upper() if is_upper else text
    return f"{number:02}" if form == "decimalZero" else str(number)
