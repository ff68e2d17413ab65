"""Prompt texts with declared variables. The texts are files; this module reads none."""

from collections.abc import Mapping
from dataclasses import dataclass
from string import Template
from typing import Annotated, Literal, get_type_hints

from research_agent.errors import PromptError


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
    """All prompts of the agent, each with the variables that it must have."""

    answer_system: Annotated[PromptTemplate, ""]
    answer_system_refusing: Annotated[PromptTemplate, ""]
    answer_user: Annotated[PromptTemplate, "evidence question"]
    answer_user_refusing: Annotated[PromptTemplate, "evidence question"]
    answerable: Annotated[PromptTemplate, "evidence question answer"]
    rewrite_sentence: Annotated[PromptTemplate, "evidence question kept sentence"]
    refine: Annotated[PromptTemplate, "question"]
    refine_again: Annotated[PromptTemplate, "question gaps tried"]
    translate: Annotated[PromptTemplate, "question language"]
    hop: Annotated[PromptTemplate, "question evidence"]
    follow_up: Annotated[PromptTemplate, "history question"]
    plan_calls: Annotated[PromptTemplate, "documents question queries missing results"]
    judge: Annotated[PromptTemplate, "evidence question sentences"]
    judge_answer: Annotated[PromptTemplate, "question gold_answer answer"]
    filter: Annotated[PromptTemplate, "question search chunks"]
    calibrate: Annotated[PromptTemplate, "text"]
    make_single: Annotated[PromptTemplate, "text about"]
    make_table: Annotated[PromptTemplate, "text about"]
    make_comparison: Annotated[PromptTemplate, "text about other other_about"]
    make_hops: Annotated[PromptTemplate, "text about other other_about"]
    make_near_miss: Annotated[PromptTemplate, "text about"]
    make_check: Annotated[PromptTemplate, "question texts"]
    nu_system: Annotated[PromptTemplate, ""]
    nu_question: Annotated[PromptTemplate, "question"]
    nu_chunks: Annotated[PromptTemplate, "question evidence"]

    def answering(self, refuses_by: Literal["check", "prompt"]) -> PromptTemplate:
        """Return the system prompt of answers, which those who judge them begin with too."""
        return self.answer_system if refuses_by == "check" else self.answer_system_refusing


VARIABLES: Mapping[str, frozenset[str]] = {
    name: frozenset(hint.__metadata__[0].split())
    for name, hint in get_type_hints(Prompts, include_extras=True).items()
}
