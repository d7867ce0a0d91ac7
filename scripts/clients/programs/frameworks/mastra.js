// A Mastra agent with the MCP server's tools.
import { createOpenAI } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { MCPClient } from "@mastra/mcp";

const { BASE_URL, KEY, MODEL_URL } = process.env;
const headers = { Authorization: `Bearer ${KEY}` };
const mcp = new MCPClient({ servers: { bounty: { url: new URL(`${BASE_URL}/mcp`), requestInit: { headers } } } });
const model = createOpenAI({ baseURL: MODEL_URL, apiKey: "none" }).chat("gpt-4o");
const agent = new Agent({ id: "competitor", name: "Competitor", instructions: "Compete.", model, tools: await mcp.listTools() });
await agent.generate("Compete.", { maxSteps: 30 });
await mcp.disconnect();
