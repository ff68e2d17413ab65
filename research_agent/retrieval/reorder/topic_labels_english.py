"""The code book for English texts: sixteen domains, sixteen tasks, twelve modifiers.

A pattern is a regular expression in folded (lower-case) text that begins at a word's beginning,
so "encrypt" finds "encryption" too. To add a language, write a book like this one.
"""

from research_agent.retrieval.reorder.topic_labels import CodeBook, Label


def _label(name: str, patterns: str, asked: str = "") -> Label:
    """Return a label; patterns are separated by commas."""
    return Label(name, _split(patterns), _split(asked))


def _split(patterns: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in patterns.split(",") if part.strip())


DOMAINS = (
    _label(
        "science",
        "physic, chemi, molecul, atom, particle, quantum, laser, spectr, biolog, cell, "
        "gene, protein",
    ),
    _label(
        "mathematics",
        "theorem, lemma, proof, algebra, polynomial, matri[xc], integer, vector, prime, "
        "equation, modul[oe], norm, bound",
    ),
    _label(
        "technology",
        "device, hardware, sensor, network, internet, wireless, chip, processor, "
        "protocol, firmware, platform",
    ),
    _label(
        "engineering",
        "aero, wing, flow, shock, pressure, boundary layer, mach, heat transfer, "
        "structur, buckling, shell, cylinder, load, stress, mechanic, turbul, nozzle",
    ),
    _label(
        "medicine",
        "patient, clinic, disease, therap, cancer, tumo[u]?r, drug, treatment, diagnos, "
        "infect, vaccin, mortality, symptom, hospital, cardi",
    ),
    _label(
        "psychology",
        "cognit, behavio, emotion, anxiet, depress, memory, attention, percept, personalit, mental",
    ),
    _label("philosophy", "philosoph, ethic, moral, epistem, metaphysic, ontolog, argument from"),
    _label(
        "history",
        "centur, war, empire, dynast, medieval, ancient, revolution, colonial, historian",
    ),
    _label("literature", "novel, poem, poet, author, fiction, narrat, literary, drama, prose"),
    _label(
        "art",
        "paint, sculpt, museum, music, artist, theat, film, composer, gallery, aesthetic",
    ),
    _label(
        "economics",
        "econom, market, price, trade, inflation, income, invest, bank, tax, financ, cost of",
    ),
    _label(
        "law",
        "law, legal, court, statut, regulation, liab, contract, plaintiff, copyright, "
        "patent, licen[sc]",
    ),
    _label(
        "politics",
        "government, election, parliament, politic, polic[yi], president, vote, "
        "minister, state department",
    ),
    _label(
        "education",
        "student, teacher, school, curricul, universit, classroom, learner, pedagog",
    ),
    _label(
        "environment",
        "climat, ecosystem, species, pollution, emission, forest, ocean, soil, biodivers, carbon",
    ),
    _label(
        "software",
        "software, program, code, api, function, class, library, algorithm, encrypt, "
        "cryptograph, key, signature, hash, cipher, server, database, compil, "
        "implement, data structure",
    ),
)

