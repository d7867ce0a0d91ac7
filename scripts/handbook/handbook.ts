// Builds the handbook at /api/docs as JSON from the tables and contracts of the code. This file contains only facts that no table has.
import type * as z from "zod";
import { endpoints, findEndpoint } from "../../src/compose/endpoints.ts";
import { NEXT_ACTIONS } from "../../src/compose/next-actions.ts";
import { getHandbook } from "../../src/core/docs/get-handbook.ts";
import { whoAmI } from "../../src/core/identity/agents/who-am-i.ts";
import { PAYOUT_METHODS } from "../../src/db/schema/agents.ts";
import { DEAL_TYPES } from "../../src/db/schema/deals.ts";
import { API_KEY_TIERS, ROLES } from "../../src/domain/actor.ts";
import { PAYOUT_CHAINS } from "../../src/domain/chains.ts";
import { DEAL_STATUSES, DEAL_TRANSITIONS } from "../../src/domain/deal-status.ts";
import { ERRORS, errorEntryOf, wireCodeOf } from "../../src/domain/errors.ts";
import { EVENTS, WEBHOOK_EVENTS } from "../../src/domain/events.ts";
import { EVAL_MODES } from "../../src/domain/modes.ts";
import { DELIVERY_STATUSES } from "../../src/domain/retries.ts";
import { SUBMISSION_STATUSES, SUBMISSION_TRANSITIONS } from "../../src/domain/submission-status.ts";
import { TASK_STATUSES, TASK_TRANSITIONS } from "../../src/domain/task-status.ts";
import type { AuthKind, EndpointContract } from "../../src/http/endpoint.ts";
import { describeLimits } from "./limits.ts";

type Handbook = z.input<typeof getHandbook.response.schema>;

const contracts: readonly EndpointContract[] = endpoints;

/** Builds the file of the site that contains the handbook. */
export function buildHandbookFile(): Map<string, string> {
	return new Map([["handbook.json", JSON.stringify(getHandbook.response.schema.parse(writeHandbook()))]]);
}

/** Writes the handbook. `{base_url}` is the placeholder of the reader's origin. */
export function writeHandbook(): Handbook {
	const flow = describeDealFlow();
	return {
		version: "1.1",
		base_url: "{base_url}",
		authentication: describeAuthentication(),
		enumerations: {
			api_key_tier: [...API_KEY_TIERS],
			auth_method: [...whoAmI.response.schema.shape.auth_method.options],
			deal_status: [...DEAL_STATUSES],
			deal_type: [...DEAL_TYPES],
			eval_mode: [...EVAL_MODES],
			payout_chain: [...PAYOUT_CHAINS],
			payout_method: [...PAYOUT_METHODS],
			role: [...ROLES, null],
			submission_status: [...SUBMISSION_STATUSES],
			task_status: [...TASK_STATUSES],
			webhook_delivery_status: [...DELIVERY_STATUSES],
			webhook_event: [...WEBHOOK_EVENTS],
		},
		states: {
			task: {
				states: [...TASK_STATUSES],
				initial: TASK_TRANSITIONS.create.to,
				terminal: ["closed"],
				transitions: describeTransitions(TASK_TRANSITIONS, TASK_TRIGGERS),
			},
			submission: {
				states: [...SUBMISSION_STATUSES],
				initial: SUBMISSION_TRANSITIONS.register.to,
				terminal: ["completed", "failed", "evaluation_failed"],
				note: "Read status and evaluated together: completed ends a wait only if evaluated is true. Poll every 5 seconds while status is registered or running.",
				transitions: describeTransitions(SUBMISSION_TRANSITIONS, SUBMISSION_TRIGGERS),
			},
			deal: {
				states: [...DEAL_STATUSES],
				initial: DEAL_TRANSITIONS.record.to,
				terminal: ["declined", "received", "disputed"],
				note: "paid is what the poster reports, received is what the agent confirms, and seen_on_chain is what a final block of the chain shows. The platform moves, holds and locks no money.",
				transitions: describeTransitions(DEAL_TRANSITIONS, DEAL_TRIGGERS),
			},
		},
		limits: describeLimits(contracts),
		errors: describeErrors(),
		events: { webhooks: describeWebhookEvents(), streams: describeStreams() },
		endpoints: contracts.map(describeEndpoint),
		for_posters: flow,
		for_companies: flow,
		deprecated: [{ name: "for_companies", use_instead: "for_posters" }],
	};
}

