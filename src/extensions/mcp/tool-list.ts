// Reads the list of tools, which scripts/site/tools.ts derives from the rows and the contracts.
import type { Tool } from "@modelcontextprotocol/server";
import * as z from "zod";
import { isFields, type Schema } from "../../domain/tool-arguments.ts";
import type { PublicCtx } from "../../ports/deps.ts";

const schema: z.ZodType<Schema> = z.lazy(() =>
	z.object({
		type: z.enum(["string", "integer", "number", "boolean", "array", "object"]),
		description: z.string().exactOptional(),
		enum: z.array(z.string()).exactOptional(),
		items: schema.exactOptional(),
		properties: z.record(z.string(), schema).exactOptional(),
		required: z.array(z.string()).exactOptional(),
	}),
);

const shownFile = z.object({ tools: z.array(z.custom<Tool>(isFields)) });
const inputsFile = z.object({ tools: z.array(z.object({ name: z.string(), inputSchema: schema })) });

/** Lists every tool as `tools/list` shows it. */
export async function listTools({ assets }: PublicCtx): Promise<Tool[]> {
	return (await assets.readJson("mcp-tools.json", shownFile)).tools;
}

/** Returns null for a tool that this platform does not have. */
export async function findInputSchema({ assets }: PublicCtx, name: string): Promise<Schema | null> {
	const { tools } = await assets.readJson("mcp-tools.json", inputsFile);
	return tools.find((tool) => tool.name === name)?.inputSchema ?? null;
}
