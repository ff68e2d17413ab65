"""LangChain's own standard tests, on the agent as a retriever and as a tool."""

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from langchain_core.tools import BaseTool

from research_agent import ResearchAgent
from research_agent.interfaces.langchain_doors import ResearchRetriever
from tests.fakes import BYPASSING, GOOD, PROMPTS, QUESTION, ScriptedChat, ports, says
from tests.needed import missing

try:
    from langchain_tests.integration_tests.retrievers import RetrieversIntegrationTests
    from langchain_tests.integration_tests.tools import ToolsIntegrationTests
    from langchain_tests.unit_tests.tools import ToolsUnitTests
except ImportError:
    missing("langchain-tests is not installed (extra dev)", whole_file=True)


TEXTS = [f"Key {number} has 1184 bytes." for number in range(5)]


@pytest.fixture(autouse=True)
def _agent(request: pytest.FixtureRequest) -> Iterator[None]:
    """Give each class an agent over five chunks; what it is asked for are no fixtures."""
    with ResearchAgent(ports(ScriptedChat(says(GOOD)), texts=TEXTS), BYPASSING, PROMPTS) as agent:
        request.cls.agent = agent
        yield


class TestRetriever(RetrieversIntegrationTests):
    """`agent.as_retriever()`."""

    agent: ResearchAgent
    retriever_constructor = ResearchRetriever
    retriever_query_example = "How many bytes has a key?"

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"agent": self.agent}


class AnswerTool:
    """`agent.as_tool()`."""

    agent: ResearchAgent
    tool_invoke_params_example: ClassVar = {"question": QUESTION}

    @property
    def tool_constructor(self) -> BaseTool:
        return self.agent.as_tool()


class SearchTool(AnswerTool):
    """The search of `agent.tools()`."""

    tool_invoke_params_example: ClassVar = {"query": "bytes of a key"}

    @property
    def tool_constructor(self) -> BaseTool:
        return self.agent.tools()[0]


class TestTool(AnswerTool, ToolsUnitTests): ...


class TestToolInvoked(AnswerTool, ToolsIntegrationTests): ...


class TestSearchTool(SearchTool, ToolsUnitTests): ...


class TestSearchToolInvoked(SearchTool, ToolsIntegrationTests): ...