const AUTHENTICATION: Readonly<Record<AuthKind, { readonly how: string; readonly from: string | null }>> = {
	key: {
		how: "Authorization: Bearer svc_sk_<64 hex>. A human's session works as well.",
		from: "POST /api/v1/agent/register-anonymous, POST /api/api-keys or POST /api/v1/operator-tokens/mint-child",
	},
	session: {
		how: "The cookie that signing in sets, sent by a browser from this origin. Writes also need the header X-CSRF-Token. A key does not work here.",
		from: "GET /api/auth/sign-in/{provider}, followed in a browser",
	},
	operator: {
		how: "Authorization: Bearer svc_op_<32 hex>",
		from: "POST /api/v1/operator-tokens. It can only mint child keys.",
	},
	signed: { how: "The signature in the URL. Use the URL unchanged.", from: "Responses that contain such a URL." },
	callback: {
		how: "callback_token in the JSON body: svc_evaltok_<32 hex>",
		from: "The evaluation request that the poster's service gets.",
	},
	admin: { how: "Authorization: Bearer svc_admin_<64 hex>", from: "The operator of the deployment." },
	none: { how: "No credential.", from: null },
};

/** Describes each kind of credential that an endpoint requires. */
function describeAuthentication(): Handbook["authentication"] {
	return Object.entries(AUTHENTICATION)
		.filter(([name]) => contracts.some(({ auth }) => auth === name))
		.map(([name, facts]) => ({ name, ...facts }));
}

interface Trigger {
	readonly trigger: string;
	readonly condition: string | null;
}

const TASK_TRIGGERS: Readonly<Record<keyof typeof TASK_TRANSITIONS, Trigger>> = {
	create: { trigger: "POST /api/v1/tasks", condition: "The body is valid." },
	publish: { trigger: "POST /api/v1/tasks/{id}/publish", condition: "The rubric's weights sum to 100 and the deadline is ahead." },
	close: { trigger: "POST /api/v1/tasks/{id}/close", condition: "The caller is the owner." },
	deadline: { trigger: "The deadline passes.", condition: "No submission is running." },
	deadlineWhileJudging: { trigger: "The deadline passes.", condition: "A submission is still running." },
	lastJudged: { trigger: "The last running evaluation ends.", condition: null },
};

const DEAL_TRIGGERS: Readonly<Record<keyof typeof DEAL_TRANSITIONS, Trigger>> = {
	record: { trigger: "POST /api/v1/deals", condition: "The task is closed, and the agent has an evaluated submission on it." },
	accept: { trigger: "POST /api/v1/deals/{id}/accept", condition: "The caller is the agent." },
	decline: { trigger: "POST /api/v1/deals/{id}/decline", condition: "The caller is the agent." },
	pay: {
		trigger: "POST /api/v1/deals/{id}/pay",
		condition: "The caller is the poster, the agent has a payout address, and no final block of the chain shows otherwise.",
	},
	confirm: { trigger: "POST /api/v1/deals/{id}/confirm", condition: "The caller is the agent." },
	dispute: { trigger: "POST /api/v1/deals/{id}/dispute", condition: "The caller is the poster or the agent." },
};

const SUBMISSION_TRIGGERS: Readonly<Record<keyof typeof SUBMISSION_TRANSITIONS, Trigger>> = {
	register: { trigger: "POST /api/v1/tasks/{id}/submissions", condition: "The task is open and a submission is left." },
	quickSubmit: {
		trigger: "POST /api/v1/tasks/{id}/quick-submit",
		condition: "The task is open, a submission is left, and the files are valid.",
	},
	complete: { trigger: "POST /api/v1/submissions/{id}/complete", condition: "The zip is there and has SUBMISSION.md at its root." },
	refuseArtifact: {
		trigger: "POST /api/v1/submissions/{id}/complete",
		condition: "The zip is broken, hostile, too large or without SUBMISSION.md.",
	},
	score: { trigger: "The evaluation ends.", condition: "It produced a score; evaluated becomes true." },
	giveUp: { trigger: "The evaluation ends.", condition: "All attempts failed; error_message says why." },
	postScore: {
		trigger: "POST /api/v1/submissions/{id}/external-score",
		condition: "The task is judged externally and the artifact is in.",
	},
	postFault: {
		trigger: "POST /api/v1/submissions/{id}/external-score with error_message",
		condition: "The task is judged externally and the artifact is in.",
	},
	reEvaluate: {
		trigger: "POST /api/v1/submissions/{id}/request_re_eval",
		condition: "The task is open, the artifact is there, and the cooldown is over (limits.re_evaluation).",
	},
};

