"""The wordings in which models say that the documents do not say something: English, and the type.

A wording is matched against one whole clause, without markers and without its full stop, in lower
case with plain apostrophes. None of them belongs to a field of knowledge.
"""

import re
from dataclasses import dataclass
from functools import cache

LONGEST = 400
"""Characters of a clause that can be such a wording; a longer one says more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wordings:
    """The wordings of one language, as the sources of patterns; `compiled` makes one of a source.

    They are long, and whoever only searches needs none of them.
    """

    sure: str
    """Says that what a model was given holds no answer: nothing that a document says of itself."""
    perhaps: str
    """May be that, or what a document truly says: "the document does not specify key sizes"."""
    lead: str
    """What may stand in front: "Unfortunately,"."""
    after: str
    """What politeness adds: "Please provide more context"."""
    contrast: str
    """Between two clauses that say different things: ", but"."""
    negation: str
    """Words by which a quote can carry a statement that something is not so."""


compiled = cache(re.compile)
"""The pattern of a source, made when it is first used."""


def wording(*shapes: str, **parts: str) -> str:
    """Return the source of one pattern for several shapes; `{name}` stands for a part.

    >>> bool(compiled(wording("no {what}", what="answer|result")).fullmatch("no result"))
    True
    """
    for name, part in parts.items():
        shapes = tuple(shape.replace(f"{{{name}}}", f"(?:{part})") for shape in shapes)
    return "|".join(f"(?:{shape})" for shape in shapes)


_NOUN = (
    r"documents?|docs?|documentation|context|chunks?|evidence|excerpts?|passages?|snippets?|texts?|"
    r"sources?|information|materials?|files?|pages?|contents?|references|results|corpus|data|"
    r"text chunks?|search results|source texts?|knowledge base"
)
_GIVEN = (
    r"provided|given|supplied|retrieved|available|indexed|uploaded|above|following|cited|shown|"
    r"accessible|attached|present|relevant"
)
_SURE_SOURCE = (
    rf"(?:any of |all of |none of )?(?:(?:the|these|those|this|your|my|our|any) )?"
    rf"(?:(?:{_GIVEN}) (?:{_NOUN})|(?:{_NOUN}) (?:provided|given|supplied|above|available)"
    r"|(?:text )?chunks?|context|excerpts?|passages|snippets?|documents|docs|search results|"
    r"knowledge base|source texts?)(?: (?:i have|i was given|you provided|provided|at hand))?"
)
_SOURCE = rf"{_SURE_SOURCE}|(?:the|these|this|that|your) (?:{_NOUN}|section|article|report)"
_HOW = (
    r"(?: (?:explicitly|directly|specifically|actually|clearly|currently|precisely|exactly|"
    r"seem to|appear to|even|itself|themselves|yet))*"
)
_NOT = r"(?:does|do|did) not|(?:does|do|did)n't|(?:can|could) ?not|(?:can|could)n't|never|fails? to"
_VERB = (
    r"contain|mention|specify|state|provide|include|give|say|tell|answer|address|cover|discuss|"
    r"describe|list|indicate|define|explain|disclose|have|hold|offer|show|reveal|refer|detail|"
    r"elaborate|name|report|identify|clarify|present|supply|talk|make|note|speak|support|allow"
)
_LACKS = (
    r"lacks?|omits?|(?:contain|provide|give|offer|include|make|ha)(?:s|ve)? no(?:thing)?\b|"
    r"(?:say|mention|state|tell)s? nothing|(?:is|are) silent|(?:is|are) (?:insufficient|not enough|"
    r"not sufficient)"
)
_PART = (
    r"found|mentioned|provided|specified|available|included|given|stated|contained|present|"
    r"covered|discussed|addressed|described|listed|disclosed|documented|answered|answerable|"
    r"determined|located|inferred|identified|derived|defined|explained|detailed|shown|indicated|"
    r"supported|named|referenced|reported|established|clear|known|explicitly \w+"
)
_THING = (
    r"(?:(?:relevant|specific|such|further|direct|explicit|matching|enough|sufficient|clear) )*"
    r"(?:information|mention|details?|answers?|references?|data|results?|match(?:es)?|"
    r"indication|content|specification|explanation|documents?|passages?)"
)
_FROM = r"(?:anywhere )?(?:in|by|within|from|based on|using|with|among|given|on the basis of)"
_NEGATED = r"(?:is|are|was|were|has|have|can|could)(?: not| never| nowhere)|\w+n't|cannot"
_TOLD = r"(?:the |this |that |your |such |an )?(?:answer|information|detail|question)(?: \w+){0,5}"

ENGLISH = Wordings(
    sure=wording(
        r"(?:an? |the |any )?(?:answer )?not {part}(?: {from} {sure})?",
        r"{sure}{how} {not}{how} {verb}\b.*",
        r"none of {sure} {verb}s?\b.*",
        r"{sure} {lacks}.*",
        r".{0,250}\b(?:{negated})(?: been| be)?{how} {part}\b.{0,60}? {from} {sure}",
        r"{told} (?:{negated})(?: been| be)?{how} {part}\b.{0,60}",
        r"(?:it|that|this) (?:{negated})(?: been| be)?{how} {part}(?: {from} {sure})?",
        r"there(?: is|'s| are| was| were)(?: no| not any| not enough| insufficient|n't any|"
        r" nothing) {thing}?\b.{0,200} {from} {sure}",
        r"there (?:is|are) (?:no|not enough|insufficient) (?:information|context|data)"
        r"(?: available| provided| given)?(?: to .*| for .*)?",
        r"no {thing}\b.{0,160}\b(?:found|available|provided|given|mentioned|included|exists?)"
        r"(?: {from} {sure}| here| to answer .*)?",
        r"(?:no|not enough|insufficient) (?:information|context|evidence|data|answer|details?)"
        r"(?: (?:available|provided|given))?(?: to .*| for .*| about .*| on .*| {from} {sure})?",
        r"i(?: am|'m)? ?(?:cannot|can't|can not|could not|couldn't|do not|don't|did not|didn't|"
        r"have not|haven't|unable to|not able to|was unable to)(?: \w+)? "
        r"(?:find|found|answer|know|see|locate|provide|determine|have|tell|say|give|help|identify|"
        r"confirm|access|respond|possess)\b.*",
        r"i(?:'m| am) not (?:sure|certain|aware)\b.*|i have no (?:information|idea|data|answer).*",
        r"we (?:cannot|can't|could not|couldn't) (?:find|answer|determine)\b.* {from} {sure}",
        r"it(?: is|'s) (?:not possible|impossible|unclear|unknown|not clear|not known|not stated|"
        r"not specified|not mentioned)\b.{0,160} {from} {sure}",
        r"it(?: is|'s) (?:not possible|impossible) to (?:answer|determine|say|tell)\b"
        r".{0,60}question.{0,60}",
        r"(?:the )?(?:answer is )?(?:unknown|n/?a|none|unanswerable|no idea|not applicable|"
        r"nothing(?: was)? found|no results?|no match(?:es)?|not answerable)",
        sure=_SURE_SOURCE,
        how=_HOW,
        **{"not": _NOT, "from": _FROM},
        verb=_VERB,
        lacks=_LACKS,
        part=_PART,
        negated=_NEGATED,
        told=_TOLD,
        thing=_THING,
    ),
    perhaps=wording(
        r"(?:{source}){how} {not}{how} {verb}\b.*",
        r"(?:{source}) {lacks}.*",
        r".{0,250}\b(?:{negated})(?: been| be)?{how} {part}\b.{0,60}? {from} (?:{source})",
        r"there(?: is|'s| are) (?:no|not any|not enough) {thing}\b.*",
        r"(?:they|it){how} {not}{how} {verb}\b.*",
        source=_SOURCE,
        how=_HOW,
        **{"not": _NOT, "from": _FROM},
        verb=_VERB,
        lacks=_LACKS,
        part=_PART,
        negated=_NEGATED,
        thing=_THING,
    ),
    lead=wording(
        r"(?:unfortunately|sorry|i(?:'m| am) sorry|i apologi[sz]e|apologies|regrettably|"
        r"i(?:'m| am) afraid(?: that)?|however|but|also|in addition|additionally|as such|"
        r"therefore|thus|so|(?:please )?note that|it (?:seems|appears)(?: that)?)\b[,:.]?(?: but)?",
        r"(?:based on|according to|from|given|within|in|after (?:reading|reviewing|checking)) "
        r"(?:{source}),",
        r"answer:",
        source=_SOURCE,
    ),
    after=wording(
        r"(?:please|kindly|let me know|you (?:may|might|can|could|should|would|will)|"
        r"(?:would|could|can) you|if (?:you|there)|feel free|for (?:more|further|additional)|"
        r"to (?:answer|provide|determine|give)|(?:more|additional|further) (?:information|context|"
        r"details?)|i (?:would|will|can|could) |i'd |try |consult |refer to|contact |thank).*"
    ),
    contrast=r"[,;:]?\s+(?:but|however|although|though|whereas|yet|while)\b[,]?\s+",
    negation=(
        r"\b(?:not|no|none|never|neither|nor|nothing|cannot|without|fail\w*|lack\w*|absen\w+|"
        r"omit\w*|exclud\w+|unable|outside|beyond|unspecified|undefined|unknown)\b|n't\b"
    ),
)
