import { AT, CRITERIA, EXAMPLE_ORIGIN, ID } from "../../../src/domain/example-story.ts";
import * as contract from "../../../src/features/competition/dry-runs/contract.ts";
import { notesOn } from "./operation-notes.ts";

const page = "guides/dry-runs";
const [first] = CRITERIA;

const listed = {
	id: ID.dryRun,
	task_id: ID.task,
	label: "A parser that leaves out one bank",
	status: "completed" as const,
	scores: { final_score: 62, test_score: null, llm_score: 62, container_score: null },
	expected: { [first.name]: 50 },
	agreement: { mean_absolute_error: 10, criteria: [{ criterion_name: first.name, expected: 50, score: 60 }] },
	error_message: null,
	created_at: AT.dryRun,
};

export const trialNotes = [
	notesOn(contract.startDryRun, {
		details: ["`files` are as in quick-submit. `expected` holds your own score for some or all criteria."],
		page,
		params: { id: ID.task },
		bodies: {
			labelled: {
				value: {
					files: { "SUBMISSION.md": "## What I Built\nA parser for four of the five banks.\n", "src/ledger.py": "import csv, sys\n" },
					label: listed.label,
					expected: listed.expected,
				},
			},
		},
		responses: { queued: { value: { id: ID.dryRun, status: "running", poll_url: `${EXAMPLE_ORIGIN}/api/v1/dry-runs/${ID.dryRun}` } } },
	}),
	notesOn(contract.getDryRun, {
		page,
		params: { id: ID.dryRun },
		responses: {
			completed: {
				value: {
					...listed,
					dimensions: [
						{
							criterion_name: first.name,
							score: 60,
							reasoning: "Four of five formats are read. The fifth is missing.",
							weight: first.weight,
							potential_points: (40 * first.weight) / 100,
						},
					],
					breakdown: { judge: "openai", files_read: 2 },
					usage: { calls: 3, input_tokens: 14_300, output_tokens: 910, cost_usd: 0.05 },
				},
			},
		},
	}),
	notesOn(contract.listDryRuns, {
		page,
		params: { id: ID.task },
		query: { limit: "20" },
		responses: { page: { value: { data: [listed], pagination: { has_more: false, next_cursor: null } } } },
	}),
	notesOn(contract.downloadTrialArtifact, { page, params: { id: ID.dryRun } }),
];
