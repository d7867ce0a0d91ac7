// The requests that help after an error, for `error.details.next_actions`. Errors that list faults have none.
import type { ErrorCode, RefusalReason } from "../domain/errors.ts";
import type { EndpointContract } from "../http/endpoint.ts";
import type { NextAction } from "../http/error-handler.ts";
import { createPathMatcher, UUID } from "../http/paths.ts";
import { findEndpoint } from "./endpoints.ts";

interface Remedy {
	/**
	 * The id of the operation that helps. Its path parameters come from the request's path. If the path lacks one of them, or if this
	 * platform does not have the operation, the remedy is omitted.
	 */
	readonly call: string;
	readonly description: string;
	/** The operations whose errors the remedy is for. The default is all operations. */
	readonly after?: readonly string[];
	/**
	 * If set, the remedy is only for errors in this part of the API, such as `tasks`. The path of the request need not be an endpoint's.
	 */
	readonly within?: string;
	/** The remedy is only for errors with this reason. By default, it is only for errors without a reason. */
	readonly reason?: RefusalReason;
}

const findTask: Remedy = { call: "listTasks", description: "Find a task that accepts submissions." };
const readTask: Remedy = { call: "getTask", description: "Read the task's current state." };
const readSubmission: Remedy = { call: "getSubmission", description: "Read the submission's current state." };
const readDeal: Remedy = { call: "getDeal", description: "Read the deal's current state, with the agent's wallet." };
const getChallenge: Remedy = { call: "createWalletChallenge", description: "Get a new challenge to sign." };
const readQuota: Remedy = { call: "getWorkspaceQuota", description: "See what is using the space." };

const SUBMITTING: readonly string[] = [
	"createSubmission",
	"quickSubmit",
	"uploadArtifact",
	"putArtifact",
	"refreshUploadUrl",
	"completeSubmission",
];

/**
 * The remedies for each error code. Agents may follow them without asking a person: none is irreversible, except that registering a
 * submission uses up a slot.
 */
export const NEXT_ACTIONS: Readonly<Partial<Record<ErrorCode, readonly Remedy[]>>> = {
	unauthorized: [{ call: "registerAnonymous", description: "Get an API key, without a human." }],
	UNAUTHORIZED: [
		{ call: "getSubmission", description: "Read the submission again to get new URLs." },
		{ call: "listAttachments", description: "List the attachments again to get new URLs.", after: ["downloadAttachment"] },
		{ call: "createWorkspaceUploadUrl", description: "Get a new upload URL.", after: ["putWorkspaceUpload"] },
		{ call: "createOperatorToken", description: "Create another operator token.", after: ["mintChildKey"] },
	],
	INVALID_OPERATOR_TOKEN_FORMAT: [{ call: "createOperatorToken", description: "Create an operator token." }],
	TIER_FORBIDDEN: [{ call: "listSignInProviders", description: "See how a human signs in to get verified keys." }],
	FORBIDDEN: [{ call: "whoAmI", description: "See who your key belongs to." }],
	NOT_FOUND: [
		{ call: "listSubmissionFiles", description: "List the files of the artifact.", reason: "no_such_file" },
		{ ...findTask, within: "tasks" },
		{ call: "listSubmissions", description: "List your submissions.", within: "submissions" },
		{ call: "listDocs", description: "List the pages of the documentation.", within: "docs" },
		{ call: "listWebhooks", description: "List your webhooks.", within: "webhooks" },
		{ call: "listDeals", description: "List your deals.", within: "deals" },
	],
	TASK_NOT_OPEN: [findTask, { call: "getTask", description: "Read your draft.", reason: "own_draft" }],
	TASK_CLOSED: [findTask],
	DEADLINE_PASSED: [
		{ call: "updateTask", description: "Set a later deadline.", after: ["publishTask"] },
		{ ...findTask, after: SUBMITTING },
	],
	INVALID_TRANSITION: [readTask, readDeal],
	CONFLICT: [{ ...readDeal, after: ["payDeal"] }],
	TASK_NOT_CLOSED: [readTask],
	SUBMISSION_IN_PROGRESS: [{ call: "streamSubmission", description: "Follow the evaluation to its end." }, readSubmission],
	WRONG_STATUS: [readSubmission],
	ALREADY_UPLOADED: [{ call: "getSubmission", description: "Read the submission. Its next_step says how to complete it." }],
	NO_UPLOAD_FOUND: [{ call: "refreshUploadUrl", description: "Get a URL and PUT the zip there." }],
	NO_ARTIFACT: [readSubmission],
	MISSING_SUBMISSION_MD: [
		{
			call: "getSubmission",
			description: "Read the submission's task_id, and submit to that task again, with SUBMISSION.md at the zip's root.",
		},
	],
	FILE_TOO_LARGE: [
		{
			call: "createSubmission",
			description: "Upload larger work: register a submission, PUT a zip of up to 100 MB to its upload_url, and complete it.",
			after: ["quickSubmit", "checkSubmission"],
		},
	],
	ALREADY_SCORED: [{ call: "requestReEvaluation", description: "Request another evaluation, with your API key." }],
	RATE_LIMITED: [{ call: "listSignInProviders", description: "See how a human signs in, to claim the agent.", reason: "network_cap" }],
	RE_EVAL_COOLDOWN: [
		{ call: "requestReEvaluation", description: "Send the request again after the number of seconds in Retry-After." },
		readSubmission,
	],
	EVAL_WRITE_FAILED: [{ call: "postExternalScore", description: "Post the same score again." }],
	DEAL_EXISTS: [{ call: "listDeals", description: "List your deals." }],
	MAX_OPERATOR_TOKENS: [{ call: "listOperatorTokens", description: "List your tokens." }],
	ATTACHMENT_LIMIT: [{ call: "listAttachments", description: "List the attachments." }],
	FILE_QUOTA_EXCEEDED: [readQuota],
	BYTE_QUOTA_EXCEEDED: [readQuota],
	PRECONDITION_FAILED: [
		{ call: "getTask", description: "Read the draft again to get its current ETag.", after: ["updateTask", "replaceRubric"] },
		{
			call: "getWorkspaceEntry",
			description: "Read the entry again to get its current ETag.",
			after: ["putWorkspaceEntry", "deleteWorkspaceEntry"],
		},
	],
	NO_PAYOUT_ADDRESS: [{ call: "updateWallet", description: "Declare a wallet." }],
	CHALLENGE_TAMPERED: [getChallenge],
	CHALLENGE_EXPIRED: [getChallenge],
	NOT_READY: [{ call: "listTasks", description: "List the open tasks.", after: ["searchTasks"] }],
	ADDRESS_MISMATCH: [{ call: "getWallet", description: "Read the declared wallet." }, getChallenge],
};

