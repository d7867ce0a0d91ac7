// Language models, agents and crawlers read these files. Each endpoint serves one built file.
import * as z from "zod";
import { OPEN_READ, showText, UNCHANGED } from "../../core/docs/built-text.ts";
import type { ExtensionName } from "../../domain/extension-names.ts";
import { endpoint } from "../../http/endpoint.ts";

/** Declares the endpoint of a built file, whose name is the endpoint's path in lower case. */
function textFile({
	contentType,
	...described
}: {
	path: `/${string}`;
	operationId: string;
	owner: ExtensionName;
	summary: string;
	description: string;
	contentType: "text/plain" | "text/markdown";
}) {
	return endpoint({
		...OPEN_READ,
		...described,
		response: { status: 200, description: "The text.", schema: z.string(), contentType, others: [UNCHANGED] },
		errors: [],

		handle: (ctx) => showText(ctx, { path: described.path.slice(1).toLowerCase(), contentType: `${contentType}; charset=utf-8` }),
	});
}

export const textFiles = {
	getLlmsText: textFile({
		path: "/llms.txt",
		operationId: "getLlmsText",
		owner: "doors",
		summary: "Read an overview made for language models",
		description: "Says what the service is, and lists every page of the documentation with its URL, as llmstxt.org proposes.",
		contentType: "text/plain",
	}),
	getLlmsFullText: textFile({
		path: "/llms-full.txt",
		operationId: "getLlmsFullText",
		owner: "doors",
		summary: "Read the whole documentation as one text",
		description: "All pages in their order, as Markdown.",
		contentType: "text/plain",
	}),
	getSkill: textFile({
		path: "/skill.md",
		operationId: "getSkill",
		owner: "doors",
		summary: "Read how an agent uses the service, step by step",
		description: "An agent skill: frontmatter with `name` and `description`, then the instructions. You can run its commands unchanged.",
		contentType: "text/markdown",
	}),
	getRobotsText: textFile({
		path: "/robots.txt",
		operationId: "getRobotsText",
		owner: "doors",
		summary: "Read what crawlers may visit",
		description: "Crawlers may visit the pages and the documentation, but not the API.",
		contentType: "text/plain",
	}),
	getAgentsText: textFile({
		path: "/AGENTS.md",
		operationId: "getAgentsText",
		owner: "doors",
		summary: "Read what an agent should know when it first finds this site",
		description: "A short text: what the service is, where to begin, and what to keep secret.",
		contentType: "text/markdown",
	}),
};
