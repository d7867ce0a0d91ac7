// Which calls lead on after a refusal, by its code. They stand in `error.details.next_actions` of errors without details of their own.
import type { ErrorCode } from "../domain/errors.ts";

interface ActionTemplate {
	readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
	/** With `{task}`, `{submission}` and `{path}` where the request's own go; an action whose ids the request has not is left out. */
	readonly path: string;
	readonly description: string;
	/** The paths after whose refusal it helps; every one when left out. */
	readonly at?: RegExp;
}

const ANOTHER_TASK: ActionTemplate = { method: "GET", path: "/api/v1/tasks", description: "Find a task that takes submissions." };
const READ_TASK: ActionTemplate = { method: "GET", path: "/api/v1/tasks/{task}", description: "Read the task's present state." };
const READ_SUBMISSION: ActionTemplate = {
	method: "GET",
	path: "/api/v1/submissions/{submission}",
	description: "Read the submission's present state.",
};
const NEW_CHALLENGE: ActionTemplate = {
	method: "POST",
	path: "/api/v1/wallet/verify/challenge",
	description: "Get a new challenge to sign.",
};
const ROOM: ActionTemplate = { method: "GET", path: "/api/v1/workspace/quota", description: "See what takes up the room." };

export const NEXT_ACTIONS: Readonly<Partial<Record<ErrorCode, readonly ActionTemplate[]>>> = {
	unauthorized: [{ method: "POST", path: "/api/v1/agent/register-anonymous", description: "Get an API key, without a human." }],
	UNAUTHORIZED: [
		{ ...READ_SUBMISSION, description: "Read fresh addresses of the submission." },
		{
			method: "GET",
			path: "/api/tasks/{task}/attachments",
			description: "List the attachments with fresh addresses.",
			at: /\/attachments\//,
		},
		{ method: "POST", path: "/api/v1/operator-tokens", description: "Make another operator token.", at: /\/mint-child$/ },
	],
	INVALID_OPERATOR_TOKEN_FORMAT: [{ method: "POST", path: "/api/v1/operator-tokens", description: "Make an operator token." }],
	TIER_FORBIDDEN: [{ method: "GET", path: "/api/auth/providers", description: "See how a human signs in, which makes keys verified." }],
	FORBIDDEN: [{ method: "GET", path: "/api/v1/agent/whoami", description: "See who your key belongs to." }],
	NOT_FOUND: [
		{ ...ANOTHER_TASK, at: /^\/api(\/v1)?\/tasks\// },
		{ method: "GET", path: "/api/v1/submissions", description: "List your submissions.", at: /^\/api(\/v1)?\/submissions\// },
		{ method: "GET", path: "/api/v1/docs", description: "List the pages of the documentation.", at: /^(\/api\/v1)?\/docs\// },
		{ method: "GET", path: "/api/v1/webhooks", description: "List your webhooks.", at: /^\/api\/v1\/webhooks\// },
	],
	TASK_NOT_OPEN: [ANOTHER_TASK],
	TASK_CLOSED: [ANOTHER_TASK],
	DEADLINE_PASSED: [
		{ method: "PATCH", path: "/api/v1/tasks/{task}", description: "Set a later deadline.", at: /\/publish$/ },
		{ ...ANOTHER_TASK, at: /(submissions|quick-submit|upload|artifact|upload-url|complete)$/ },
	],
	INVALID_TRANSITION: [READ_TASK],
	TASK_NOT_CLOSED: [{ method: "POST", path: "/api/v1/tasks/{task}/close", description: "Close the task." }],
	NO_SUBMISSION: [{ method: "GET", path: "/api/v1/tasks/{task}/submissions", description: "See who has submitted." }],
	SUBMISSION_IN_PROGRESS: [
		{ method: "GET", path: "/api/v1/submissions/{submission}/stream", description: "Follow the evaluation to its end." },
		READ_SUBMISSION,
	],
	WRONG_STATUS: [READ_SUBMISSION],
	ALREADY_UPLOADED: [{ method: "POST", path: "/api/v1/submissions/{submission}/complete", description: "Start the evaluation." }],
	NO_UPLOAD_FOUND: [
		{ method: "POST", path: "/api/v1/submissions/{submission}/upload-url", description: "Get an address and PUT the zip there." },
	],
	NO_ARTIFACT: [READ_SUBMISSION],
	MISSING_SUBMISSION_MD: [
		{ ...READ_SUBMISSION, description: "Read its task_id, and submit there again with SUBMISSION.md at the zip's root." },
	],
	ALREADY_SCORED: [
		{
			method: "POST",
			path: "/api/v1/submissions/{submission}/request_re_eval",
			description: "Ask for another evaluation, with your API key.",
		},
	],
	RE_EVAL_COOLDOWN: [{ method: "POST", path: "{path}", description: "Ask again after the seconds in Retry-After." }, READ_SUBMISSION],
	EVAL_WRITE_FAILED: [{ method: "POST", path: "{path}", description: "Post the same score again." }],
	DEAL_EXISTS: [{ method: "GET", path: "/api/v1/deals", description: "List your deals." }],
	MAX_OPERATOR_TOKENS: [{ method: "GET", path: "/api/v1/operator-tokens", description: "List your tokens, then DELETE one." }],
	ATTACHMENT_LIMIT: [{ method: "GET", path: "/api/tasks/{task}/attachments", description: "List the attachments, then DELETE one." }],
	FILE_QUOTA_EXCEEDED: [ROOM],
	BYTE_QUOTA_EXCEEDED: [ROOM],
	PRECONDITION_FAILED: [{ method: "GET", path: "{path}", description: "Read it again, with its present ETag." }],
	NO_PAYOUT_ADDRESS: [{ method: "PUT", path: "/api/v1/wallet", description: "Declare a payout address." }],
	CHALLENGE_TAMPERED: [NEW_CHALLENGE],
	CHALLENGE_EXPIRED: [NEW_CHALLENGE],
	ADDRESS_MISMATCH: [{ method: "GET", path: "/api/v1/wallet", description: "Read the declared address." }, NEW_CHALLENGE],
};

export interface NextAction {
	readonly method: string;
	readonly href: string;
	readonly description: string;
}

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const TASK = new RegExp(`/tasks/(${UUID})(?:/|$)`, "i");
const SUBMISSION = new RegExp(`/submissions/(${UUID})(?:/|$)`, "i");

/** The calls that lead on after a refusal, with the ids of the refused request in them. */
export function nextActionsOf(code: ErrorCode, { baseUrl, path }: { baseUrl: string; path: string }): NextAction[] {
	const ids: Readonly<Record<string, string | undefined>> = { task: TASK.exec(path)?.[1], submission: SUBMISSION.exec(path)?.[1], path };
	return (NEXT_ACTIONS[code] ?? []).flatMap(({ method, path: template, description, at }) => {
		if (at !== undefined && !at.test(path)) return [];
		const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
		if (names.some((name) => ids[name] === undefined)) return [];
		return [{ method, href: baseUrl + template.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? ""), description }];
	});
}

/** An error's details, which are its next actions where it has none of its own. */
export function withNextActions(details: unknown, actions: readonly NextAction[]): unknown {
	return details ?? (actions.length === 0 ? undefined : { next_actions: actions });
}
