"""How good rankings, answers and refusals are on questions whose answers are known.

Everything here is arithmetic; `research_agent.evaluate` asks the questions.
"""

from research_agent.evaluation.metrics import METRICS as METRICS
from research_agent.evaluation.metrics import Difference as Difference
from research_agent.evaluation.metrics import Figure as Figure
from research_agent.evaluation.metrics import Summary as Summary
from research_agent.evaluation.metrics import compared as compared
from research_agent.evaluation.metrics import summary_of as summary_of
from research_agent.evaluation.questions import Question as Question
from research_agent.evaluation.questions import check_against as check_against
from research_agent.evaluation.questions import read_questions as read_questions
from research_agent.evaluation.questions import sampled as sampled
from research_agent.evaluation.ranking import Gold as Gold
from research_agent.evaluation.ranking import Span as Span
from research_agent.evaluation.rows import EvalRow as EvalRow
