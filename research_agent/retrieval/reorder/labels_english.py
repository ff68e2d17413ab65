"""Patterns of topic labels in English: sixteen domains, sixteen tasks, twelve modifiers.

A line is a label and its patterns, separated by commas; indented lines go on. A pattern is a
regular expression in folded (lower-case) text that begins at a word's beginning, without groups
that capture: "encrypt" finds "encryption" too.
"""

DOMAINS = r"""
science: physic, chemi, molecul, atom, particle, quantum, laser, spectr, biolog, cell, gene,
  protein
mathematics: theorem, lemma, proof, algebra, polynomial, matri[xc], integer, vector, prime,
  equation, modul[oe], norm, bound
technology: device, hardware, sensor, network, internet, wireless, chip, processor, protocol,
  firmware, platform
engineering: aero, wing, flow, shock, pressure, boundary layer, mach, heat transfer, structur,
  buckling, shell, cylinder, load, stress, mechanic, turbul, nozzle
medicine: patient, clinic, disease, therap, cancer, tumo[u]?r, drug, treatment, diagnos, infect,
  vaccin, mortality, symptom, hospital, cardi
psychology: cognit, behavio, emotion, anxiet, depress, memory, attention, percept, personalit,
  mental
philosophy: philosoph, ethic, moral, epistem, metaphysic, ontolog, argument from
history: centur, war, empire, dynast, medieval, ancient, revolution, colonial, historian
literature: novel, poem, poet, author, fiction, narrat, literary, drama, prose
art: paint, sculpt, museum, music, artist, theat, film, composer, gallery, aesthetic
economics: econom, market, price, trade, inflation, income, invest, bank, tax, financ, cost of
law: law, legal, court, statut, regulation, liab, contract, plaintiff, copyright, patent,
  licen[sc]
politics: government, election, parliament, politic, polic[yi], president, vote, minister, state
  department
education: student, teacher, school, curricul, universit, classroom, learner, pedagog
environment: climat, ecosystem, species, pollution, emission, forest, ocean, soil, biodivers,
  carbon
software: software, program, code, api, function, class, library, algorithm, encrypt, cryptograph,
  key, signature, hash, cipher, server, database, compil, implement, data structure
"""
"""What a text is about."""
TASKS = r"""
define: is defined as, refers to, means, is an?, is the, are called, called, denotes, definition,
  term
quantify: \d+ ?(?:bytes?|bits?|%|percent|seconds?|ms|kb|mb|gb|kg|mm|cm|km|degrees?), \d+
  (?:hours?|days?|years?), table, number of, size, length, total, value of, ratio
proceed: algorithm, step \d, input, output, for each, then, return, procedure, first, next,
  finally, run, call, install
compare: compared, whereas, than, unlike, in contrast, both, difference, versus, similar, relative
  to, while
explain: because, due to, therefore, reason, since, caused, leads? to, results? in, so that,
  hence, rationale
require: shall, must, required, requirement, should, conform, mandatory, not permitted, prohibit
exemplify: for example, for instance, e\.g, such as, example, illustrat, case study
survey: this document, this paper, this standard, overview, introduction, abstract, scope,
  summary, in this section, purpose
list: following, include, consists? of, comprises?, listed, list of, types of, categories
date: (?:19|20)\d\d, january, february, march, april, june, july, august, september, october,
  november, december, deadline, published
identify: author, founded by, developed by, invented, editor, submitted by, university, institute
evaluate: results?, experiment, measured, we found, significant, performance, accuracy, evaluat,
  tested, observed
recommend: recommend, advis, prefer, best practice, guidance, suggest, encouraged
prove: proof, theorem, lemma, assume, implies, we show that, it follows, corollary, suppose
warn: risk, attack, vulnerab, threat, fail, error, limitation, caution, danger, insecure, warning
plan: will be, future, plan, transition, migrat, roadmap, upcoming, intend, proposed, next version
"""
"""What a text does, by its words."""
TASKS_ASKED = r"""
define: what is, what are, what does \w+ mean, define, definition, meaning of, stands? for
quantify: how many, how much, how large, how long, how fast, what size, sizes?, what number,
  number of, what value, which values?, rate of, percentage
proceed: how do, how does, how can, how to, how is, how are, steps?, procedure, algorithm, process
compare: compare, comparison, difference, differ, versus, vs\b, better, worse, which of, rather
  than, unlike, similarit
explain: why, what causes?, reasons?, what explains?, how come, rationale, what leads
require: must, shall, required, requirements?, allowed, permitted, approved, should, mandatory
exemplify: examples?, for instance, illustrate, which kinds
survey: overview, summar, purpose, scope, main, describe, background, introduction
list: list, which, what (?:types|kinds|sorts), name the, components?, what are the, enumerate
date: when, what year, what date, since when, until when, deadline, how recent
identify: who, whose, which (?:person|company|team|organi[sz]ation), where
evaluate: how well, effective, performance, results?, evaluat, effects? of
recommend: recommend, should (?:i|we|one), best way, advice, guidance, prefer
prove: prove, proof, is it true, show that, does it follow
warn: risks?, attacks?, threats?, vulnerab, limitations?, what can go wrong, fail, errors?,
  dangers?
plan: future, plan, transition, migrat, roadmap, upcoming
"""
"""What a question wants, by its words."""
MODIFIERS = r"""
numeric: \d+, percent, number, value, table
temporal: year, date, time, period, duration, before, after, until, (?:19|20)\d\d
secure: secur, attack, privac, confidential, authentic, adversar, secret
efficient: fast, slow, speed, performance, efficien, latency, throughput, memory, cost, overhead
statistical: mean, median, variance, significan, confidence interval, regression, sample,
  correlat, odds ratio
experimental: experiment, trial, test, measure, observ, laborator, mice, in vitro, in vivo, wind
  tunnel
theoretical: theor, model, assum, hypothe, analytic, derive, approximat, solution of
normative: shall, must, standard, compl[iy], approved, regulation, requirement, specif
structural: section, chapter, figure, table, appendix, format, structure, layout, field
negative: not, no, never, without, none, cannot, absence, fails?, lack
comparative: more, less, larger, smaller, higher, lower, better, worse, than
uncertain: may, might, possibl, probab, likely, uncertain, unclear, appear, suggest
"""
"""How a text is about it."""