const isPathOf = createPathMatcher([]);

/** Lists the requests that help after an error, with the ids from the request's path filled in. */
export function nextActionsOf(
	code: ErrorCode,
	{
		baseUrl,
		path,
		about,
		reason,
	}: {
		readonly baseUrl: string;
		readonly path: string;
		/** The path to take the ids from. The default is `path`. */
		readonly about?: string | undefined;
		readonly reason?: RefusalReason | undefined;
	},
): NextAction[] {
	const remedies = (NEXT_ACTIONS[code] ?? []).filter((remedy) => remedy.reason === reason);
	return remedies.flatMap(({ call, description, after, within }) => {
		if (after !== undefined && !after.some((operation) => isAt(operation, path))) return [];
		if (within !== undefined && within !== apiPartOf(path)) return [];
		const contract = findEndpoint(call);
		const filled = contract === null ? null : fillPath(contract, about ?? path);
		return contract === null || filled === null ? [] : [{ method: contract.method.toUpperCase(), href: baseUrl + filled, description }];
	});
}

function isAt(operation: string, path: string): boolean {
	const contract = findEndpoint(operation);
	return contract !== null && isPathOf(contract, path);
}

/** Returns the first segment of a path after `/api` and the version, if another segment follows it. */
function apiPartOf(path: string): string | undefined {
	return /^(?:\/api)?(?:\/v1)?\/([\w-]+)\//.exec(path)?.[1];
}

/**
 * Fills a contract's path with parameters from another path. Finds each parameter by the segment before it. Returns null if one is missing.
 */
function fillPath({ path: template, greedyParam }: EndpointContract, path: string): string | null {
	const filled = template.replace(/\/([\w-]+)\/\{(\w+)\}/g, (placeholder, segment: string, name: string) => {
		const value = name === greedyParam ? "(.+)$" : `(${UUID})(?:/|$)`;
		const match = new RegExp(`/${segment}/${value}`, "i").exec(path)?.[1];
		return match === undefined ? placeholder : `/${segment}/${match}`;
	});
	return filled.includes("{") ? null : filled;
}
