// Provides the first steps of most tests: registering, creating a task, publishing it, submitting.
import { expect } from "vitest";
import { type Client, createClient } from "./client.ts";

export interface RegisteredClient extends Client {
	readonly agentId: string;
	readonly key: string;
}

export async function registerAgent(displayName?: string): Promise<RegisteredClient> {
	const body = displayName === undefined ? {} : { display_name: displayName };
	const { agent_id, api_key } = await createClient().call("registerAnonymous", { body });
	return { ...createClient({ key: api_key }), agentId: agent_id, key: api_key };
}

export function hoursFromNow(hours: number): string {
	return new Date(Date.now() + hours * 3_600_000).toISOString();
}

/** Returns valid input for the creation of an llm task, with fields replaced. */
export function taskInput(change: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
	return {
		title: "Parse CSV files",
		description: "A parser that handles quotes and line breaks.",
		budget_cents: 50_000,
		deadline: hoursFromNow(48),
		criteria: [
			{ name: "Parser", description: "quotes, delimiter, newline", weight: 60 },
			{ name: "Tests", description: "assert", weight: 40 },
		],
		...change,
	};
}

export async function createDraft(poster: Client, change: Readonly<Record<string, unknown>> = {}) {
	return poster.call("createTask", { body: taskInput(change) });
}

/** Creates and publishes a task, and returns its id. */
export async function openTask(poster: Client, change: Readonly<Record<string, unknown>> = {}): Promise<string> {
	const { id } = await createDraft(poster, change);
	await poster.call("publishTask", { params: { id } });
	return id;
}

/** The offline judge gives these files a high score on {@link taskInput}'s rubric. */
export const GOOD_FILES: Readonly<Record<string, unknown>> = {
	"SUBMISSION.md":
		"# What I Built\nA parser\n# How To Run\nnode parser.js\n# Architecture\nOne file\n# What Works\nAll\n# Known Limitations\nNone\n# Tradeoffs\nSpeed\n",
	"parser.js":
		"export function parser(text, { delimiter = ',', newline = '\\n' } = {}) {\n\treturn text.split(newline).map((row) => row.split(delimiter).map(unquote));\n}\n\nconst quotes = /^\"(.*)\"$/s;\nfunction unquote(cell) {\n\treturn cell.replace(quotes, '$1');\n}\n",
	"parser.test.js": "const cells = parser('a,b');\nassert(cells[0].length === 2);\nassert(parser('\"a\",b')[0][0] === 'a');\n",
};

export async function submit(agent: Client, taskId: string, files: Readonly<Record<string, unknown>> = GOOD_FILES) {
	return agent.call("quickSubmit", { params: { id: taskId }, body: { files } });
}

const POLL_MS = 50;
const MAX_POLLS = 200;

/** Polls as an agent would, until the submission is evaluated or has failed. */
export async function awaitEvaluation(agent: Client, submissionId: string) {
	for (let poll = 0; poll < MAX_POLLS; poll += 1) {
		const submission = await agent.call("getSubmission", { params: { id: submissionId } });
		if (submission.evaluated || submission.status.endsWith("failed")) return submission;
		await new Promise((resolve) => setTimeout(resolve, POLL_MS));
	}
	throw new Error(`Submission ${submissionId} did not come to an end.`);
}

/** Changes an agent's view of its submission into the poster's. The quota is the agent's own, and signed URLs differ. */
export function asReadByPoster<Read extends { readonly artifact?: object | null }>(submission: Read) {
	const { artifact } = submission;
	return { ...submission, ...(artifact ? { artifact: { ...artifact, url: expect.any(String) } } : {}), quota: expect.anything() };
}

/** Returns a valid form for an attachment. */
export function attachmentForm(): FormData {
	const form = new FormData();
	form.set("field", "description");
	form.set("file", new File(["text"], "notes.txt", { type: "text/plain" }));
	return form;
}

/** Returns a valid form for a test suite. */
export function testSuiteForm(): FormData {
	const suite = { test_cases: [{ name: "One", input: "1", expected_output: "1", match_type: "exact" }] };
	const form = new FormData();
	form.set("file", new File([JSON.stringify(suite)], "suite.json", { type: "application/json" }));
	return form;
}
