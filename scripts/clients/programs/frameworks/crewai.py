"""A CrewAI crew of one agent, with the MCP server's tools."""

import os

from crewai import LLM, Agent, Crew, Task
from crewai_tools import MCPServerAdapter

server = {
    "url": os.environ["BASE_URL"] + "/mcp",
    "transport": "streamable-http",
    "headers": {"Authorization": "Bearer " + os.environ["KEY"]},
}
with MCPServerAdapter(server) as tools:
    model = LLM(model="openai/gpt-4o", base_url=os.environ["MODEL_URL"], api_key="none")
    agent = Agent(role="Competitor", goal="Compete.", backstory="None.", llm=model, tools=tools, max_iter=30)
    task = Task(description="Compete.", expected_output="done", agent=agent)
    Crew(agents=[agent], tasks=[task]).kickoff()
