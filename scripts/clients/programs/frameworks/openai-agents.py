"""An agent of OpenAI's Agents SDK, with the MCP server's tools."""

import asyncio
import os

from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStreamableHttp
from openai import AsyncOpenAI


async def main() -> None:
    set_tracing_disabled(True)
    params = {"url": os.environ["BASE_URL"] + "/mcp", "headers": {"Authorization": "Bearer " + os.environ["KEY"]}}
    model = OpenAIChatCompletionsModel(
        model="gpt-4o", openai_client=AsyncOpenAI(base_url=os.environ["MODEL_URL"], api_key="none", max_retries=0)
    )
    strict = os.environ["STRICT"] == "true"
    # Gives up after 5 seconds, which is its default.
    async with MCPServerStreamableHttp(params=params) as server:
        agent = Agent(
            name="Competitor", model=model, mcp_servers=[server], mcp_config={"convert_schemas_to_strict": strict}
        )
        await Runner.run(agent, "Compete.", max_turns=30)


asyncio.run(main())
