"""Where in a search something was lost."""

from benchmarks.metrics import Gold, Span
from benchmarks.misses import Stages, miss_cause

A, B, C = (Span("d", page, page) for page in (1, 2, 3))


def test_the_first_stage_that_lost_it_is_named() -> None:
    """Each cause has a search that shows it."""
    gold = Gold((A,))
    searches = {
        "found": Stages(((A,), ()), fused=(A, B), final=(A, B)),
        "not retrieved": Stages(((B,), (C,)), fused=(B, C), final=(B, C)),
        "fusion": Stages(((A, B), (C, B)), fused=(B, A), final=(B, A)),
        "filter": Stages(((A,), (A,)), fused=(A, B), final=(B,)),
        "beyond k": Stages(((B, A), (C, A)), fused=(B, A, C), final=(B, A, C)),
    }

    assert list(searches) == [miss_cause(gold, stages, k=1) for stages in searches.values()]


def test_any_accepted_span_counts() -> None:
    """A gold with alternatives is found by any of them."""
    stages = Stages(((B,), ()), fused=(B,), final=(B,))

    assert "found" == miss_cause(Gold((A, B)), stages, k=1)
