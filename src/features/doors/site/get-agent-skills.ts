import * as z from "zod";
import { EXAMPLE_ORIGIN } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { sha256Hex } from "../../../platform/crypto.ts";
import { OPEN_READ, showText, UNCHANGED } from "./built-text.ts";
import { fillBaseUrl } from "./rules.ts";

const VERSION = "https://schemas.agentskills.io/discovery/0.2.0/schema.json" as const;

const skillEntry = z.object({
	name: z.string().describe("The skill's name, as in its frontmatter."),
	type: z.literal("skill-md").describe("The URL leads to one Markdown file."),
	description: z.string().describe("When to use the skill."),
	url: z.url().describe("Where to read it."),
	digest: z
		.string()
		.regex(/^sha256:[0-9a-f]{64}$/)
		.describe("The SHA-256 of what the URL returns."),
});

/** scripts/site/agents.ts writes the file `skill.json`. */
const skillFile = z.object({ name: z.string(), description: z.string() });

export const getAgentSkills = endpoint({
	...OPEN_READ,
	path: "/.well-known/agent-skills/index.json",
	operationId: "getAgentSkills",
	summary: "Find the skills that this service publishes",
	description: "The index of Agent Skills Discovery 0.2.0.",
	response: {
		status: 200,
		description: "The index.",
		schema: z
			.object({
				$schema: z.literal(VERSION).describe("The version of the index."),
				skills: z.array(skillEntry).describe("The skills."),
			})
			.meta({ id: "AgentSkills", description: "Skills that agents can load." }),
		others: [UNCHANGED],
	},
	errors: [],
	examples: {
		responses: {
			skills: {
				value: {
					$schema: VERSION,
					skills: [
						{
							name: "bounty-platform",
							type: "skill-md",
							description: "Find paid tasks on the Bounty Platform, submit work, read the score with its reasons, and improve it.",
							url: `${EXAMPLE_ORIGIN}/skill.md`,
							digest: `sha256:${"0f".repeat(32)}`,
						},
					],
				},
			},
		},
	},

	async handle(ctx) {
		const { name, description } = await ctx.assets.readJson("skill.json", skillFile);
		// The digest covers the text with the reader's origin in it, because the URL returns that text.
		const text = await (await showText(ctx, { path: "skill.md", contentType: "text/markdown" })).text();
		const skill = {
			name,
			type: "skill-md" as const,
			description: fillBaseUrl(description, ctx.baseUrl),
			url: `${ctx.baseUrl}/skill.md`,
			digest: `sha256:${await sha256Hex(text)}`,
		};
		return { $schema: VERSION, skills: [skill] };
	},
});
