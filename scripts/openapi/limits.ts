// Names the limits that pages state as `{limit:NAME}`. `npm run openapi` writes their texts to docs/limits.json, from which the builds fill
// in the pages. The texts of limits in bytes or time include the unit. Others are only numbers.

import { MAX_PROCESSES } from "../../grader/engine/confinement.ts";
import { MAX_RESULT_BYTES, MAX_RESULT_FILES } from "../../grader/result-folders.ts";
import { MAX_SCORE_FILE_BYTES } from "../../grader/results.ts";
import { EXTRA_BYTES } from "../../grader/test-suite.ts";
import { MAX_BITS } from "../../packages/sdk/src/core/proof-of-work.ts";
import { EXTENSIONS } from "../../src/compose/joints/extensions.ts";
import { listSettings } from "../../src/config/setting.ts";
import { DEFAULT_CHALLENGE_BITS, settings } from "../../src/config/settings.ts";
import { ATTACHMENT_URL_TTL_MS } from "../../src/core/competition/attachments/attachment.ts";
import { MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS } from "../../src/core/competition/attachments/rules.ts";
import { COMPILATIONS_PER_HOUR } from "../../src/core/competition/compiling/rules.ts";
import { USAGE_DAYS } from "../../src/core/competition/dashboard/get-stats.ts";
import { MAX_ANONYMOUS_DRAFTS, UNTOUCHED_MS } from "../../src/core/competition/directory/anonymous-drafts.ts";
import { MAX_WAITING_MS } from "../../src/core/competition/judgements/waits.ts";
import { MAX_FEED_TEXT_CHARACTERS, PUBLIC_MAX_AGE_SECONDS } from "../../src/core/competition/public-reading/rules.ts";
import { TASKS_PER_STEP as INDEXED_TASKS_PER_STEP } from "../../src/core/competition/search/rebuild-index.ts";
import { MAX_SPEC_CHARACTERS, MAX_WORDS } from "../../src/core/competition/search/rules.ts";
import { DAYS_KEPT_MS } from "../../src/core/competition/spend/rules.ts";
import { MAX_FILE_BYTES as READ_FILE_BYTES } from "../../src/core/competition/submissions/read-submission-file.ts";
import { MAX_ITERATIONS, RE_EVALUATION_COOLDOWN_MS } from "../../src/core/competition/submissions/rules.ts";
import {
	MAX_PATTERN_CHARACTERS,
	MAX_SUITE_PATTERN_CHARACTERS,
	MAX_TEST_CASES,
	MAX_TEST_NAME_CHARACTERS,
	MAX_TEST_SUITE_BYTES,
	MIN_LEAD_MS,
} from "../../src/core/competition/tasks/rules.ts";
import { BOARD_SIZE } from "../../src/core/events/streams/topics.ts";
import { MAX_MESSAGE_CHARACTERS } from "../../src/core/events/webhooks/message.ts";
import { SECRET_OVERLAP_MS } from "../../src/core/events/webhooks/rotate-secret.ts";
import {
	ATTEMPT_TIMEOUT_MS,
	LOG_RETENTION_MS,
	MAX_ACTIVE_PER_HOST,
	MAX_ACTIVE_WEBHOOKS,
	MAX_HOST_IN_FLIGHT,
	MAX_RESPONSE_BYTES,
	MAX_THROTTLED_DELAY_MS,
	MAX_TROUBLED,
	MIN_THROTTLED_DELAY_MS,
} from "../../src/core/events/webhooks/rules.ts";
import { TTL_MS as REGISTRATION_CHALLENGE_TTL_MS } from "../../src/core/identity/agents/register-anonymous.ts";
import { MAX_ACTIVE_KEYS } from "../../src/core/identity/api-keys/create-key.ts";
import { MAX_ACTIVE_TOKENS, MAX_MONTHLY_QUOTA } from "../../src/core/identity/operators/token.ts";
import { SESSION_TTL_MS } from "../../src/core/identity/sign-in/rules.ts";
import { CHALLENGE_TTL_MS } from "../../src/core/identity/wallet/rules.ts";
import { UPLOAD_URL_TTL_MS } from "../../src/core/identity/workspace/create-upload-url.ts";
import { ENTRY_LIMITS, FILE_LIMITS, MAX_PATH_LENGTH } from "../../src/core/identity/workspace/rules.ts";
import { MAX_DIRECTORY_BYTES, MAX_ENTRIES, MAX_ENTRY_BYTES, MAX_RATIO, MAX_TOTAL_BYTES } from "../../src/core/judging/artifacts/policy.ts";
import { MAX_FILE_BYTES as JUDGED_FILE_BYTES } from "../../src/core/judging/artifacts/reading.ts";
import {
	MAX_ARTIFACT_BYTES,
	MAX_FILES,
	MAX_FILES_BYTES,
	MAX_PATH_BYTES,
	MAX_SEGMENT_BYTES,
} from "../../src/core/judging/artifacts/rules.ts";
import { MIN_QUOTE_LENGTH } from "../../src/core/judging/engine/proof.ts";
import { ARTIFACT_URL_TTL_MS } from "../../src/core/judging/modes/external.ts";
import { CHECKPOINT } from "../../src/core/judging/rules.ts";
import { CHECKS_BOUNDS } from "../../src/domain/checks.ts";
import { EXTERNAL_LIMIT_MS, GRADER_MARGIN_MS, JUDGE_LIMIT_MS } from "../../src/domain/modes.ts";
import { REPLY_WINDOW_MS, SECRET_REPLY_WINDOW_MS } from "../../src/domain/repeated-calls.ts";
import { RETRY_DELAYS_MS } from "../../src/domain/retries.ts";
import { APPEAL_MS, REVIEW_MS } from "../../src/domain/reviews.ts";
import { MAX_ZIP_BYTES } from "../../src/extensions/check/check-submission.ts";
import { DRY_RUN_WINDOW_MS, MAX_DRY_RUNS, MAX_REFERENCES } from "../../src/extensions/dry-runs/rules.ts";
import { KEPT_MS as INBOX_KEPT_MS, KEPT_PER_EVENT, READER_PERIOD_MS } from "../../src/extensions/inbox/object/agent-inbox.ts";
import { REFERENCE_TOLERANCE_POINTS } from "../../src/extensions/judge-check/rules.ts";
import { MAX_PIECE_BYTES, MAX_TEXT_CHARACTERS } from "../../src/extensions/mcp/reading.ts";
import { MAX_RESULT_CHARACTERS } from "../../src/extensions/mcp/results.ts";
import { DEFAULT_WAIT_SECONDS, MAX_WAIT_SECONDS } from "../../src/extensions/mcp/tool-row.ts";
import { PROGRESS_EVERY_MS } from "../../src/extensions/mcp/waiting.ts";
import { HISTORY_MS } from "../../src/extensions/operating/admin/rewind-task.ts";
import { OBJECTS_PER_STEP } from "../../src/extensions/operating/admin/wake-objects.ts";
import { ALERT_LIMITS, D1_MAX_BYTES, SERVER_ERROR_MINUTES } from "../../src/extensions/operating/alerts/rules.ts";
import { WRITE_EVERY_MS } from "../../src/extensions/operating/alerts/server-errors.ts";
import { SHOWN_DAYS } from "../../src/extensions/operating/operations/get-history.ts";
import { QUEUE_HOURS } from "../../src/extensions/operating/operations/metrics.ts";
import { MAX_BUSY_TASKS } from "../../src/extensions/operating/operations/rules.ts";
import { TASKS_PER_STEP as REBUILT_TASKS_PER_STEP } from "../../src/extensions/operating/tasks/rebuild-directory.ts";
import { CHECK_PERIOD_MS } from "../../src/extensions/settlement/rules.ts";
import { MAX_HIDDEN_WEIGHT } from "../../src/fields/final-only.ts";
import { MAX_SHOWN_WALLETS } from "../../src/fields/settlement.ts";
import { DEFAULT_BODY_LIMIT_BYTES, LARGEST_BODY_LIMIT_BYTES } from "../../src/http/body.ts";
import { MAX_PAGE_BYTES } from "../../src/http/pagination.ts";
import { EVERYTHING_LIMIT, OPENING_LIMIT, RATE_LIMITS, SESSION_LIMIT, SHARED_NETWORK_LIMIT } from "../../src/http/rate-limit.ts";
import { PACE } from "../../src/http/raw-body.ts";
import { END_JITTER_MS, MAX_BUFFERED_BYTES, MAX_STREAM_MS } from "../../src/http/sse.ts";
import { MAX_OPEN_STREAMS } from "../../src/http/stream-places.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/platform/clock.ts";
import type { Extension } from "../../src/ports/extension.ts";
import { BUNDLE_BUDGET_KILOBYTES } from "../deploy/bundle.ts";

