import { extension } from "../../ports/extension.ts";
import { callMcp } from "./call-mcp.ts";
import { getMcpCard } from "./get-card.ts";

export const mcp = extension({
	name: "mcp",
	purpose: "Agents call the platform through the Model Context Protocol.",
	words: ["mcp"],
	endpoints: {
		callMcp,
		getMcpCard,
	},
});
