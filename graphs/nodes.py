"""One node per step: read state, call one function, name what changed."""

from research_agent.answering.report import report
from research_agent.answering.select_evidence.step import EarlierEvidence, select_evidence
from research_agent.answering.write.step import answer_question
from research_agent.context import RunContext
from research_agent.planning.refine.step import EarlierRounds, refine
from research_agent.retrieval.confidence import retrieval_confidence
from research_agent.retrieval.step import retrieve
from research_agent.verification.next_round import WrittenRound
from research_agent.verification.step import verify_answer

from .state import ResearchState, ResearchUpdate


def retrieve_node(state: ResearchState, run: RunContext) -> ResearchUpdate:
    found = retrieve(
        state.question,
        state.check,
        run.keeping_answer_reserve(state.trace),
        scope=state.scope,
        known=state.known,
        evidence=state.evidence,
    )
    return {"probe": found.value, "rounds": state.rounds + 1, "trace": [found.event]}


def assess_node(state: ResearchState, run: RunContext) -> ResearchUpdate:
    probe, settings = state.probe, run.settings.confidence
    return {"confidence": retrieval_confidence(probe.query, probe.hits, settings)}


def refine_node(state: ResearchState, run: RunContext) -> ResearchUpdate:
    refined = refine(
        state.question,
        state.probe,
        state.confidence,
        EarlierRounds(state.check, state.evidence, state.trace),
        context=run.keeping_answer_reserve(state.trace),
    )
    return {"refinement": refined.value, "trace": [refined.event]}


def select_evidence_node(state: ResearchState, run: RunContext) -> ResearchUpdate:
    earlier = EarlierEvidence(state.evidence, state.pruned, state.check)
    context = run.keeping_answer_reserve(state.trace)
    selected = select_evidence(state.question, state.found.hits, earlier, context, state.scope)
    return {
        "evidence": selected.value.evidence,
        "pruned": selected.value.pruned,
        "trace": [selected.event],
    }


def answer_node(state: ResearchState, run: RunContext) -> ResearchUpdate:
    context = run.with_all_left(state.trace)
    answered = answer_question(
        state.question, state.evidence, state.answer, context, state.check.faulty
    )
    return {"answer": answered.value, "trace": [answered.event]}


def verify_node(state: ResearchState, run: RunContext) -> ResearchUpdate:
    written = WrittenRound(
        question=state.question,
        number=state.rounds,
        answer=state.answer,
        evidence=state.evidence,
        best=state.best,
        rounds=state.check.rounds,
        found=state.found.hits,
        probe_failed=state.probe.failed,
        exhausted=state.refinement.exhausted,
        left_out=state.pruned.may_return,
    )
    verified = verify_answer(written, run.with_all_left(state.trace))
    return {
        "check": verified.value.check,
        "best": verified.value.best,
        "trace": [verified.event],
    }


def report_node(state: ResearchState, run: RunContext) -> ResearchUpdate:
    result = report(state, run.with_all_left(state.trace))
    return {"result": result}
