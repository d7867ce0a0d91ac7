// What the common battery cannot derive from a contract: valid inputs, credentials, and resources of somebody else.
import { createFleet } from "./identities.ts";
import { awaitEvaluation, createDraft, openTask, registerAgent, submit, taskInput } from "./scenario.ts";

export interface Fixture {
	/** A body that the schema takes. Left out, one is made from the schema. */
	readonly body?: unknown;
	/** Path parameters that are no UUID. */
	readonly params?: Readonly<Record<string, string>>;
	/** A body that is no JSON, where any bytes will not do. A form brings its own content type. */
	readonly rawBody?: () => FormData;
	/** Query and headers that the contract requires. */
	readonly query?: Readonly<Record<string, string>>;
	readonly headers?: Readonly<Record<string, string>>;
	/** Fields that are compared and never stored, so that any text will do. */
	readonly secretFields?: readonly string[];
	/** The code for an id that does not exist, when it is not `NOT_FOUND`. */
	readonly unknownId?: "UNAUTHORIZED";
	/** Reads whose answer changes storage by design are left out of the checks that expect success. */
	readonly isVolatile?: boolean;
}

function attachmentForm(): FormData {
	const form = new FormData();
	form.set("field", "description");
	form.set("file", new File(["text"], "notes.txt", { type: "text/plain" }));
	return form;
}

function testSuiteForm(): FormData {
	const suite = { test_cases: [{ name: "One", input: "1", expected_output: "1", match_type: "exact" }] };
	const form = new FormData();
	form.set("file", new File([JSON.stringify(suite)], "suite.json", { type: "application/json" }));
	return form;
}

/** By operationId. */
export const FIXTURES: Readonly<Record<string, Fixture>> = {
	createTask: { body: taskInput() },
	quickSubmit: { body: { files: { "main.js": "1" } } },
	revokeApiKey: { query: { id: "01900000-0000-7000-8000-000000000000" } },
	replaceRubric: { body: { criteria: [{ name: "All", description: "Everything", weight: 100 }] } },
	postExternalScore: { body: { callback_token: `svc_evaltok_${"0".repeat(32)}`, final_score: 50 }, secretFields: ["callback_token"] },
	addAttachment: { rawBody: attachmentForm },
	uploadTestSuite: { rawBody: testSuiteForm },
	downloadTestSuite: { unknownId: "UNAUTHORIZED" },
	putArtifact: { unknownId: "UNAUTHORIZED" },
	getArtifact: { unknownId: "UNAUTHORIZED" },
	downloadAttachment: { unknownId: "UNAUTHORIZED" },
};

interface Credential {
	/** A value for `Authorization: Bearer`, or null where none is needed. */
	obtain(): Promise<string | null>;
	readonly refusals: { readonly missing: string; readonly malformed: string; readonly unknown: string } | null;
	readonly unknown: string;
}

/** By `auth` of the contract. */
export const CREDENTIALS: Readonly<Record<string, Credential>> = {
	none: { obtain: async () => null, refusals: null, unknown: "" },
	key: {
		obtain: async () => (await registerAgent()).key,
		refusals: { missing: "unauthorized", malformed: "unauthorized", unknown: "unauthorized" },
		unknown: `svc_sk_${"0".repeat(64)}`,
	},
	op: {
		obtain: async () => (await createFleet()).token,
		refusals: { missing: "INVALID_OPERATOR_TOKEN_FORMAT", malformed: "INVALID_OPERATOR_TOKEN_FORMAT", unknown: "UNAUTHORIZED" },
		unknown: `svc_op_${"0".repeat(32)}`,
	},
};

/** Ids of things that belong to somebody else, by what stands in front of `{id}` in a path. */
export async function makeForeignIds(): Promise<Readonly<Record<string, string>>> {
	const [poster, agent] = [await registerAgent("Foreign poster"), await registerAgent("Foreign agent")];
	const { id: draftId } = await createDraft(poster);
	const taskId = await openTask(poster);
	const { id: submissionId } = await submit(agent, taskId);
	await awaitEvaluation(agent, submissionId);
	return { tasks: draftId, openTasks: taskId, submissions: submissionId };
}