const count = (number: number): string => number.toLocaleString("en");
const withUnit = (number: number, unit: string): string => `${count(number)} ${unit}${number === 1 ? "" : "s"}`;
const seconds = (ms: number): string => withUnit(ms / SECOND_MS, "second");
const minutes = (ms: number): string => withUnit(ms / MINUTE_MS, "minute");
const hours = (ms: number): string => withUnit(ms / HOUR_MS, "hour");
const days = (ms: number): string => withUnit(ms / DAY_MS, "day");
/** Formats a time in hours, or in minutes below an hour, or in seconds below a minute. */
const shortest = (ms: number): string => (ms >= HOUR_MS ? hours(ms) : ms >= MINUTE_MS ? minutes(ms) : seconds(ms));
const list = (texts: readonly string[]): string => new Intl.ListFormat("en-GB").format(texts);

function bytes(number: number): string {
	const [unit = "KB", size = 1_024] = [["GB", 1_024 ** 3] as const, ["MB", 1_024 ** 2] as const].find(([, least]) => number >= least) ?? [];
	return `${number / size} ${unit}`;
}

function defaultOf(variable: string): string | null | undefined {
	return listSettings(settings).find((setting) => setting.variable === variable)?.defaultText;
}

const LIMITS = {
	ALERT_WAIT: minutes(ALERT_LIMITS.waitSeconds * SECOND_MS),
	ALERT_FAILURES: count(ALERT_LIMITS.platformFailures),
	ALERT_QUEUE_AGE: minutes(ALERT_LIMITS.queueAgeSeconds * SECOND_MS),
	ALERT_SERVER_ERRORS: count(ALERT_LIMITS.serverErrors),
	ALERT_SERVER_ERRORS_TIME: minutes(SERVER_ERROR_MINUTES * MINUTE_MS),
	ANONYMOUS_BYTES: `${Number(defaultOf("ANONYMOUS_BYTES_PER_NETWORK_DAY")) / 1_024 ** 3} GiB`,
	ANONYMOUS_DRAFTS: count(MAX_ANONYMOUS_DRAFTS),
	APPEAL_WINDOW: hours(APPEAL_MS),
	REVIEW_WINDOW: days(REVIEW_MS),
	ARTIFACT: bytes(MAX_ARTIFACT_BYTES),
	ARTIFACT_DIRECTORY: bytes(MAX_DIRECTORY_BYTES),
	ARTIFACT_ENTRIES: count(MAX_ENTRIES),
	ARTIFACT_FILE: bytes(MAX_ENTRY_BYTES),
	ARTIFACT_RATIO: count(MAX_RATIO),
	ARTIFACT_UNPACKED: bytes(MAX_TOTAL_BYTES),
	ATTACHMENT: bytes(MAX_ATTACHMENT_BYTES),
	ATTACHMENTS: count(MAX_ATTACHMENTS),
	ATTACHMENT_URL: hours(ATTACHMENT_URL_TTL_MS),
	BODY: bytes(DEFAULT_BODY_LIMIT_BYTES),
	BUNDLE: `${BUNDLE_BUDGET_KILOBYTES} KB`,
	BUSY_TASKS: count(MAX_BUSY_TASKS),
	CHALLENGE_BITS: count(DEFAULT_CHALLENGE_BITS),
	CHAT_MESSAGE_CHARACTERS: count(MAX_MESSAGE_CHARACTERS),
	CHECKED_ZIP: bytes(MAX_ZIP_BYTES),
	CHECKPOINT: minutes(CHECKPOINT.lastCallAfterMs),
	COMPILATIONS: count(COMPILATIONS_PER_HOUR),
	D1: bytes(D1_MAX_BYTES),
	DEADLINE_LEAD: hours(MIN_LEAD_MS),
	DELIVERIES_PER_HOST: count(MAX_HOST_IN_FLIGHT),
	DELIVERY_LOG: days(LOG_RETENTION_MS),
	DELIVERY_RESPONSE: bytes(MAX_RESPONSE_BYTES),
	DRY_RUNS: count(MAX_DRY_RUNS),
	DRY_RUN_WINDOW: hours(DRY_RUN_WINDOW_MS),
	EXTERNAL_ARTIFACT_URL: hours(ARTIFACT_URL_TTL_MS),
	EXTERNAL_RETRIES: list(RETRY_DELAYS_MS.slice(0, -1).map(shortest)),
	EXTERNAL_TIME: hours(EXTERNAL_LIMIT_MS),
	EXTRA_OUTPUT: bytes(EXTRA_BYTES),
	FAILURE_HISTORY: days(SHOWN_DAYS * DAY_MS),
	FEED_CHARACTERS: count(MAX_FEED_TEXT_CHARACTERS),
	FILES: count(MAX_FILES),
	FILE_PATH_BYTES: count(MAX_PATH_BYTES),
	FILE_SEGMENT_BYTES: count(MAX_SEGMENT_BYTES),
	GENERAL_REQUESTS: count(RATE_LIMITS.general),
	GRADER_MARGIN: minutes(GRADER_MARGIN_MS),
	EVERYTHING_REQUESTS: count(EVERYTHING_LIMIT),
	HIDDEN_WEIGHT: `${MAX_HIDDEN_WEIGHT} %`,
	IMAGE_PROCESSES: count(MAX_PROCESSES),
	INBOX_KEPT: days(INBOX_KEPT_MS),
	INBOX_PER_EVENT: count(KEPT_PER_EVENT),
	INBOX_READER: days(READER_PERIOD_MS),
	ITERATIONS: count(MAX_ITERATIONS),
	JUDGED_FILE_BYTES: count(JUDGED_FILE_BYTES),
	JUDGE_TIME: minutes(JUDGE_LIMIT_MS),
	KEYS: count(MAX_ACTIVE_KEYS),
	LARGE_BODY: bytes(LARGEST_BODY_LIMIT_BYTES),
	MCP_BINARY: bytes(MAX_PIECE_BYTES),
	MCP_OPENING: count(OPENING_LIMIT),
	MCP_PROGRESS: seconds(PROGRESS_EVERY_MS),
	MCP_RESULT_CHARACTERS: count(MAX_RESULT_CHARACTERS),
	MCP_TEXT_CHARACTERS: count(MAX_TEXT_CHARACTERS),
	MCP_WAIT: count(DEFAULT_WAIT_SECONDS),
	MCP_WAIT_MAX: count(MAX_WAIT_SECONDS),
	MONTHLY_QUOTA: count(MAX_MONTHLY_QUOTA),
	MUTATION_REQUESTS: count(RATE_LIMITS.mutation),
	NETWORK_REQUESTS: count(SHARED_NETWORK_LIMIT),
	OBJECT_HISTORY: days(HISTORY_MS),
	OPERATOR_TOKENS: count(MAX_ACTIVE_TOKENS),
	PACE: bytes(PACE.bytes),
	PACE_TIME: seconds(PACE.ms),
	PAYMENT_CHECKS: hours(CHECK_PERIOD_MS),
	SHOWN_WALLETS: count(MAX_SHOWN_WALLETS),
	POSTER_USAGE: days(USAGE_DAYS * DAY_MS),
	PROVIDER_WAIT: hours(MAX_WAITING_MS),
	PUBLIC_CACHE: seconds(PUBLIC_MAX_AGE_SECONDS * SECOND_MS),
	PUBLIC_PAGE: bytes(MAX_PAGE_BYTES),
	QUEUE_HISTORY: days(QUEUE_HOURS * HOUR_MS),
	QUICK_SUBMIT: bytes(MAX_FILES_BYTES),
	QUOTE_CHARACTERS: count(MIN_QUOTE_LENGTH),
	READ_FILE: bytes(READ_FILE_BYTES),
	REBUILT_CARDS_PER_REQUEST: count(REBUILT_TASKS_PER_STEP),
	VERIFIED_PER_REQUEST: count(OBJECTS_PER_STEP),
	REBUILT_PER_REQUEST: count(INDEXED_TASKS_PER_STEP),
	REFERENCES: count(MAX_REFERENCES),
	REFERENCE_TOLERANCE: count(REFERENCE_TOLERANCE_POINTS),
	REGISTRATION_CHALLENGE: minutes(REGISTRATION_CHALLENGE_TTL_MS),
	REPLIES: hours(REPLY_WINDOW_MS),
	RESULTS: bytes(MAX_RESULT_BYTES),
	RESULT_FILES: count(MAX_RESULT_FILES),
	RE_EVALUATION_COOLDOWN: hours(RE_EVALUATION_COOLDOWN_MS),
	RUBRIC_CHECKS: count(CHECKS_BOUNDS.perRubric),
	SCORE_FILE: bytes(MAX_SCORE_FILE_BYTES),
	SEARCHED_SPEC_CHARACTERS: count(MAX_SPEC_CHARACTERS),
	SEARCH_WORDS: count(MAX_WORDS),
	SECRET_OVERLAP: hours(SECRET_OVERLAP_MS),
	SECRET_REPLIES: minutes(SECRET_REPLY_WINDOW_MS),
	SERVER_ERRORS_WRITTEN: seconds(WRITE_EVERY_MS),
	SESSION: days(SESSION_TTL_MS),
	SESSION_REQUESTS: count(SESSION_LIMIT),
	SOLVED_BITS: count(MAX_BITS),
	STREAM: seconds(MAX_STREAM_MS),
	STREAMED_BOARD: count(BOARD_SIZE),
	STREAMS_PER_KEY: count(MAX_OPEN_STREAMS.key),
	STREAMS_PER_NETWORK: count(MAX_OPEN_STREAMS.network),
	STREAM_END: `${seconds(MAX_STREAM_MS - END_JITTER_MS).replace(" seconds", "")} to ${seconds(MAX_STREAM_MS)}`,
	STREAM_UNREAD: bytes(MAX_BUFFERED_BYTES),
	SEARCH_REQUESTS: count(RATE_LIMITS.search),
	SUBMISSION_REQUESTS: count(RATE_LIMITS.submission),
	TEST_CASES: count(MAX_TEST_CASES),
	TEST_NAME_CHARACTERS: count(MAX_TEST_NAME_CHARACTERS),
	TEST_PATTERN_CHARACTERS: count(MAX_PATTERN_CHARACTERS),
	TEST_SUITE_PATTERN_CHARACTERS: count(MAX_SUITE_PATTERN_CHARACTERS),
	TEST_SUITE: bytes(MAX_TEST_SUITE_BYTES),
	THROTTLED_DELAY: `${seconds(MIN_THROTTLED_DELAY_MS).replace(" seconds", "")} to ${seconds(MAX_THROTTLED_DELAY_MS)}`,
	TROUBLED_WEBHOOKS: count(MAX_TROUBLED),
	UNTOUCHED_DRAFT: days(UNTOUCHED_MS),
	USAGE_KEPT: days(DAYS_KEPT_MS),
	WALLET_CHALLENGE: minutes(CHALLENGE_TTL_MS),
	WEBHOOKS: count(MAX_ACTIVE_WEBHOOKS),
	WEBHOOKS_PER_HOST: count(MAX_ACTIVE_PER_HOST),
	WEBHOOK_RETRIES: list(RETRY_DELAYS_MS.map(shortest)),
	WEBHOOK_TIMEOUT: seconds(ATTEMPT_TIMEOUT_MS),
	WORKSPACE_ALL_FILES: bytes(FILE_LIMITS.bytes),
	WORKSPACE_DIRECT_UPLOAD: bytes(FILE_LIMITS.directBytes),
	WORKSPACE_FILE: bytes(FILE_LIMITS.fileBytes),
	WORKSPACE_FILES: count(FILE_LIMITS.count),
	WORKSPACE_KEYS: count(ENTRY_LIMITS.count),
	WORKSPACE_PATH_CHARACTERS: count(MAX_PATH_LENGTH),
	WORKSPACE_UPLOAD_URL: hours(UPLOAD_URL_TTL_MS),
	WORKSPACE_VALUE: bytes(ENTRY_LIMITS.valueBytes),
	WORKSPACE_VALUES: bytes(ENTRY_LIMITS.bytes),
};

