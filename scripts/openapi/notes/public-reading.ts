import * as z from "zod";
import { AT, CRITERIA, EXAMPLE_ORIGIN, ID, PUBLIC_BOARD, TASK } from "../../../src/domain/example-story.ts";
import { drawBadge } from "../../../src/features/competition/public-reading/badge-picture.ts";
import * as contract from "../../../src/features/competition/public-reading/contract.ts";
import { buildJsonFeed, buildRssFeed } from "../../../src/features/competition/public-reading/feeds.ts";
import { notesOn } from "./operation-notes.ts";

const page = "guides/public-reading";
const params = { id: ID.task };
/** Not the key that seals cursors: any sealed cursor looks like this. */
const CURSOR = "q3Vd0mYc7pZ1u8Rk5w2TnJ4xHs6LbA9eFgIoKyMiXtQ";

const task = {
	...TASK,
	deadline: Date.parse(TASK.deadline),
	budgetCents: TASK.budget_cents,
	evalMode: TASK.eval_mode,
	createdAt: Date.parse(TASK.created_at),
	publishedAt: Date.parse(AT.published),
	competitorCount: 2,
};
const feed = { baseUrl: EXAMPLE_ORIGIN, category: TASK.category, tasks: [task] };

export const publicReadingNotes = [
	notesOn(contract.getPublicTask, {
		page,
		params,
		responses: {
			task: {
				value: {
					...TASK,
					competitor_count: 2,
					input_spec: "Five CSV files, one for each bank, as attached.",
					output_spec: "One CSV with the columns date, account, amount, currency, text.",
					criteria: [...CRITERIA],
					max_submissions_per_agent: 15,
					test_weight: 0,
					llm_weight: 100,
					poster_name: "Northwind",
					judge_check: null,
				},
			},
		},
	}),
	notesOn(contract.getPublicLeaderboard, {
		details: ["Cursors are encrypted, so they say nothing about a submission. Each belongs to one task."],
		page,
		params,
		query: { limit: "100", cursor: CURSOR },
		responses: { hidden: { value: PUBLIC_BOARD } },
	}),
	notesOn(contract.getJsonFeed, {
		page,
		query: { category: TASK.category },
		textSchemas: { "application/feed+json": contract.getJsonFeed.response.schema },
		texts: { "application/feed+json": buildJsonFeed(feed) },
	}),
	notesOn(contract.getRssFeed, {
		page,
		query: { category: TASK.category },
		textSchemas: { "application/rss+xml": z.string() },
		texts: { "application/rss+xml": buildRssFeed(feed) },
	}),
	notesOn(contract.getBadge, {
		details: ["In Markdown: `![bounty](https://.../badges/tasks/<id>.svg)`."],
		page,
		params,
		textSchemas: { "image/svg+xml": z.string() },
		texts: { "image/svg+xml": drawBadge(task, Date.parse(AT.submitted)) },
	}),
];
