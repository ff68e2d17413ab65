"""Chunks taken one after the other."""

from research_agent.answering.select_evidence.greedy_gain import Greedy, greedy
from research_agent.answering.select_evidence.information_gain import Measured

Table = dict[tuple[int, ...], Measured]


def table(**given: float) -> Table:
    """Return measurements by places: a01=0.2 is that with chunks 0 and 1 in any order."""
    return {tuple(int(c) for c in name[1:]): Measured(value) for name, value in given.items()}


class Model:
    """Looks measurements up, in any order of the chunks; counts what it was asked."""

    def __init__(self, known: Table, *, calls: int = 99) -> None:
        self.known, self.calls = known, calls
        self.asked: list[tuple[int, ...]] = []

    def __call__(self, places: tuple[int, ...]) -> Measured:
        if len(self.asked) >= self.calls:
            return Measured(missing="not paid")
        self.asked.append(places)
        return self.known[tuple(sorted(places))]


def run(model: Model, count: int, *, given: tuple[int, ...] = (), least: int = 1) -> Greedy:
    return greedy(count, model, given=given, min_gain=0.05, least=least)


def test_duplicates_go_and_complements_stay() -> None:
    """Each of two equal chunks would help; with one of them the other adds nothing."""
    known = table(a=0.6, a0=0.3, a1=0.3, a2=0.5, a01=0.3, a02=0.1, a012=0.1)
    model = Model(known)
    found = run(model, 3)

    assert ([0, 2], set()) == (found.kept, found.undecided)
    assert 0.0 == found.gains[1]


def test_a_gain_that_is_too_small_is_not_measured_again() -> None:
    """Six chunks need seven calls and one more: the stale ones are below the least gain."""
    known = table(a=0.6, a0=0.2, a1=0.57, a2=0.58, a3=0.59, a4=0.6, a5=0.7)
    model = Model(known)
    found = run(model, 6)

    assert ([0], 7) == (found.kept, len(model.asked))


def test_first_chunk_is_taken_whatever_it_gains() -> None:
    """A model that is sure of a wrong guess is made less sure by the right chunk too."""
    known = table(a=0.1, a0=0.4, a1=0.3, a01=0.2)

    assert [1, 0] == run(Model(known), 2).kept
    assert [] == run(Model(known), 2, least=0).kept


def test_given_chunks_come_first_in_every_prompt() -> None:
    """They are the start, so that a server reads them once."""
    model = Model(table(a2=0.5, a02=0.2, a12=0.5))
    found = run(model, 3, given=(2,))

    assert ([2, 0], 0.5) == (found.kept, found.start.nu)
    assert {(2,), (2, 0), (2, 1)} == set(model.asked[:3])


def test_what_is_not_paid_stays_undecided() -> None:
    """Calls that end early leave every chunk that could still stay."""
    known = table(a=0.6, a0=0.2, a1=0.3, a2=0.6, a01=0.15)
    none, some, all_ = (run(Model(known, calls=n), 3) for n in (0, 2, 4))

    assert ([], {0, 1, 2}) == (none.kept, none.undecided)
    assert ([0], {1, 2}) == (some.kept, some.undecided)
    assert ([0], {1}) == (all_.kept, all_.undecided)


def test_failed_call_is_no_gain() -> None:
    """The chunk is undecided, and takes no part in the set."""
    known = table(a=0.6, a1=0.2) | {(0,): Measured(missing="failed")}
    found = run(Model(known), 2)

    assert ([1], {0}, {1}) == (found.kept, found.undecided, set(found.gains))


def test_chunk_that_makes_the_model_refuse_is_out() -> None:
    """However sure it is of that."""
    known = table(a=0.6, a1=0.2) | {(0,): Measured(0.0, refused=True)}
    found = run(Model(known), 2)

    assert ([1], {0}) == (found.kept, found.refused)


def test_nothing_to_choose_from() -> None:
    """Only the start is measured."""
    model = Model(table(a=0.6))

    assert ([], [()]) == (run(model, 0).kept, model.asked)