TASKS = (
    _label(
        "define",
        "is defined as, refers to, means, is an? , is the , are called, called, "
        "denotes, definition, term",
        r"what is, what are, what does \w+ mean, define, definition, meaning of, stands? "
        "for",
    ),
    _label(
        "quantify",
        r"\d+ ?(?:bytes?|bits?|%|percent|seconds?|ms|kb|mb|gb|kg|mm|cm|km|degrees?), "
        r"\d+ (?:hours?|days?|years?), table, number of, size, length, total, value of, ratio",
        "how many, how much, how large, how long, how fast, what size, sizes?, what "
        "number, number of, what value, which values?, rate of, percentage",
    ),
    _label(
        "proceed",
        r"algorithm, step \d, input, output, for each, then, return, procedure, first, "
        "next, finally, run, call, install",
        "how do, how does, how can, how to, how is, how are, steps?, procedure, "
        "algorithm, what must .{1,40} do, process",
    ),
    _label(
        "compare",
        "compared, whereas, than, unlike, in contrast, both, difference, versus, "
        "similar, relative to, while",
        r"compare, comparison, difference, differ, versus, vs\b, better, worse, which "
        "of, rather than, unlike, similarit",
    ),
    _label(
        "explain",
        "because, due to, therefore, reason, since, caused, leads? to, results? in, so "
        "that, hence, rationale",
        "why, what causes?, reasons?, what explains?, how come, rationale, what leads",
    ),
    _label(
        "require",
        "shall, must, required, requirement, should, conform, mandatory, not permitted, prohibit",
        "must, shall, required, requirements?, allowed, permitted, approved, should, "
        "mandatory, may .{1,30} be used",
    ),
    _label(
        "exemplify",
        r"for example, for instance, e\.g, such as, example, illustrat, case study",
        "examples?, for instance, illustrate, which kinds",
    ),
    _label(
        "survey",
        "this document, this paper, this standard, overview, introduction, abstract, "
        "scope, summary, in this section, purpose",
        "overview, summar, purpose, what is .{1,60} about, scope, main, describe, "
        "background, introduction",
    ),
    _label(
        "list",
        "following, include, consists? of, comprises?, listed, list of, types of, categories",
        "list, which, what (?:types|kinds|sorts), name the, components?, what are the, enumerate",
    ),
    _label(
        "date",
        r"(?:19|20)\d\d, january, february, march, april, june, july, august, september, "
        "october, november, december, deadline, published",
        "when, what year, what date, since when, until when, deadline, how recent",
    ),
    _label(
        "identify",
        "author, founded by, developed by, invented, editor, submitted by, university, institute",
        "who, whose, which (?:person|company|team|organi[sz]ation), where",
    ),
    _label(
        "evaluate",
        "results?, experiment, measured, we found, significant, performance, accuracy, "
        "evaluat, tested, observed",
        "how well, effective, performance, results?, evaluat, does .{1,60} "
        "(?:improve|reduce|increase|affect), effects? of",
    ),
    _label(
        "recommend",
        "recommend, advis, prefer, best practice, guidance, suggest, encouraged",
        "recommend, should (?:i|we|one), best way, advice, guidance, prefer",
    ),
    _label(
        "prove",
        "proof, theorem, lemma, assume, implies, we show that, it follows, corollary, suppose",
        "prove, proof, is it true, show that, does it follow",
    ),
    _label(
        "warn",
        "risk, attack, vulnerab, threat, fail, error, limitation, caution, danger, "
        "insecure, warning",
        "risks?, attacks?, threats?, vulnerab, limitations?, what can go wrong, fail, "
        "errors?, dangers?",
    ),
    _label(
        "plan",
        "will be, future, plan, transition, migrat, roadmap, upcoming, intend, "
        "proposed, next version",
        "future, plan, transition, migrat, will .{1,40} be, roadmap, upcoming",
    ),
)

MODIFIERS = (
    _label("numeric", r"\d+(?:[.,]\d+)*, percent, number, value, table"),
    _label(
        "temporal",
        r"year, date, time, period, duration, before, after, until, (?:19|20)\d\d",
    ),
    _label("secure", "secur, attack, privac, confidential, authentic, adversar, secret"),
    _label(
        "efficient",
        "fast, slow, speed, performance, efficien, latency, throughput, memory, cost, overhead",
    ),
    _label(
        "statistical",
        "mean, median, variance, significan, confidence interval, regression, sample, "
        "correlat, odds ratio",
    ),
    _label(
        "experimental",
        "experiment, trial, test, measure, observ, laborator, mice, in vitro, in vivo, wind tunnel",
    ),
    _label(
        "theoretical",
        "theor, model, assum, hypothe, analytic, derive, approximat, solution of",
    ),
    _label(
        "normative",
        "shall, must, standard, compl[iy], approved, regulation, requirement, specif",
    ),
    _label(
        "structural",
        "section, chapter, figure, table, appendix, format, structure, layout, field",
    ),
    _label("negative", "not, no, never, without, none, cannot, absence, fails?, lack"),
    _label("comparative", "more, less, larger, smaller, higher, lower, better, worse, than"),
    _label(
        "uncertain",
        "may, might, possibl, probab, likely, uncertain, unclear, appear, suggest",
    ),
)

ENGLISH = CodeBook(DOMAINS, TASKS, MODIFIERS)
"""The one code book of English questions and chunks."""
