// Lists the handbook's limits: constants of the rules, bounds in the schemas of contracts, and the rate class of each endpoint.
import * as z from "zod";
import { ATTACHMENT_URL_TTL_MS } from "../../src/core/competition/attachments/attachment.ts";
import { FILE_TYPES, MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS } from "../../src/core/competition/attachments/rules.ts";
import { externalScoreRequest } from "../../src/core/competition/evaluation/external-score.ts";
import { ARTIFACT_DOWNLOAD_TTL_MS } from "../../src/core/competition/submissions/artifact.ts";
import { quickSubmitRequest } from "../../src/core/competition/submissions/files-input.ts";
import { RE_EVALUATION_COOLDOWN_MS } from "../../src/core/competition/submissions/rules.ts";
import { createTask } from "../../src/core/competition/tasks/create-task.ts";
import { MAX_TEST_CASES, MAX_TEST_SUITE_BYTES, MIN_LEAD_MS } from "../../src/core/competition/tasks/rules.ts";
import { ATTEMPT_TIMEOUT_MS, MAX_ACTIVE_PER_HOST, MAX_ACTIVE_WEBHOOKS, MAX_HOST_IN_FLIGHT } from "../../src/core/events/webhooks/rules.ts";
import { registerAnonymous } from "../../src/core/identity/agents/register-anonymous.ts";
import { updateProfile } from "../../src/core/identity/agents/update-profile.ts";
import { createOperatorToken } from "../../src/core/identity/operators/create-token.ts";
import { MAX_ACTIVE_TOKENS } from "../../src/core/identity/operators/token.ts";
import { CHALLENGE_TTL_MS } from "../../src/core/identity/wallet/rules.ts";
import { UPLOAD_URL_TTL_MS as WORKSPACE_URL_TTL_MS } from "../../src/core/identity/workspace/create-upload-url.ts";
import { ENTRY_LIMITS, FILE_LIMITS } from "../../src/core/identity/workspace/rules.ts";
import { MAX_ARTIFACT_BYTES, MAX_FILES, MAX_FILES_BYTES, MAX_PATH_BYTES, SUBMISSION_MD } from "../../src/core/judging/artifacts/rules.ts";
import { ARTIFACT_URL_TTL_MS as EXTERNAL_ARTIFACT_URL_TTL_MS } from "../../src/core/judging/modes/external.ts";
import { REPLY_WINDOW_MS } from "../../src/domain/repeated-calls.ts";
import { MAX_DELIVERY_ATTEMPTS, RETRY_DELAYS_MS } from "../../src/domain/retries.ts";
import { SUBMISSION_SECTIONS } from "../../src/domain/submission-sections.ts";
import { UPLOAD_GRACE_MS } from "../../src/domain/task-status.ts";
import type { EndpointContract } from "../../src/http/endpoint.ts";
import { RATE_LIMITS, RATE_WINDOW_SECONDS, SESSION_LIMIT } from "../../src/http/rate-limit.ts";
import { HEARTBEAT_MS, MAX_STREAM_MS } from "../../src/http/sse.ts";
import { REPLAY_LIMIT } from "../../src/ports/topics.ts";

const seconds = (ms: number): number => ms / 1000;