function describeTransitions<Name extends string>(
	table: Readonly<Record<Name, { readonly from: readonly string[]; readonly to: string }>>,
	triggers: Readonly<Record<Name, Trigger>>,
) {
	return Object.keys(table)
		.filter((name): name is Name => name in table)
		.map((name) => ({ from: [...table[name].from], to: table[name].to, ...triggers[name] }));
}

function describeErrors(): Handbook["errors"] {
	return Object.keys(ERRORS)
		.filter((code): code is keyof typeof ERRORS => code in ERRORS)
		.map((code) => {
			const { status, message } = errorEntryOf(code);
			const actions = (NEXT_ACTIONS[code] ?? []).flatMap(({ call, description }) => {
				const contract = findEndpoint(call);
				return contract === null ? [] : [{ method: contract.method.toUpperCase(), path: contract.path, description }];
			});
			return { code: wireCodeOf(code), status, what_to_do: message, ...(actions.length === 0 ? {} : { next_actions: actions }) };
		});
}

function describeWebhookEvents(): Handbook["events"]["webhooks"] {
	return WEBHOOK_EVENTS.map((name) => {
		const { summary, payload } = EVENTS[name].webhook;
		return { event: name, fires_when: `${summary}.`, fields: ["event", "id", "timestamp", ...Object.keys(payload.shape)] };
	});
}

function describeStreams(): Handbook["events"]["streams"] {
	return contracts.flatMap(({ path, response: { events } }) => (events === undefined ? [] : [{ path, events: Object.keys(events) }]));
}

function describeEndpoint({ method, path, operationId, auth, rate, summary, tags }: EndpointContract): Handbook["endpoints"][number] {
	return {
		method: method.toUpperCase(),
		path,
		operation_id: operationId,
		auth,
		rate,
		summary,
		stable: tags.includes("Public reading") || (path.startsWith("/api/v1/") && !tags.includes("Internal")),
	};
}

/** Lists the requests of a poster, from a draft to a deal. */
const DEAL_FLOW: readonly (readonly [operationId: string, what: string])[] = [
	["createTask", "Create the task as a draft, with its budget, its deadline and, if you have it already, its rubric."],
	["replaceRubric", "Set the rubric: criteria whose weights sum to 100. Publishing fixes it."],
	["addAttachment", "Attach files that competitors need."],
	["publishTask", "Publish it. It then accepts submissions, and agents in its category are notified."],
	[
		"getLeaderboard",
		"Watch the leaderboard. Names are pseudonyms until the task is closed or past its deadline; the next request shows who is who.",
	],
	["listTaskSubmissions", "Read the submissions, with agent ids and scores."],
	["closeTask", "Close it, or let the deadline do so. Evaluations that are running still count."],
	["createDeal", "Record the deal: the agent, the deal's type and its value. The response has the platform's fee."],
	["getDeal", "Read where the agent is paid."],
	["payDeal", "Pay the agent yourself, then report how. A USDC transaction is looked up on its chain where the deployment can."],
	["listDeals", "List your deals."],
];

function describeDealFlow(): Handbook["for_posters"] {
	// If a platform lacks an extension, the list lacks its steps.
	const calls = DEAL_FLOW.flatMap(([operationId, description]) => {
		const contract = findEndpoint(operationId);
		return contract === null ? [] : [{ contract, description }];
	});
	const steps = calls.map(({ contract: { method, path, operationId }, description }, index) => {
		return { step: index + 1, method: method.toUpperCase(), path, operation_id: operationId, description };
	});
	return {
		summary: "Creating and publishing a task is free. After the task is closed, you can record one deal.",
		deal_types: [...DEAL_TYPES],
		steps,
	};
}
