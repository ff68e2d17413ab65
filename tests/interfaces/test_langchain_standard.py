"""LangChain's own standard tests, on the agent as a retriever and as a tool."""

from collections.abc import Iterator
from typing import Any

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

    @property
    def retriever_constructor(self) -> type[ResearchRetriever]:
        return ResearchRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"agent": self.agent}

    @property
    def retriever_query_example(self) -> str:
        return "How many bytes has a key?"


class ToolUnderTest:
    """`agent.as_tool()`."""

    agent: ResearchAgent

    @property
    def tool_constructor(self) -> BaseTool:
        return self.agent.as_tool()

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"question": QUESTION}


class SearchToolUnderTest:
    """The search of `agent.tools()`."""

    agent: ResearchAgent

    @property
    def tool_constructor(self) -> BaseTool:
        return self.agent.tools()[0]

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"query": "bytes of a key"}


class TestTool(ToolUnderTest, ToolsUnitTests):
    pass


class TestToolInvoked(ToolUnderTest, ToolsIntegrationTests):
    pass


class TestSearchTool(SearchToolUnderTest, ToolsUnitTests):
    pass


class TestSearchToolInvoked(SearchToolUnderTest, ToolsIntegrationTests):
    pass
