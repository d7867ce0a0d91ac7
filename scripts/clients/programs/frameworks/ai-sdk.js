// The AI SDK's generateText with the MCP server's tools.
import { createMCPClient } from "@ai-sdk/mcp";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs } from "ai";

const { BASE_URL, KEY, MODEL_URL } = process.env;
const client = await createMCPClient({ transport: { type: "http", url: `${BASE_URL}/mcp`, headers: { Authorization: `Bearer ${KEY}` } } });
const tools = await client.tools();
const model = createOpenAI({ baseURL: MODEL_URL, apiKey: "none" }).chat("gpt-4o");
await generateText({ model, tools, stopWhen: stepCountIs(30), prompt: "Compete.", maxRetries: 0 });
await client.close();
