import { EXAMPLE_ORIGIN } from "../../../src/domain/example-story.ts";
import * as site from "../../../src/features/doors/site/contract.ts";
import * as docs from "../../../src/features/doors/site/docs-contract.ts";
import { writeHandbook } from "../../handbook/handbook.ts";
import { notesOn } from "./operation-notes.ts";

const summary = { slug: "concepts/tasks", title: "Tasks", description: "What a task is, and how it goes from draft to closed." };
const LINK = { Link: "Where the descriptions are, by their registered relations." };

type Handbook = ReturnType<typeof writeHandbook>;

/** Lists are cut after their first entries. The endpoint returns all of them. */
function excerptOf(handbook: Handbook): Handbook {
	const { authentication, enumerations, limits, errors, events, endpoints } = handbook;
	return {
		...handbook,
		base_url: EXAMPLE_ORIGIN,
		authentication: authentication.slice(0, 1),
		enumerations: Object.fromEntries(Object.entries(enumerations).slice(0, 3)),
		limits: Object.fromEntries(Object.entries(limits).slice(0, 3)),
		errors: errors.slice(0, 2),
		events: { webhooks: events.webhooks.slice(0, 2), streams: events.streams.slice(0, 1) },
		endpoints: endpoints.slice(0, 2),
	};
}

export const docsNotes = [
	notesOn(docs.listDocs, { responses: { pages: { value: { pages: [summary] } } } }),
	notesOn(docs.getDocsPage, {
		params: { slug: summary.slug },
		query: { format: "json" },
		responses: { page: { value: { ...summary, body_md: "# Tasks\n\nA task is ...\n", file_path: "docs/pages/concepts/tasks.mdx" } } },
		texts: { "text/markdown": "# Tasks\n\nA task is ...\n" },
	}),
	notesOn(docs.searchDocs, {
		query: { q: "weights", limit: "10" },
		responses: {
			found: { value: { q: "weights", hits: [{ ...summary, snippet: "... all weights of a rubric sum to 100 ...", score: 9 }] } },
			nothing: { summary: "Nothing found", value: { q: "weights", hits: [] } },
		},
	}),
	notesOn(docs.getHandbook, {
		responseHeaders: LINK,
		responses: { excerpt: { summary: "The beginning of each part", value: excerptOf(writeHandbook()) } },
	}),
	notesOn(docs.getHealth, {
		responseHeaders: LINK,
		responses: {
			running: {
				value: { status: "ok", environment: "production", judge: "openai-compatible", judge_models: ["judge-large"], grader: "container" },
			},
		},
	}),
	notesOn(docs.getOpenApi, {
		responses: { start: { summary: "How it begins", value: { openapi: "3.1.0", info: { title: "Bounty Platform API", version: "v1" } } } },
	}),
	notesOn(docs.getOpenApiPiece, {
		params: { piece: "quickSubmit.json" },
		responses: { start: { summary: "How it begins", value: { openapi: "3.1.0", info: { title: "Bounty Platform API", version: "v1" } } } },
	}),
	notesOn(site.getAgentSkills, {
		responses: {
			skills: {
				value: {
					$schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
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
	}),
	notesOn(site.getAgentCard, {
		responses: {
			start: {
				summary: "How it begins",
				value: {
					name: "Bounty Platform API",
					version: "1.0.0",
					supportedInterfaces: [
						{ url: `${EXAMPLE_ORIGIN}/mcp`, protocolBinding: "https://modelcontextprotocol.io", protocolVersion: "1.0" },
					],
				},
			},
		},
	}),
	notesOn(site.getApiCatalog, {
		texts: {
			"application/linkset+json": {
				linkset: [
					{
						anchor: EXAMPLE_ORIGIN,
						"service-desc": [{ href: `${EXAMPLE_ORIGIN}/openapi.json`, type: "application/json" }],
						"service-doc": [{ href: `${EXAMPLE_ORIGIN}/docs`, type: "text/html" }],
						status: [{ href: `${EXAMPLE_ORIGIN}/health`, type: "application/json" }],
					},
				],
			},
		},
	}),
	notesOn(site.readDocs, { params: { slug: summary.slug } }),
	notesOn(site.getConsolePage, { params: { path: "tasks/new" } }),
];
