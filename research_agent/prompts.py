"""Prompt texts with declared variables. The texts are files; this module reads none."""

from dataclasses import dataclass
from string import Template
from typing import Literal

from research_agent.errors import PromptError

VARIABLES = {
    "answer_system": frozenset[str](),
    "answer_system_refusing": frozenset[str](),
    "answer_user": frozenset({"evidence", "question"}),
    "answer_user_refusing": frozenset({"evidence", "question"}),
    "answerable": frozenset({"evidence", "question", "answer"}),
    "rewrite_sentence": frozenset({"evidence", "question", "kept", "sentence"}),
    "refine": frozenset({"question"}),
    "refine_again": frozenset({"question", "gaps", "tried"}),
    "translate": frozenset({"question", "language"}),
    "same_question": frozenset({"question", "queries"}),
    "hop": frozenset({"question", "evidence"}),
    "follow_up": frozenset({"history", "question"}),
    "plan_calls": frozenset({"documents", "question", "queries", "missing", "results"}),
    "relevant": frozenset({"question", "chunk"}),
    "judge": frozenset({"evidence", "question", "sentences"}),
    "filter": frozenset({"question", "search", "chunks"}),
    "calibrate": frozenset({"text"}),
    "make_single": frozenset({"text", "about"}),
    "make_table": frozenset({"text", "about"}),
    "make_comparison": frozenset({"text", "about", "other", "other_about"}),
    "make_hops": frozenset({"text", "about", "other", "other_about"}),
    "make_near_miss": frozenset({"text", "about"}),
    "make_check": frozenset({"question", "texts"}),
    "nu_system": frozenset[str](),
    "nu_question": frozenset({"question"}),
    "nu_chunks": frozenset({"question", "evidence"}),
    "code": frozenset({"domains", "tasks", "modifiers", "text"}),
}
"""The prompts and the variables each must have."""


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """A text with $variables, checked when it is made."""

    name: str
    text: str

    def __post_init__(self) -> None:
        """Refuse a text whose variables are not the declared ones."""
        found = set(Template(self.text).get_identifiers())
        if found != VARIABLES[self.name]:
            msg = f"prompt {self.name}: variables {sorted(found ^ VARIABLES[self.name])}"
            raise PromptError(msg, hint="Each declared variable must appear, and no other.")

    def render(self, **values: str) -> str:
        """Return the text with every variable filled in."""
        return Template(self.text).substitute(values).strip()


@dataclass(frozen=True, slots=True)
class Prompts:
    """All prompts of the agent."""

    answer_system: PromptTemplate
    answer_system_refusing: PromptTemplate
    answer_user: PromptTemplate
    answer_user_refusing: PromptTemplate
    answerable: PromptTemplate
    rewrite_sentence: PromptTemplate
    refine: PromptTemplate
    refine_again: PromptTemplate
    translate: PromptTemplate
    same_question: PromptTemplate
    hop: PromptTemplate
    follow_up: PromptTemplate
    plan_calls: PromptTemplate
    relevant: PromptTemplate
    judge: PromptTemplate
    filter: PromptTemplate
    calibrate: PromptTemplate
    make_single: PromptTemplate
    make_table: PromptTemplate
    make_comparison: PromptTemplate
    make_hops: PromptTemplate
    make_near_miss: PromptTemplate
    make_check: PromptTemplate
    nu_system: PromptTemplate
    nu_question: PromptTemplate
    nu_chunks: PromptTemplate
    code: PromptTemplate

    def answering(self, refuses_by: Literal["check", "prompt"]) -> PromptTemplate:
        """Return the system prompt of answers, which those who judge them begin with too."""
        return self.answer_system if refuses_by == "check" else self.answer_system_refusing
