// What the common battery cannot derive from a contract: valid inputs, credentials, and resources of another agent.
import { exports } from "cloudflare:workers";
import { findEndpoint } from "../../src/compose/endpoints.ts";
import type { AuthKind } from "../../src/http/endpoint.ts";
import { signUrl } from "../../src/platform/signed-url.ts";
import { admin } from "./admin.ts";
import { type Client, createClient } from "./client.ts";
import { recordDeal } from "./deals.ts";
import { testDeps } from "./deps.ts";
import { createFleet, signInHuman } from "./identities.ts";
import { attachmentForm, awaitEvaluation, createDraft, openTask, registerAgent, submit, taskInput, testSuiteForm } from "./scenario.ts";

export interface Fixture {
	/** A body that the schema accepts. Without one, the battery makes one from the schema. */
	readonly body?: unknown;
	/** The path parameters that are not UUIDs. */
	readonly params?: Readonly<Record<string, string>>;
	/** A body in a certain form that is not JSON. A form brings its own content type. */
	readonly rawBody?: () => FormData;
	/** The query that the contract requires. */
	readonly query?: Readonly<Record<string, string>>;
	readonly headers?: Readonly<Record<string, string>>;
	/** The fields that are compared but never stored, so any text is valid. */
	readonly secretFields?: readonly string[];
	/** True for a read that changes storage by design. The checks that expect success leave it out. */
	readonly isVolatile?: boolean;
}

/** The keys are operationIds. */
export const FIXTURES: Readonly<Record<string, Fixture>> = {
	createTask: { body: taskInput() },
	quickSubmit: { body: { files: { "main.js": "1" } } },
	startDryRun: { body: { files: { "main.js": "1" } } },
	updateDryRun: { body: { reference: true } },
	checkSubmission: { body: { files: { "main.js": "1" } } },
	revokeApiKey: { query: { id: "01900000-0000-7000-8000-000000000000" } },
	replaceRubric: { body: { criteria: [{ name: "All", description: "Everything", weight: 100 }] } },
	postExternalScore: { body: { callback_token: `svc_evaltok_${"0".repeat(32)}`, final_score: 50 }, secretFields: ["callback_token"] },
	addAttachment: { rawBody: attachmentForm },
	uploadTestSuite: { rawBody: testSuiteForm },
};

interface Credential {
	/** Returns a caller with a credential of this kind. */
	obtain(): Promise<Client>;
	/** The errors for a header without a valid credential. Null if no header contains the credential. */
	readonly refusals: { readonly missing: string; readonly malformed: string; readonly unknown: string } | null;
	readonly unknown: string;
}

const noHeader = { refusals: null, unknown: "" };
const keyRefusals = { missing: "unauthorized", malformed: "unauthorized", unknown: "unauthorized" };

/** Returns the query that opens a URL of this platform. */
export async function signQuery(method: string, path: string, expiresAt: number): Promise<Readonly<Record<string, string>>> {
	const isUpload = method.toLowerCase() === "put";
	const grant = { method: isUpload ? "PUT" : "GET", path, expiresAt, maxBytes: isUpload ? 1_000_000 : null, holder: null } as const;
	return Object.fromEntries(new URLSearchParams(await signUrl(testDeps().config.keys, grant)));
}

/** Returns a caller that signs each of its URLs. */
function signingClient(): Client {
	return createClient({
		fetch: async (request) => {
			const url = new URL(request.url);
			const query = await signQuery(request.method, url.pathname, Date.now() + 60_000);
			for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
			return exports.default.fetch(new Request(url, request));
		},
	});
}

/** The keys are the contract's `auth`. */
export const CREDENTIALS: Readonly<Record<AuthKind, Credential>> = {
	none: { obtain: async () => createClient(), ...noHeader },
	callback: { obtain: async () => createClient(), ...noHeader },
	signed: { obtain: async () => signingClient(), ...noHeader },
	key: { obtain: () => registerAgent(), refusals: keyRefusals, unknown: `svc_sk_${"0".repeat(64)}` },
	session: { obtain: () => signInHuman(), refusals: keyRefusals, unknown: `svc_sk_${"0".repeat(64)}` },
	operator: {
		obtain: async () => createClient({ key: (await createFleet()).token }),
		refusals: { missing: "INVALID_OPERATOR_TOKEN_FORMAT", malformed: "INVALID_OPERATOR_TOKEN_FORMAT", unknown: "UNAUTHORIZED" },
		unknown: `svc_op_${"0".repeat(32)}`,
	},
	admin: {
		obtain: async () => admin,
		refusals: { missing: "UNAUTHORIZED", malformed: "UNAUTHORIZED", unknown: "UNAUTHORIZED" },
		unknown: `svc_admin_${"0".repeat(64)}`,
	},
};

/** Returns ids of resources of another agent, by the text before `{id}` in a path. */
export async function makeForeignIds(): Promise<Readonly<Record<string, string>>> {
	const [poster, agent] = [await registerAgent("Foreign poster"), await registerAgent("Foreign agent")];
	const { id: draftId } = await createDraft(poster);
	const taskId = await openTask(poster);
	const { id: submissionId } = await submit(agent, taskId);
	await awaitEvaluation(agent, submissionId);
	const { id: dealId } = await recordDeal({ poster, agent });
	const ids = { tasks: draftId, openTasks: taskId, submissions: submissionId, deals: dealId };
	return findEndpoint("startDryRun") === null ? ids : { ...ids, "dry-runs": await makeDryRun(poster, draftId) };
}

async function makeDryRun(poster: Client, taskId: string): Promise<string> {
	const { id } = await poster.call("startDryRun", { params: { id: taskId }, body: { files: { "main.js": "1" } } });
	// The end of the run changes rows, which must not happen between two snapshots of a test.
	await awaitDryRun(poster, id);
	return id;
}

const POLL_MS = 100;
const MAX_POLLS = 400;

async function awaitDryRun(poster: Client, id: string): Promise<void> {
	for (let poll = 0; poll < MAX_POLLS; poll += 1) {
		const { status } = await poster.call("getDryRun", { params: { id } });
		if (status !== "running") return;
		await new Promise((resolve) => setTimeout(resolve, POLL_MS));
	}
	throw new Error(`Dry run ${id} did not come to an end.`);
}
