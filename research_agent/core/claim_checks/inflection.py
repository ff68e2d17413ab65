"""The form by which inflected words meet, irregular verbs included."""

from functools import cache

from research_agent.core.stems import stem

_VERBS_AND_NOUNS = (
    "use used uses using usage", "lose lost losing loses", "build built", "give gave given",
    "take took taken", "make made making", "write wrote written", "begin began begun",
    "choose chose chosen", "know knew known", "become became becoming", "send sent", "find found",
    "hold held", "keep kept", "lead led", "leave left", "mean meant", "meet met", "pay paid",
    "say said", "sell sold", "buy bought", "show shown", "speak spoke spoken", "spend spent",
    "stand stood", "teach taught", "tell told", "think thought", "understand understood",
    "win won", "wear wore worn", "break broke broken", "bring brought", "catch caught",
    "come came", "draw drew drawn", "drive drove driven", "eat ate eaten", "fall fell fallen",
    "feel felt", "fight fought", "fly flew flown", "forget forgot forgotten",
    "freeze froze frozen", "get got gotten", "go went gone", "grow grew grown", "hear heard",
    "hide hid hidden", "bind bound", "breed bred", "feed fed", "lend lent", "lie lay lain",
    "rise rose risen", "run ran", "see saw seen", "shake shook shaken", "sing sang sung",
    "sink sank sunk", "sleep slept", "steal stole stolen", "strike struck", "swim swam swum",
    "throw threw thrown", "withdraw withdrew withdrawn", "undergo underwent undergone",
    "arise arose arisen", "bear bore borne", "prove proved proven", "child children", "man men",
    "woman women", "foot feet", "tooth teeth", "mouse mice", "person people", "wood wooden",
    "analysis analyses", "hypothesis hypotheses", "criterion criteria", "datum data",
    "matrix matrices", "vertex vertices", "index indices", "half halves", "life lives",
    "wolf wolves", "long length longer longest", "wide width", "deep depth", "high height",
    "strong strength", "beat beaten", "tear tore torn", "blow blew blown", "swear swore sworn",
    "forbid forbade forbidden", "seek sought", "fight fought", "shoot shot", "spin spun",
    "swing swung", "sweep swept", "weave wove woven", "rid ridden", "light lit", "dig dug",
    "stick stuck", "hang hung", "overcome overcame", "foresee foresaw foreseen",
    "bite bit bitten", "ring rang rung", "drink drank drunk", "do did done", "die death",
)  # fmt: skip
_IRREGULAR = {
    form: base
    for line in _VERBS_AND_NOUNS
    for base, *forms in (line.split(),)
    for form in (base, *forms)
}
_CLITIC = "nya"
LEAST = 4
"""Letters that are left of an Indonesian word without its clitic, or without a doubled letter."""
VOWELS = frozenset("aeiou")


@cache
def root(word: str) -> str:
    """Return the form by which inflected words meet.

    >>> root("signatures") == root("signature"), root("applies") == root("apply")
    (True, True)
    >>> root("losing") == root("lost"), root("beratnya")
    (True, 'berat')
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith(_CLITIC) and len(word) >= len(_CLITIC) + LEAST:
        return stem(word.removesuffix(_CLITIC))
    plain = f"{word[:-3]}y" if word.endswith("ies") else word
    plain = f"{plain[:-3]}y" if plain.endswith("ied") else plain
    return _single(stem(plain))


def _single(form: str) -> str:
    """Return a form without the second of two equal letters at its end: "stopp", "sublett"."""
    doubled = len(form) > LEAST and form[-1] == form[-2] and form[-1] not in VOWELS
    return form[:-1] if doubled else form
