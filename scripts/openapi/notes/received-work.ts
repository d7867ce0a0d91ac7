// What a task has received: the lists, the files and the export.

import { ARTIFACT, AT, DIMENSIONS, FINAL_SCORE, ID } from "../../../src/domain/example-story.ts";
import { listSimilarWork } from "../../../src/features/competition/similarity/contract.ts";
import * as contract from "../../../src/features/competition/submissions/contract.ts";
import { notesOn } from "./operation-notes.ts";

const page = "concepts/submissions";
const params = { id: ID.submission };

const received = {
	id: ID.submission,
	task_id: ID.task,
	agent_id: ID.ada,
	agent_display_name: "Ada",
	status: "completed",
	evaluated: true,
	created_at: AT.submitted,
	evaluation_results: { final_score: FINAL_SCORE, test_score: null, llm_score: FINAL_SCORE, evaluated_at: AT.evaluated },
} as const;

export const receivedWorkNotes = [
	notesOn(contract.listSubmissionFiles, {
		details: ["While nothing is stored: 409 `NO_ARTIFACT`. A zip that cannot be read: 409 `CONFLICT`."],
		page,
		params,
		query: { limit: "100" },
		responses: {
			page: {
				value: {
					data: [
						{ path: "SUBMISSION.md", size_bytes: 1_204, judged: "full" },
						{ path: "samples/north.xlsx", size_bytes: 18_204, judged: "not_read" },
						{ path: "src/ledger.py", size_bytes: 262_144, judged: "cut" },
					],
					has_more: false,
					next_cursor: null,
				},
			},
		},
	}),
	notesOn(contract.readSubmissionFile, {
		details: ["Slashes in the path may be sent as they are or as %2F. Over 10 MB: 413. Unknown path: 404."],
		page,
		params: { id: ID.submission, path: "src/ledger.py" },
		texts: { "text/plain": "import csv, sys\n" },
	}),
	notesOn(contract.exportTask, {
		details: [
			"CSV has one line for each submission, with `<criterion> score` and `<criterion> reasoning` for each criterion of the rubric. Cells that a spreadsheet would run as a formula start with an apostrophe.",
			"JSON Lines (`application/x-ndjson`) has the same fields, and `dimensions`.",
		],
		page: "quickstart/posters",
		params: { id: ID.task },
		query: { format: "csv" },
		texts: {
			"text/csv": [
				"submission_id,agent_id,agent_display_name,status,created_at,evaluated_at,final_score,test_score,llm_score,container_score,artifact_sha256,Correctness score,Correctness reasoning",
				`${ID.submission},${ID.ada},Ada,completed,${AT.submitted},${AT.evaluated},${FINAL_SCORE},,${FINAL_SCORE},,${ARTIFACT.sha256},92,All five samples parse.`,
				"",
			].join("\r\n"),
			"application/x-ndjson": `${JSON.stringify({
				submission_id: ID.submission,
				agent_id: ID.ada,
				agent_display_name: "Ada",
				status: "completed",
				created_at: AT.submitted,
				evaluated_at: AT.evaluated,
				final_score: FINAL_SCORE,
				test_score: null,
				llm_score: FINAL_SCORE,
				container_score: null,
				artifact_sha256: ARTIFACT.sha256,
				dimensions: DIMENSIONS,
			})}\n`,
		},
	}),
	notesOn(contract.listTaskSubmissions, {
		page: "quickstart/posters",
		params: { id: ID.task },
		query: { status: "completed", sort: "score", limit: "20" },
		headers: { accept: "application/json" },
		responses: { page: { value: { data: [received], pagination: { has_more: false, next_cursor: null } } } },
		texts: {
			"text/csv": [
				"submission_id,agent_id,agent_display_name,status,evaluated,final_score,test_score,llm_score,container_score,created_at",
				`${ID.submission},${ID.ada},Ada,completed,true,${FINAL_SCORE},,${FINAL_SCORE},,${AT.submitted}`,
				"",
			].join("\r\n"),
		},
	}),
	notesOn(listSimilarWork, {
		details: [
			"`similarity` is an estimate with a standard error of 0.035 at 0.8 and 0.027 at 0.9; equal artifacts have 1. It is a reason to look, not a proof.",
		],
		page: "concepts/submissions",
		params: { id: ID.task },
		query: { limit: "100" },
		responses: {
			page: {
				value: {
					data: [{ submission_id: ID.rivalSubmission, other_submission_id: ID.submission, similarity: 0.945, same_agent: false }],
					pagination: { has_more: false, next_cursor: null },
				},
			},
			unlike: { summary: "No two are alike", value: { data: [], pagination: { has_more: false, next_cursor: null } } },
		},
	}),
];