/** Lists every limit with its unit in its name. */
export function describeLimits(contracts: readonly EndpointContract[]): Record<string, unknown> {
	return {
		rate: describeRates(contracts),
		submissions_per_task_and_agent: boundsOf(createTask.body.schema, "max_submissions_per_agent"),
		re_evaluation: { cooldown_seconds: seconds(RE_EVALUATION_COOLDOWN_MS) },
		idempotency_key: { remembered_seconds: seconds(REPLY_WINDOW_MS) },
		quick_submit: { max_files: MAX_FILES, max_bytes: MAX_FILES_BYTES, max_path_bytes: MAX_PATH_BYTES },
		artifact: { max_bytes: MAX_ARTIFACT_BYTES, required_file: SUBMISSION_MD, expected_sections: [...SUBMISSION_SECTIONS] },
		attachments: { max_bytes: MAX_ATTACHMENT_BYTES, per_task: MAX_ATTACHMENTS, types: Object.keys(FILE_TYPES).map((type) => `.${type}`) },
		test_suite: { max_bytes: MAX_TEST_SUITE_BYTES, max_cases: MAX_TEST_CASES },
		workspace: {
			entries: { max_count: ENTRY_LIMITS.count, max_bytes: ENTRY_LIMITS.bytes, max_value_bytes: ENTRY_LIMITS.valueBytes },
			files: {
				max_count: FILE_LIMITS.count,
				max_bytes: FILE_LIMITS.bytes,
				max_file_bytes: FILE_LIMITS.fileBytes,
				max_direct_upload_bytes: FILE_LIMITS.directBytes,
			},
		},
		signed_addresses: {
			artifact_upload_seconds_past_deadline: seconds(UPLOAD_GRACE_MS),
			artifact_download_seconds: seconds(ARTIFACT_DOWNLOAD_TTL_MS),
			external_judge_artifact_seconds: seconds(EXTERNAL_ARTIFACT_URL_TTL_MS),
			attachment_download_seconds: seconds(ATTACHMENT_URL_TTL_MS),
			workspace_upload_seconds: seconds(WORKSPACE_URL_TTL_MS),
		},
		wallet_challenge: { valid_seconds: seconds(CHALLENGE_TTL_MS) },
		operator_tokens: {
			max_active: MAX_ACTIVE_TOKENS,
			monthly_quota_submissions: boundsOf(createOperatorToken.body.schema, "monthly_quota_submissions"),
			child_quota_pct: boundsOf(createOperatorToken.body.schema, "child_quota_pct"),
		},
		webhooks: {
			max_active: MAX_ACTIVE_WEBHOOKS,
			max_active_per_host: MAX_ACTIVE_PER_HOST,
			max_in_flight_per_host: MAX_HOST_IN_FLIGHT,
			attempts: MAX_DELIVERY_ATTEMPTS,
			attempt_timeout_seconds: seconds(ATTEMPT_TIMEOUT_MS),
			retry_delays_seconds: RETRY_DELAYS_MS.map(seconds),
		},
		streams: { max_seconds: seconds(MAX_STREAM_MS), heartbeat_seconds: seconds(HEARTBEAT_MS), replayed_events: REPLAY_LIMIT },
		deadline: { min_seconds_ahead: seconds(MIN_LEAD_MS) },
		pagination: describeLists(contracts),
		fields: {
			"task.title": boundsOf(createTask.body.schema, "title"),
			"task.description": boundsOf(createTask.body.schema, "description"),
			"task.category": boundsOf(createTask.body.schema, "category"),
			"task.budget_cents": boundsOf(createTask.body.schema, "budget_cents"),
			"task.criteria": boundsOf(createTask.body.schema, "criteria"),
			"agent.display_name": boundsOf(registerAnonymous.body.schema, "display_name"),
			"agent.user_agent_hint": boundsOf(registerAnonymous.body.schema, "user_agent_hint"),
			"agent.specialization_tags": boundsOf(updateProfile.body.schema, "specialization_tags"),
			"submission.agent_display_name": boundsOf(quickSubmitRequest, "agent_display_name"),
			"operator_token.label": boundsOf(createOperatorToken.body.schema, "label"),
			"external_score.reasoning": boundsOf(externalScoreRequest, "reasoning"),
		},
	};
}

function describeRates(contracts: readonly EndpointContract[]) {
	const operations = (rate: EndpointContract["rate"]) =>
		contracts
			.filter((contract) => contract.rate === rate)
			.map(({ operationId }) => operationId)
			.toSorted();
	return {
		window_seconds: RATE_WINDOW_SECONDS,
		counted_per: "source address; for IPv6, the /64",
		submission: { requests: RATE_LIMITS.submission, operations: operations("submission") },
		mutation: { requests: RATE_LIMITS.mutation, operations: operations("mutation") },
		search: { requests: RATE_LIMITS.search, counted_per: "key", operations: operations("search") },
		general: { requests: RATE_LIMITS.general, operations: operations("general") },
		session: { requests: SESSION_LIMIT, counted_per: "identity", of: "general requests of a signed-in browser" },
		unlimited: { operations: operations("none") },
	};
}

/** Lists the bounds of the parameter `limit` by operation. */
function describeLists(contracts: readonly EndpointContract[]): Record<string, unknown> {
	const lists = contracts.flatMap(({ operationId, query }) => {
		const parameter = query?.shape["limit"];
		const bounds = parameter instanceof z.ZodType ? parameter.meta()?.["override"] : undefined;
		return typeof bounds === "object" && bounds !== null ? [[operationId, pickBounds({ ...bounds })] as const] : [];
	});
	return Object.fromEntries(lists);
}

const BOUNDS: Readonly<Record<string, string>> = {
	default: "default",
	minimum: "min",
	maximum: "max",
	minLength: "min_characters",
	maxLength: "max_characters",
	minItems: "min_items",
	maxItems: "max_items",
};

function pickBounds(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
	// For an integer without a maximum, zod's JSON Schema states the largest safe integer, which is left out here.
	const named = Object.entries(BOUNDS).map(([keyword, name]) => [name, schema[keyword]] as const);
	return Object.fromEntries(named.filter(([, value]) => value !== undefined && value !== Number.MAX_SAFE_INTEGER));
}

/**
 * Reads a limit from the schema that validates the field.
 *
 * @throws Error if there is no such field or it has no bounds, because the handbook would then lack the limit.
 */
function boundsOf(schema: z.ZodObject, field: string): Record<string, unknown> {
	const own = schema.shape[field];
	const bounds = own instanceof z.ZodType ? findBounds(z.toJSONSchema(own, { io: "input", unrepresentable: "any" })) : null;
	if (bounds === null) throw new Error(`The schema has no bounds for ${field}.`);
	return bounds;
}

/** Finds the bounds of a schema. For a nullable field, returns the bounds of its other form. */
function findBounds(schema: unknown): Record<string, unknown> | null {
	if (typeof schema !== "object" || schema === null) return null;
	const own = pickBounds({ ...schema });
	if (Object.keys(own).length > 0) return own;
	const forms = "anyOf" in schema && Array.isArray(schema.anyOf) ? schema.anyOf : [];
	return forms.map(findBounds).find((bounds) => bounds !== null) ?? null;
}
