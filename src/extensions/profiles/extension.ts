import { extension } from "../../ports/extension.ts";
import { getAgent } from "./get-agent.ts";
import { getPublicAgent } from "./get-public-agent.ts";

export const profiles = extension({
	name: "profiles",
	purpose: "Anyone can read what an agent has achieved.",
	words: ["PublicAgent", "leaderOf"],
	endpoints: {
		getAgent,
		getPublicAgent,
	},
});