/** Limits that are bounds in the request schemas of the OpenAPI document. */
const BOUNDS = {
	ACT_REASON_CHARACTERS: "AdminActRequest.reason.maxLength",
	APPEAL_CHARACTERS: "CreateAppealRequest.reason.maxLength",
	CATEGORY_CHARACTERS: "CreateTaskRequest.category.maxLength",
	CHECKS: "CriterionInput.checks.maxItems",
	CHECK_CHARACTERS: "CriterionInput.checks.items.maxLength",
	CRITERIA: "CreateTaskRequest.criteria.maxItems",
	CRITERION_DESCRIPTION_CHARACTERS: "CriterionInput.description.anyOf.0.maxLength",
	CRITERION_NAME_CHARACTERS: "CriterionInput.name.maxLength",
	DESCRIPTION_CHARACTERS: "CreateTaskRequest.description.anyOf.0.maxLength",
	DRY_RUN_LABEL_CHARACTERS: "DryRunRequest.label.anyOf.0.maxLength",
	EXTERNAL_ERROR_CHARACTERS: "ExternalScoreRequest.error_message.anyOf.0.maxLength",
	EXTERNAL_REASONING_CHARACTERS: "ExternalScoreRequest.reasoning.anyOf.0.maxLength",
	SPEC_CHARACTERS: "CreateTaskRequest.input_spec.anyOf.0.maxLength",
	SUBMISSIONS: "CreateTaskRequest.max_submissions_per_agent.maximum",
	SUBMISSIONS_BY_DEFAULT: "CreateTaskRequest.max_submissions_per_agent.default",
	TITLE_CHARACTERS: "CreateTaskRequest.title.maxLength",
	TOKEN_LABEL_CHARACTERS: "CreateOperatorTokenRequest.label.anyOf.0.maxLength",
};

/**
 * Writes docs/limits.json.
 *
 * @throws Error that names a bound that the document lacks.
 */
export function writeLimits(document: string): string {
	const parsed: unknown = JSON.parse(document);
	const bounds = Object.entries(BOUNDS).map(([name, place]) => [name, count(readBound(parsed, place))] as const);
	const ofExtensions = EXTENSIONS.flatMap(({ limits }: Extension) =>
		Object.entries(limits ?? {}).map(([name, most]) => [name, count(most)] as const),
	);
	const sorted = [...Object.entries(LIMITS), ...bounds, ...ofExtensions].toSorted(([a], [b]) => (a < b ? -1 : 1));
	return `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`;
}

function readBound(document: unknown, place: string): number {
	const [schema = "", field = "", ...rest] = place.split(".");
	const found = ["components", "schemas", schema, "properties", field, ...rest].reduce<unknown>(
		(value, key) => (typeof value === "object" && value !== null ? Object.entries(value).find(([own]) => own === key)?.[1] : undefined),
		document,
	);
	if (typeof found !== "number") throw new Error(`The OpenAPI document has no number at ${place}.`);
	return found;
}
