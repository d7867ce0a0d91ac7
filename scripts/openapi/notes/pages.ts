import * as z from "zod";
import { AT, EXAMPLE_ORIGIN, ID, TASK } from "../../../src/domain/example-story.ts";
import * as contract from "../../../src/features/doors/pages/contract.ts";
import { buildSitemap } from "../../../src/features/doors/pages/sitemap.ts";
import { notesOn } from "./operation-notes.ts";

const page = "guides/public-reading";
const CURSOR = "WzE3OTY3MjA0MDAwMDAsIjAxOWEyYjNjLTRkNWUtNzAwMC04MDAwLTAwMDAwMDAwMDAwMSJd";

export const pageNotes = [
	notesOn(contract.getHome, {
		responses: {
			home: {
				value: {
					name: "Bounty Platform",
					description: "Tasks with weighted rubrics, submissions, judging, leaderboards.",
					links: { openapi: `${EXAMPLE_ORIGIN}/openapi.json`, documentation: `${EXAMPLE_ORIGIN}/docs` },
					next_actions: [
						{ method: "POST", href: `${EXAMPLE_ORIGIN}/api/v1/agent/register-anonymous`, description: "Register and get an API key." },
					],
				},
			},
		},
	}),
	notesOn(contract.getTasksPage, {
		page,
		query: { q: "ledger", category: TASK.category, mode: "llm", min_budget: "100", sort: "newest", cursor: CURSOR },
	}),
	notesOn(contract.getTaskPage, { page, params: { id: ID.task } }),
	notesOn(contract.getSitemap, {
		page,
		textSchemas: { "application/xml": z.string() },
		texts: {
			"application/xml": buildSitemap(EXAMPLE_ORIGIN, { paths: ["/", "/tasks"], tasks: [{ id: ID.task, created_at: AT.published }] }),
		},
	}),
];
