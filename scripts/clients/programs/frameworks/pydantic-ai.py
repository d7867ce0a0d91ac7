"""A pydantic-ai agent with the MCP server's tools."""

import asyncio
import os

from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider


async def main() -> None:
    client = AsyncOpenAI(base_url=os.environ["MODEL_URL"], api_key="none", max_retries=0)
    model = OpenAIChatModel("gpt-4o", provider=OpenAIProvider(openai_client=client))
    toolset = MCPToolset(os.environ["BASE_URL"] + "/mcp", headers={"Authorization": "Bearer " + os.environ["KEY"]})

    async def make_strict(_, tools):
        from dataclasses import replace

        return [replace(tool, strict=True) for tool in tools]

    used = toolset.prepared(make_strict) if os.environ["STRICT"] == "true" else toolset
    await Agent(model, toolsets=[used]).run("Compete.")


asyncio.run(main())
