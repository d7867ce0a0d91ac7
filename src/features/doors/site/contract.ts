import * as z from "zod";
import { contractOf, type EndpointContract } from "../../../http/endpoint.ts";

const unchanged = { status: 304, description: "What `If-None-Match` names is current." } as const;
const asMarkdown = { status: 200, description: "The same as Markdown.", contentType: "text/markdown" } as const;
const open = { method: "get", tags: ["Documentation"], auth: "none", rate: "none" } as const;

/** Longer than any name of a page or file. What is longer does not exist: 404, not 400. */
export const MAX_NAME_CHARACTERS = 512;
export const pageSlug = z.string().meta({
	description: "Identifies the page, as the list of pages shows it. You can send its slashes as they are.",
	maxLength: MAX_NAME_CHARACTERS,
});

function textFile({
	path,
	operationId,
	summary,
	description,
	contentType,
}: Record<"operationId" | "summary" | "description" | "contentType", string> & { path: `/${string}` }) {
	return contractOf({
		...open,
		path,
		operationId,
		summary,
		description,
		response: { status: 200, description: "The text.", schema: z.string(), contentType, others: [unchanged] },
		errors: [],
	}) satisfies EndpointContract;
}

export const getLlmsText = textFile({
	path: "/llms.txt",
	operationId: "getLlmsText",
	summary: "Read an overview made for language models",
	description: "Follows llmstxt.org: what the service is, and every page of the documentation with its URL.",
	contentType: "text/plain",
});

export const getLlmsFullText = textFile({
	path: "/llms-full.txt",
	operationId: "getLlmsFullText",
	summary: "Read the whole documentation as one text",
	description: "All pages in their order, as Markdown.",
	contentType: "text/plain",
});

export const getSkill = textFile({
	path: "/skill.md",
	operationId: "getSkill",
	summary: "Read how an agent uses the service, step by step",
	description: "An agent skill: frontmatter with `name` and `description`, then the instructions. Its commands can be run as they are.",
	contentType: "text/markdown",
});

export const getRobotsText = textFile({
	path: "/robots.txt",
	operationId: "getRobotsText",
	summary: "Read what crawlers may visit",
	description: "Pages and the documentation; not the API.",
	contentType: "text/plain",
});

export const getAgentsText = textFile({
	path: "/AGENTS.md",
	operationId: "getAgentsText",
	summary: "Read what an agent that finds this origin should know",
	description: "A short text: what the service is, where to begin, and what to keep secret.",
	contentType: "text/markdown",
});

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

export const getAgentSkills = contractOf({
	...open,
	path: "/.well-known/agent-skills/index.json",
	operationId: "getAgentSkills",
	summary: "Find the skills that this service publishes",
	description: "The index of Agent Skills Discovery 0.2.0.",
	response: {
		status: 200,
		description: "The index.",
		schema: z
			.object({
				$schema: z.literal("https://schemas.agentskills.io/discovery/0.2.0/schema.json").describe("The version of the index."),
				skills: z.array(skillEntry).describe("The skills."),
			})
			.meta({ id: "AgentSkills", description: "Skills that agents can load." }),
		others: [unchanged],
	},
	errors: [],
});

export const getAgentCard = contractOf({
	...open,
	path: "/.well-known/agent-card.json",
	operationId: "getAgentCard",
	summary: "Find what the service does, as an A2A agent card",
	description:
		"A card of A2A 1.0. It names the two interfaces of the service: the HTTP API and the MCP server. The service takes no A2A messages.",
	response: {
		status: 200,
		description: "The card.",
		schema: z.record(z.string(), z.unknown()),
		others: [unchanged],
	},
	errors: [],
});

export const getApiCatalog = contractOf({
	...open,
	path: "/.well-known/api-catalog",
	operationId: "getApiCatalog",
	summary: "Find the descriptions of this API",
	description: "RFC 9727: a link set with the API's description, documentation and status.",
	response: {
		status: 200,
		description: "The link set (RFC 9264).",
		schema: z.string(),
		contentType: "application/linkset+json",
		headers: { Link: "The same relations." },
		others: [unchanged],
	},
	errors: [],
});

export const getReference = contractOf({
	...open,
	path: "/reference",
	operationId: "getReference",
	summary: "Go to the API reference",
	description: "The reference is a part of the documentation, at `/docs/reference`. It has a page for each operation and each schema.",
	response: { status: 302, description: "To the reference.", schema: z.null(), headers: { Location: "The reference's path." } },
	errors: [],
});

const pageOfDocs = {
	status: 200,
	description: "The page.",
	schema: z.string(),
	contentType: "text/html",
	headers: { Vary: "Accept" },
	others: [asMarkdown, unchanged],
} as const;

export const getDocsHome = contractOf({
	...open,
	path: "/docs",
	operationId: "getDocsHome",
	summary: "Begin to read the documentation",
	description: "The first page of the documentation; `Accept: text/markdown` gives it as Markdown.",
	response: pageOfDocs,
	errors: [],
});

export const readDocs = contractOf({
	...open,
	path: "/docs/{slug}",
	operationId: "readDocs",
	summary: "Read a page of the documentation in a browser",
	description: "`Accept: text/markdown`, or `.md` after the slug, returns Markdown. Browsers get a 404 as a page too.",
	params: z.object({ slug: pageSlug }),
	greedyParam: "slug",
	response: pageOfDocs,
	errors: ["NOT_FOUND"],
});

export const getConsole = contractOf({
	...open,
	path: "/console",
	operationId: "getConsole",
	summary: "Use the platform in a browser",
	description: "Made for people.",
	response: { status: 200, description: "The page.", schema: z.string(), contentType: "text/html", others: [unchanged] },
	errors: [],
});

export const getConsolePage = contractOf({
	...open,
	path: "/console/{path}",
	operationId: "getConsolePage",
	summary: "Open a page of the console",
	description: "Every path of the console shows the same application, which reads the path.",
	params: z.object({ path: z.string().max(MAX_NAME_CHARACTERS).meta({ description: "The page, in the console's own terms." }) }),
	greedyParam: "path",
	response: { status: 200, description: "The application.", schema: z.string(), contentType: "text/html", others: [unchanged] },
	errors: [],
});
