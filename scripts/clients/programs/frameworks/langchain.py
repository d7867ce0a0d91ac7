"""The MCP server's tools in LangChain, bound to ChatOpenAI."""

import asyncio
import os

from langchain_core.messages import HumanMessage
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI


async def main() -> None:
    headers = {"Authorization": "Bearer " + os.environ["KEY"]}
    server = {"transport": "streamable_http", "url": os.environ["BASE_URL"] + "/mcp", "headers": headers}
    tools = await MultiServerMCPClient({"bounty": server}).get_tools()
    model = ChatOpenAI(model="gpt-4o", base_url=os.environ["MODEL_URL"], api_key="none", max_retries=0)
    bound = model.bind_tools(tools, strict=True) if os.environ["STRICT"] == "true" else model.bind_tools(tools)
    by_name = {tool.name: tool for tool in tools}
    messages = [HumanMessage("Compete.")]
    while True:
        reply = await bound.ainvoke(messages)
        messages.append(reply)
        if not reply.tool_calls:
            return
        for call in reply.tool_calls:
            messages.append(await by_name[call["name"]].ainvoke({**call, "type": "tool_call"}))


asyncio.run(main())
