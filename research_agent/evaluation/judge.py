"""A language model's verdict on an answer, where nothing but a right answer is known."""

from research_agent.context import StepContext
from research_agent.errors import BudgetError, ModelError
from research_agent.evaluation.questions import Question
from research_agent.evaluation.rows import JudgeVerdict
from research_agent.text.replies import object_schema, reply_object
from research_agent.types import Message
from research_agent.types.evidence import fenced

TOKENS = 40
"""Length of the reply at most."""
SCHEMA = object_schema({"verdict": {"enum": ["right", "wrong"]}})


def is_judged(question: Question) -> bool:
    """Return whether an answer needs a judge: a right answer is known, and no fact."""
    return question.answerable and bool(question.gold_answer) and not question.required_facts


def judge_answer(question: Question, answer: str, context: StepContext) -> JudgeVerdict:
    """Return what the verifier model says of an answer; "nonsense" where it says nothing usable.

    So it is where it fails, or is not paid. Never raises.
    """
    prompt = context.prompts.judge_answer.render(
        question=question.text, gold_answer=question.gold_answer, answer=fenced(answer)
    )
    asked, model = [Message("user", prompt)], context.ports.verifier
    try:
        reply = context.meter.ask(model, "verifier", asked, max_tokens=TOKENS, schema=SCHEMA)
    except (ModelError, BudgetError):
        return "nonsense"
    verdict = reply_object(reply.text).get("verdict")
    return "right" if verdict == "right" else "wrong" if verdict == "wrong" else "nonsense"
