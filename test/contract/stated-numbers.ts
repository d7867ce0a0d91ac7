// Lists numbers that texts state and code owns. test/contract/stated-numbers.test.ts compares them.
import { listSettings } from "../../src/config/setting.ts";
import { settings } from "../../src/config/settings.ts";
import { RETRY_DELAYS_MS } from "../../src/domain/retries.ts";
import { TOOLS } from "../../src/features/doors/mcp/tools.ts";
import { constant, schemaBound } from "./stated-constants.ts";

const COMPETITION = "src/features/competition";
const EVENTS = "src/features/events";
const IDENTITY = "src/features/identity";
const JUDGING = "src/features/judging";
const OPERATING = "src/features/operating";
const FILES = `${JUDGING}/artifacts/rules.ts`;
const ARCHIVE = `${JUDGING}/artifacts/policy.ts`;
const WEBHOOKS = `${EVENTS}/webhooks/rules.ts`;
const WORKSPACE = `${IDENTITY}/workspace/rules.ts`;
const TASKS = `${COMPETITION}/tasks/rules.ts`;
const ATTACHMENTS = `${COMPETITION}/attachments/rules.ts`;
const DRY_RUNS = `${COMPETITION}/dry-runs/rules.ts`;
const INBOX = `${EVENTS}/inbox/object/agent-inbox.ts`;
const STREAMS = "src/http/sse.ts";
const RATES = "src/http/rate-limit.ts";
const ROUND = `${COMPETITION}/final-round/rules.ts`;
const ALERTS = `${OPERATING}/alerts/rules.ts`;

const kb = (path: string, name: string): number => constant(path, name) / 1_024;
const mb = (path: string, name: string): number => constant(path, name) / 1_048_576;
const seconds = (path: string, name: string): number => constant(path, name) / 1_000;
const minutes = (path: string, name: string): number => constant(path, name) / 60_000;
const hours = (path: string, name: string): number => constant(path, name) / 3_600_000;
const days = (path: string, name: string): number => constant(path, name) / 86_400_000;

/** Returns a setting's default, which must be a number. */
function defaultOf(variable: string): number {
	return Number(listSettings(settings).find((setting) => setting.variable === variable)?.defaultText);
}

const QUICK_MB = mb(FILES, "MAX_FILES_BYTES");
const ZIP_MB = mb(FILES, "MAX_ARTIFACT_BYTES");
const BODY_MB = mb("src/http/body.ts", "DEFAULT_BODY_LIMIT_BYTES");
const LARGE_BODY_MB = mb("src/http/body.ts", "LARGEST_BODY_LIMIT_BYTES");
const PUBLIC_SECONDS = constant(`${COMPETITION}/public-reading/rules.ts`, "PUBLIC_MAX_AGE_SECONDS");
const RETRY_SECONDS = RETRY_DELAYS_MS.map((ms) => ms / 1_000);
const [firstRetry = 0, secondRetry = 0, thirdRetry = 0, fourthRetry = 0, fifthRetry = 0, sixthRetry = 0, lastRetry = 0] = RETRY_SECONDS;
const REPLY_HOURS = hours("src/domain/repeated-calls.ts", "REPLY_WINDOW_MS");
const SECRET_REPLY_MINUTES = minutes("src/domain/repeated-calls.ts", "SECRET_REPLY_WINDOW_MS");

/** Each row has one number, or several that one phrase states, and the phrases that state it. `#` is the place of each number. */
export const STATED: readonly (readonly [values: number | readonly number[], ...phrases: string[]])[] = [
	// Files and bodies.
	[
		QUICK_MB,
		...[
			"larger than # MB [",
			"is larger than # MB or",
			"are larger than # MB",
			"more than # MB, [upload",
			"more than # MB |",
			"up to # MB of files",
			"up to # MB take",
		],
		...["# MB in total before packing", "a file over # MB", "contents, up to # MB", "accept # MB of files", "file of up to # MB may be"],
		...[
			"more than # MB may be packed",
			"more than # MB, and then needs",
			"with # MB of files",
			"most # MB of files",
			"most # MB together",
			"one part of # MB",
		],
	],
	[constant(FILES, "MAX_FILES"), "# files, 5 MB in total", "1 to # files", "files (# of any size)"],
	[constant(FILES, "MAX_PATH_BYTES"), "`/`, at most # bytes", "| a path | # bytes"],
	[
		ZIP_MB,
		"| artifact | # MB",
		"the zip | # MB",
		"artifacts) accepts a zip of up to # MB",
		"zips of submissions, at most # MB",
		"A zip of up to # MB can",
		"upload of # MB fits",
		"`complete` on # MB",
		"unpacked, # MB packed",
	],
	[mb(ARCHIVE, "MAX_ENTRY_BYTES"), "one unpacked file | # MB"],
	[mb(ARCHIVE, "MAX_TOTAL_BYTES"), "# MB unpacked", "all unpacked files | # MB"],
	[constant(ARCHIVE, "MAX_ENTRIES"), "# entries, 500 MB", "entries | #;", "most # files and 500 MB"],
	[
		mb(ARCHIVE, "MAX_DIRECTORY_BYTES"),
		"attributes # MB together",
		"files may have # MB of names",
		"directory may have # MB",
		"a directory of # MB",
	],
	[constant(ARCHIVE, "MAX_RATIO"), "compressed at most # to 1", "| # to 1 |"],
	[
		mb(`${COMPETITION}/submission-check/check-submission.ts`, "MAX_ZIP_BYTES"),
		"zip for `check` | # MB",
		"`check` accepts a zip of up to # MB",
		"or a zip of up to # MB as",
	],
	[
		LARGE_BODY_MB,
		"JSON body of # MB, which",
		"JSON body may have more than # MB",
		"`submit_files` accept up to # MB",
		"a JSON body | # MB",
	],
	[BODY_MB, "JSON body, unless stated otherwise | # MB", "message of at most # MB", "bodies over # MB may", "`/mcp` of more than # MB"],
	[
		[mb("src/http/raw-body.ts", "PACE.bytes"), seconds("src/http/raw-body.ts", "PACE.ms")],
		"# MB, and the rest, within # seconds",
		"arrive at # MB in # seconds",
	],
	[mb("src/http/held-bodies.ts", "SMALL_BYTES"), "Bodies of more than # MB are counted"],
	[mb("src/http/held-bodies.ts", "MAX_HELD_BYTES"), "of an isolate together # MB"],
	[constant("src/http/fields.ts", "MAX_HEADER_CHARACTERS"), "headers of the workspace # characters"],
	[constant(WORKSPACE, "MAX_CONTENT_TYPE_LENGTH"), "`contentType` of a submitted file # characters"],
	[constant(WORKSPACE, "MAX_PATH_LENGTH"), "A key has 1 to # characters"],
	[
		[mb(WORKSPACE, "ENTRY_LIMITS.valueBytes"), mb(WORKSPACE, "ENTRY_LIMITS.bytes"), constant(WORKSPACE, "ENTRY_LIMITS.count")],
		"# MB each, # MB together, # keys",
	],
	[
		[
			mb(WORKSPACE, "FILE_LIMITS.fileBytes"),
			mb(WORKSPACE, "FILE_LIMITS.bytes"),
			constant(WORKSPACE, "FILE_LIMITS.count"),
			mb(WORKSPACE, "FILE_LIMITS.directBytes"),
		],
		"# MB each, # MB together, # files; over # MB through",
	],
	[[mb(WORKSPACE, "ENTRY_LIMITS.valueBytes"), mb(WORKSPACE, "FILE_LIMITS.fileBytes")], "| each | # MB | # MB |"],
	[[mb(WORKSPACE, "ENTRY_LIMITS.bytes"), mb(WORKSPACE, "FILE_LIMITS.bytes")], "| all together | # MB | # MB |"],
	[[constant(WORKSPACE, "ENTRY_LIMITS.count"), constant(WORKSPACE, "FILE_LIMITS.count")], "| count | # keys | # files |"],
	[[constant(WORKSPACE, "ENTRY_LIMITS.count"), mb(WORKSPACE, "ENTRY_LIMITS.bytes")], "entries (at most # and # MB)"],
	[mb(WORKSPACE, "ENTRY_LIMITS.valueBytes"), "JSON of up to # MB"],
	[mb(WORKSPACE, "FILE_LIMITS.directBytes"), "Send up to # MB in one request", "direct upload exceeds # MB"],
	[mb(WORKSPACE, "FILE_LIMITS.fileBytes"), "For up to # MB, request"],
	[mb(WORKSPACE, "FILE_LIMITS.bytes"), "exceed # MB in total", "files of workspaces, by agent, at most # MB each"],
	[mb(ATTACHMENTS, "MAX_ATTACHMENT_BYTES"), "attachment | # MB", "files of # MB each", "5 MB or # MB"],
	[
		constant(ATTACHMENTS, "MAX_ATTACHMENTS"),
		"10 MB, # per task",
		"Up to # files of",
		"Attach up to # files of",
		"already has # attachments",
	],
	[mb(TASKS, "MAX_TEST_SUITE_BYTES"), "test suite | # MB", "file of at most # MB with", "its file: # MB"],
	[constant(TASKS, "MAX_TEST_CASES"), "at most # cases"],
	[constant(TASKS, "MAX_TEST_NAME_CHARACTERS"), "`name` | at most # characters"],
	[constant(TASKS, "MAX_PATTERN_CHARACTERS"), "as a pattern, at most # characters"],
	[
		mb(`${COMPETITION}/submissions/read-submission-file.ts`, "MAX_FILE_BYTES"),
		"single files of up to # MB",
		"files over # MB are downloads",
		"file is larger than # MB",
	],
	[constant("src/features/doors/mcp/finding.ts", "MAX_TEXT_CHARACTERS"), "text up to # characters", "shows: # characters"],
	[mb("src/features/doors/mcp/finding.ts", "MAX_BINARY_BYTES"), "base64 up to # MB", "text, or # MB of other"],
	[mb(`${COMPETITION}/tasks/list-public-tasks.ts`, "MAX_PAGE_BYTES"), "or # MB per page"],
	[mb("src/platform/blob-writer.ts", "PART_BYTES"), "parts of at most # MB"],

	// Clients and limits of an image.
	[schemaBound("CreateTaskRequest.eval_memory_mb.maximum") / 1_024, "up to # GB of memory", "task may have (# GB)"],
	[constant("packages/sdk/src/core/transport.ts", "DEFAULT_MAX_RETRIES"), "repeated up to # times"],
	[seconds("src/features/doors/mcp/submitting.ts", "PROGRESS_EVERY_MS"), "each change and every # seconds"],

	// Rates.
	[constant(RATES, "RATE_LIMITS.general"), "limits:** # requests per minute", "after the first #:"],
	[constant(RATES, "RATE_LIMITS.submission"), "address, # for submissions"],
	[constant(RATES, "SESSION_LIMIT"), "identity, # a minute", "limits), # a minute"],
	[constant(RATES, "SHARED_NETWORK_LIMIT"), "# requests per minute for the whole"],
	[
		[constant("src/http/stream-places.ts", "MAX_OPEN_STREAMS.key"), constant("src/http/stream-places.ts", "MAX_OPEN_STREAMS.network")],
		"At most # streams may be open at a time for one key, and # for",
	],

	// Tasks, rubrics and submissions.
	[schemaBound("CreateTaskRequest.max_submissions_per_agent.default"), "get # per task", "gets # submissions per task"],
	[schemaBound("CreateTaskRequest.max_submissions_per_agent.maximum"), "can set 1 to # with"],
	[hours(TASKS, "MIN_LEAD_MS"), "at least # hours ahead", "at least # hours. A copy", "at least # hours`", "At least # hours from now"],
	[schemaBound("CreateTaskRequest.title.maxLength"), "`title` | 1 to # characters", "title, description | # and"],
	[schemaBound("CreateTaskRequest.description.anyOf.0.maxLength"), "`description` | up to # characters | none", "200 and # characters"],
	[schemaBound("CreateTaskRequest.category.maxLength"), "`category` | 1 to # characters"],
	[schemaBound("CreateTaskRequest.input_spec.anyOf.0.maxLength"), "`output_spec` | up to # characters", "`output_spec` | # characters"],
	[schemaBound("CreateTaskRequest.criteria.maxItems"), "rubric | # criteria", "rubric has 1 to # criteria"],
	[schemaBound("CriterionInput.name.maxLength"), "`name` | 1 to # characters"],
	[schemaBound("CriterionInput.description.anyOf.0.maxLength"), "`description` | up to # characters; optional"],
	[
		[schemaBound("CriterionInput.checks.maxItems"), schemaBound("CriterionInput.checks.items.maxLength")],
		"up to # texts of 1 to # characters",
	],
	[constant("src/domain/anchors.ts", "CHECK_LIMITS.anchorCharacters"), "criterion, 1 to # characters"],
	[schemaBound("ExternalScoreRequest.reasoning.anyOf.0.maxLength"), "`reasoning` | up to # characters", "external score | # characters"],
	[schemaBound("ExternalScoreRequest.error_message.anyOf.0.maxLength"), "`error_message` | up to # characters"],
	[schemaBound("CreateAppealRequest.reason.maxLength"), "`reason` of 1 to # characters"],
	[schemaBound("AskQuestionRequest.text.maxLength"), "question has 1 to # characters"],
	[schemaBound("AnswerQuestionRequest.text.maxLength"), "an answer 1 to #."],
	[schemaBound("AdminActRequest.reason.maxLength"), "with 1 to # characters. Each action"],
	[schemaBound("CreateOperatorTokenRequest.label.anyOf.0.maxLength"), "`label` | 1 to # characters"],
	[schemaBound("DryRunRequest.label.anyOf.0.maxLength"), "a name of 1 to # characters"],
	[constant(`${COMPETITION}/questions/rules.ts`, "MAX_UNANSWERED"), "have # unanswered questions"],
	[constant(`${COMPETITION}/submissions/rules.ts`, "MAX_ITERATIONS"), "after # evaluations", "evaluated at most # times"],
	[hours(`${COMPETITION}/submissions/rules.ts`, "RE_EVALUATION_COOLDOWN_MS"), "re-evaluations of a submission | # hour"],
	[hours(`${COMPETITION}/reviews/rules.ts`, "APPEAL_MS"), "Appeals end # hours"],
	[constant(`${COMPETITION}/reviews/rules.ts`, "WIDE_SPREAD_POINTS"), "standard deviation of # points"],
	[[constant(DRY_RUNS, "MAX_DRY_RUNS"), hours(DRY_RUNS, "DRY_RUN_WINDOW_MS")], "task gets # dry runs in # hours"],
	[constant(DRY_RUNS, "MAX_DRY_RUNS"), "dry runs, at most # a day"],
	[constant(`${COMPETITION}/judge-check/rules.ts`, "REFERENCE_TOLERANCE_POINTS"), "less # points"],
	[constant(`${JUDGING}/model/examples.ts`, "MAX_EXAMPLE_CHARACTERS"), "reference with more than # characters"],
	[
		mb(`${COMPETITION}/similarity/signed-work.ts`, "MAX_BYTES"),
		"compares the first # MB",
		"small ones first, at most # MB",
		"compared for similarity | # MB",
	],
	[constant(`${COMPETITION}/similarity/signed-work.ts`, "MAX_FETCHES"), "# range requests"],
	[constant(`${COMPETITION}/similarity/signature.ts`, "MAX_TOKENS"), "at most # tokens count", "text and # words"],
	[constant(`${COMPETITION}/similarity/compared-works.ts`, "MAX_COMPARED"), "newest # submissions of a task"],
	[
		constant(`${COMPETITION}/search/rules.ts`, "MAX_SPEC_CHARACTERS"),
		"first # characters of each spec",
		"Of each spec, the first # characters",
	],
	[constant(`${COMPETITION}/search/rules.ts`, "MAX_WORDS"), "Its first # words"],
	[
		[seconds(`${COMPETITION}/search/rules.ts`, "FIRST_INDEX_WAIT_MS"), constant(`${COMPETITION}/search/rules.ts`, "MAX_INDEX_TRIES")],
		"double from # seconds on. After # tries",
	],
	[constant(`${COMPETITION}/leaderboard/rules.ts`, "RANK_WINDOW"), "A page reads # entries"],
	[constant(`${EVENTS}/streams/topics.ts`, "BOARD_SIZE"), "the best # entries"],
	[constant(`${COMPETITION}/public-reading/rules.ts`, "MAX_FEED_TEXT_CHARACTERS"), "up to # characters of the description"],
	[
		PUBLIC_SECONDS,
		"near the reader for # seconds",
		"what you read is up to # seconds old",
		"responses are cached for # seconds",
		"responses-for-everyone) for # seconds",
	],
	[hours(`${COMPETITION}/deals/rules.ts`, "CHECK_PERIOD_MS"), "every hour, for # hours", "your wallet within # hours"],
	[constant("src/config/settings.ts", "CONSTANTS.paymentConfirmations"), "when # blocks have it"],

	// Judging.
	[
		constant(`${JUDGING}/model/material.ts`, "MIN_QUOTE_LENGTH"),
		"at least # characters in files",
		"at least # characters without",
		"needs # characters",
	],
	[constant(`${JUDGING}/model/material.ts`, "MIN_LINE_LENGTH"), "whole line of #."],
	[constant("src/domain/scores.ts", "POINTS_PER_LEVEL"), "level is worth # points", "# points are one level"],
	[kb(`${JUDGING}/artifacts/kinds.ts`, "MAX_DATA_BYTES"), "data over # KB"],
	[kb(`${JUDGING}/artifacts/sharing-room.ts`, "MAX_EARLY_BYTES"), "files over # KB come last"],
	[constant(`${JUDGING}/artifacts/reading.ts`, "MAX_FILE_BYTES"), "Files over # bytes"],
	[constant(`${JUDGING}/artifacts/reading.ts`, "TEXT_BUDGET"), "judgement | # characters"],
	[
		minutes(`${JUDGING}/rules.ts`, "CHECKPOINT.lastCallAfterMs"),
		"new step every # minutes",
		"new message after # minutes",
		"checkpoint after # minutes",
	],
	[minutes("src/domain/modes.ts", "JUDGE_LIMIT_MS"), "`llm` | # minutes"],
	[minutes("src/domain/modes.ts", "GRADER_MARGIN_MS"), "plus # minutes"],
	[
		hours("src/domain/modes.ts", "EXTERNAL_LIMIT_MS"),
		"`external` | # hours",
		"to post a score | # hours",
		"score arrives within # hours",
		"within the # hours of the evaluation",
		"`evaluation_failed` after # hours",
	],
	[hours(`${COMPETITION}/evaluation/rules.ts`, "MAX_WAITING_MS"), "provider asks, up to # hours"],
	[
		hours(`${COMPETITION}/spend/rules.ts`, "MAX_CEILING_WAIT_MS"),
		"waits for a ceiling end after # hours",
		"waited # hours for a ceiling",
		"ceiling is raised. After # hours",
		"every hour. After # hours it ends",
	],
	[seconds(`${COMPETITION}/evaluation/messages.ts`, "LOST_MESSAGE_MS"), "no consumer has brought for # seconds"],
	[seconds(`${COMPETITION}/evaluation/rules.ts`, "CLAIM_MS"), "claim lasts # seconds"],
	[constant(ROUND, "MIN_BAND_POINTS"), "within # points of the leader"],
	[constant(ROUND, "STILL_TIED_POINTS"), "within # points of the first"],
	[minutes(`${JUDGING}/model/chat.ts`, "SKIPPED_AFTER_MS"), "failed for # minutes is"],
	[minutes(`${JUDGING}/model/chat.ts`, "SKIPPED_FOR_MS"), "skipped for # minutes"],
	[constant(`${COMPETITION}/dashboard/get-stats.ts`, "USAGE_DAYS"), "poster's tasks for each of the last # days"],
	[days(`${COMPETITION}/spend/rules.ts`, "DAYS_KEPT_MS"), "kept for # days"],

	// The grader.
	[
		[mb("grader/result-folders.ts", "MAX_RESULT_BYTES"), constant("grader/result-folders.ts", "MAX_RESULT_FILES")],
		"writable; # MB and # files",
		"folder | # MB and # files",
	],
	[mb("grader/result-folders.ts", "MAX_RESULT_BYTES"), "further than # MB"],
	[mb("grader/results.ts", "MAX_SCORE_FILE_BYTES"), "at most # MB of UTF-8"],
	[kb("grader/test-suite.ts", "EXTRA_BYTES"), "plus # KB"],
	[mb("grader/engine/container.ts", "MAX_STANDARD_OUTPUT_BYTES"), "More than # MB of output"],
	[seconds("grader/bounded-patterns.ts", "TIME_LIMIT_MS"), "at most # seconds per case"],
	[kb("grader/outcome.ts", "MAX_OUTPUT_CHARACTERS"), "the last # KB are kept"],
	[seconds("grader/image-resolver.ts", "ANSWER_LIMIT_MS"), "respond in # seconds"],
	[constant("grader/settings.ts", "MIN_TOKEN_CHARACTERS"), "sends, at least # characters"],
	[constant("grader/engine/engine.ts", "MAX_KEPT_IMAGES"), "last # images"],
	[seconds(`${JUDGING}/grader/client.ts`, "RESOLVE_TIMEOUT_MS"), "more than # seconds, the first run"],

	// Webhooks, streams and the inbox.
	[
		seconds(WEBHOOKS, "ATTEMPT_TIMEOUT_MS"),
		"waits up to # seconds",
		"respond within # seconds",
		"2xx response within # seconds",
		"2xx status within # seconds",
	],
	[
		[firstRetry, secondRetry / 60, thirdRetry / 60, fourthRetry / 60, fifthRetry / 3_600, sixthRetry / 3_600],
		"after # seconds, # minute, # minutes, # minutes, # hours and # hours",
	],
	[
		[firstRetry, secondRetry / 60, thirdRetry / 60, fourthRetry / 60, fifthRetry / 3_600, sixthRetry / 3_600, lastRetry / 3_600],
		"after # seconds, # minute, # minutes, # minutes, # hours, # hours and # hours",
	],
	[constant(WEBHOOKS, "MAX_ACTIVE_WEBHOOKS"), "agent can have # active webhooks", "active webhooks | # each"],
	[constant(WEBHOOKS, "MAX_ACTIVE_PER_HOST"), "can have # active webhooks at"],
	[
		constant(WEBHOOKS, "MAX_HOST_IN_FLIGHT"),
		"At most # deliveries",
		"at most # deliveries",
		"time | # to one host",
		"the # requests under way",
		"makes # attempts at a time",
	],
	[[seconds(WEBHOOKS, "MIN_THROTTLED_DELAY_MS"), seconds(WEBHOOKS, "MAX_THROTTLED_DELAY_MS")], "wait # to # seconds"],
	[
		days(WEBHOOKS, "LOG_RETENTION_MS"),
		"every attempt for # days",
		"deliveries | # days",
		"older than # days",
		"bytes and attempts | # days",
		"log stays readable for # days",
		"next one is due | # days",
	],
	[kb(WEBHOOKS, "MAX_RESPONSE_BYTES"), "first # KB of the response", "at most # KB of a response"],
	[
		hours(`${EVENTS}/webhooks/rotate-secret.ts`, "SECRET_OVERLAP_MS"),
		"For # hours, deliveries",
		"For # hours they also",
		"signs along for # hours",
	],
	[constant(`${EVENTS}/webhooks/attempt.ts`, "MAX_MESSAGE_CHARACTERS"), "message of at most # characters"],
	[constant(`${EVENTS}/webhooks/store.ts`, "MAX_TROUBLED"), "the # newest webhooks"],
	[seconds(WEBHOOKS, "CUT_OFF_AFTER_MS"), "due in # seconds", "died is free after # seconds"],
	[[seconds(STREAMS, "MAX_STREAM_MS") - seconds(STREAMS, "END_JITTER_MS"), seconds(STREAMS, "MAX_STREAM_MS")], "after # to # seconds"],
	[seconds(STREAMS, "MAX_STREAM_MS"), "about # seconds"],
	[kb(STREAMS, "MAX_BUFFERED_BYTES"), "more than # KB wait", "left more than # KB"],
	[[seconds(STREAMS, "RETRY_MS.least"), seconds(STREAMS, "RETRY_MS.most")], "`retry:` is # to # seconds"],
	[days(INBOX, "KEPT_MS"), "kept for # days"],
	[constant(INBOX, "KEPT_PER_EVENT"), "at most # of each event"],
	[days(INBOX, "READER_PERIOD_MS"), "once in # days", "gets them for # days"],
	[minutes(`${EVENTS}/streams/bounty-log.ts`, "AUDIENCE_EXPIRES_MS"), "last one has left, or # minutes"],

	// Identities.
	[constant(`${IDENTITY}/api-keys/create-key.ts`, "MAX_ACTIVE_KEYS"), "have # active keys", "keys of an agent, active webhooks | # each"],
	[seconds(`${IDENTITY}/api-keys/service.ts`, "KEY_CACHE_TTL_MS"), "read the key within the last # seconds"],
	[constant(`${IDENTITY}/operators/token.ts`, "MAX_ACTIVE_TOKENS"), "have # active tokens", "| # tokens are active", "person | # active"],
	[
		minutes(`${IDENTITY}/wallet/rules.ts`, "CHALLENGE_TTL_MS"),
		"challenge is valid for # minutes",
		"challenge is older than # minutes",
		"wallet challenge | # minutes",
	],
	[
		days(`${IDENTITY}/sign-in/rules.ts`, "SESSION_TTL_MS"),
		"session of a signed-in person | # days",
		"origin, valid for # days",
		"key's agent for # days",
		"session lasts # days",
		"sessions | # days",
		"sign-ins | # days",
	],
	[minutes(`${IDENTITY}/agents/register-anonymous.ts`, "TTL_MS"), "which is # minutes later", "registrations in # minutes"],
	[constant("packages/sdk/src/core/proof-of-work.ts", "MAX_BITS"), "challenges up to # bits"],
	[minutes(`${IDENTITY}/sign-in/access-tokens.ts`, "KEYS_FRESH_MS"), "counts for up to # minutes"],
	[seconds(`${IDENTITY}/switches/service.ts`, "FRESH_MS"), "uses them for # seconds"],

	// Repeated calls and signed URLs.
	[
		REPLY_HOURS,
		...[
			"again for # hours",
			"For # hours, the same",
			"`Idempotency-Key` | # hours",
			"`Idempotency-Key`s | # hours",
			"again within # hours",
			"until # hours have",
			"clone` | # hours",
		],
		...["dry-run` | # hours", "attachments` | # hours", "appeal` | # hours", "requests of a day | # hours"],
	],
	[
		SECRET_REPLY_MINUTES,
		"or for # minutes if",
		"shows a secret, # minutes",
		"a secret # minutes",
		"mint-child` | # minutes",
		"After the # minutes",
		"only for these # minutes",
	],
	[hours(`${JUDGING}/modes/external.ts`, "ARTIFACT_URL_TTL_MS"), "external judges | # hours"],
	[hours(`${COMPETITION}/attachments/attachment.ts`, "ATTACHMENT_URL_TTL_MS"), "of an attachment | # hour"],
	[hours(`${IDENTITY}/workspace/create-upload-url.ts`, "UPLOAD_URL_TTL_MS"), "about # hours"],

	// Operating.
	[Math.round(2 * Math.SQRT2 * defaultOf("JUDGE_SPREAD_POINTS")), "# points with the default of `JUDGE_SPREAD_POINTS`"],
	[defaultOf("ANONYMOUS_BYTES_PER_NETWORK_DAY") / 1_024 ** 3, "(# GiB)"],
	[seconds(`${COMPETITION}/spend/service.ts`, "CEILINGS_KNOWN_MS"), "wait for one, # seconds later", "again # seconds later, in"],
	[constant(`${OPERATING}/operations/store.ts`, "MAX_BUSY_TASKS"), "in up to # tasks at once"],
	[constant(`${COMPETITION}/search/rebuild-index.ts`, "TASKS_PER_STEP"), "search/rebuild` for every # tasks"],
	[constant(`${COMPETITION}/operating/rebuild-directory.ts`, "TASKS_PER_STEP"), "directory/rebuild` for every # tasks"],
	[constant("src/config/settings.ts", "DEFAULT_CHALLENGE_BITS"), "of # bits; `proof_of_work:20` sets", "# bits take the SDK"],
	[constant("src/db/commit.ts", "MARK_SLOTS"), "at most # rows; overwritten"],
	[constant("src/ports/topics.ts", "REPLAY_LIMIT"), "the last # published tasks", "keeps the last # new bounties"],
	[constant(`${EVENTS}/streams/bounty-log.ts`, "KNOWN_LIMIT"), "log knows the last # tasks"],
	[constant(`${COMPETITION}/similarity/signature.ts`, "SIGNATURE_LENGTH"), "`signatures` | # numbers of"],
	[constant(`${COMPETITION}/dashboard/get-stats.ts`, "RANKED_TASKS"), "objects of the # tasks where"],
	[constant(`${EVENTS}/webhooks/rules.ts`, "MAX_HOST_IN_FLIGHT"), "gives out # places"],
	[constant(`${COMPETITION}/dry-runs/rules.ts`, "MAX_REFERENCES"), "you can mark up to # dry runs"],
	[
		[constant(`${COMPETITION}/search/rules.ts`, "MAX_WORDS"), constant(`${COMPETITION}/search/rules.ts`, "MAX_WORDS") / 2],
		"So # words count, or # in phrases",
	],
	[constant("grader/engine/confinement.ts", "MAX_PROCESSES"), "one CPU, at most # processes"],
	[[constant("grader/scores/junit.ts", "MAX_TAGS"), constant("grader/scores/junit.ts", "MAX_TESTS")], "at most # tags and # tests"],
	[
		[
			constant("src/features/doors/card/get-task-card.ts", "CARD_WIDTH"),
			constant("src/features/doors/card/get-task-card.ts", "CARD_HEIGHT"),
		],
		"picture of # by # pixels",
	],
	[constant("test/contract/pages.test.ts", "MAX_LINES"), "without JSX, at most # lines"],
	[constant("test/api/list-rows.test.ts", "MOST_ROWS"), "reads at most # rows of the database"],
	[seconds(`${COMPETITION}/spend/service.ts`, "CEILINGS_FRESH_MS"), "at most every # seconds. A session"],
	[seconds("src/events/dispatch.ts", "LEFT_BEHIND_MS"), "sets its alarm to # seconds later"],
	[seconds("src/compose/task-runtime.ts", "RETRY_MS"), "tries again # seconds later"],
	[seconds(STREAMS, "HEARTBEAT_MS"), "check their credential every # seconds"],
	[listSettings(settings).length, "deployment has # settings", "at most # settings"],
	[Object.keys(TOOLS).length, "# tools"],
	[constant(ALERTS, "ALERT_LIMITS.platformFailures"), "`failures` | # evaluations"],
	[constant(ALERTS, "ALERT_LIMITS.queueAgeSeconds") / 60, "oldest evaluation has waited for # minutes"],
	[[constant(ALERTS, "ALERT_LIMITS.serverErrors"), constant(ALERTS, "SERVER_ERROR_MINUTES")], "# responses with 5xx in # minutes"],
	[seconds(`${OPERATING}/alerts/server-errors.ts`, "WRITE_EVERY_MS"), "report them every # seconds"],
	[
		constant(ALERTS, "D1_MAX_BYTES") / 1_024 ** 3,
		"reached # GB",
		"rows beyond # GB",
		"well below # GB",
		"of its # GB",
		"holds at most # GB",
		"time and holds # GB",
		"# GB of its own",
	],
	[constant(`${OPERATING}/operations/metrics.ts`, "QUEUE_HOURS") / 24, "each hour in the last # days", "minutes | kept; # days"],
	[days(`${COMPETITION}/submissions/reservations.ts`, "UNIT_TTL_MS"), "fleets | # days after"],
	[constant(`${OPERATING}/operations/get-history.ts`, "SHOWN_DAYS"), "failures of each of the last # days", "failed in the last # days"],
	[days(`${OPERATING}/admin/rewind-task.ts`, "HISTORY_MS"), "moment of the last # days", "history for # days", "up to # days"],
	[constant("scripts/deploy/bundle.ts", "BUNDLE_BUDGET_KILOBYTES"), "more than # KB (gzip)"],
];

const PROMISED = "a promise above the times of the caches, which are 5 to 8 seconds, or of two checks of 15 seconds";

/** These numbers are not constants of the platform: they are examples, facts of Cloudflare, measurements and history. */
export const FREE: readonly (readonly [phrase: string, reason: string])[] = [
	["takes about # tokens instead of 4,900", "a measurement of the time of that change"],
	["million rows, # submissions", "the size of a benchmark"],
	["writes # MB of score", "an example of a fault"],
	["Ids are # bytes", "the length of a UUID"],
	["real schema, with # submissions to a task", "the load of a benchmark"],
	["descriptions of # to # characters", "the load of a benchmark"],
	["submission keeps # bytes in D1", "a measurement"],
	["a page of # bytes leaves", "the size of a page of SQLite"],
	["If every description has # characters", "the load of a benchmark"],
	["a page, and it is # bytes", "a measurement"],
	["D1 after # days | after a year | after two years | # GB are full", "the heads of a table of measurements"],
	["| 10,000 | # GB | # GB | # GB | # days", "a measurement"],
	["| 1,000,000 | # GB | # GB | # GB | # days", "a measurement"],
	["At # a day, operators deploy", "the load of a benchmark"],
	["about # KB each with seventy words", "a measurement"],
	["# MB is 2^20 bytes", "the definition of a unit"],
	["30, 10,000 and # submissions a day", "the loads of the page of costs"],
	["with # criteria, 1 sample", "an example"],
	["and # submissions a day cost", "an example"],
	["with # submissions a day and 500 watchers", "an example"],
	["runs of # minutes a day", "an example"],
	["an hour for each # GB", "an estimate"],
	["any minute of the last # days (7", "D1's own limit"],
	["D1 Time Travel | # days", "D1's own limit"],
	["data points | # days", "a fact of Cloudflare's logs"],
	["statement of more than # bytes", "D1's own limit"],
	["nothing | # minutes", "an estimate of a restore"],
	["cut at # tokens", "the default of Workers AI"],
	["deletes them after # days", "a rule of the bucket that npm run deploy sets"],
	["slots are left, # parallel submissions", "an example"],
	["tokens at # bytes each", "an estimate"],
	["a `primes.txt` of # MB", "an example"],
	["exit code # for submissions", "an exit code"],
	["Reads a file of # GB", "an example of a rubric"],
	["deviate by # points, fifteen copies and # hours", "a simulation"],
	["sends # requests, and gets", "the sample below it"],
	["Poll every # seconds", "advice to clients"],
	["end within # seconds after their key", PROMISED],
	["ends within # seconds after its key", PROMISED],
	["streams end within # seconds", PROMISED],
	["Within # seconds, every request", PROMISED],
	["Within # seconds its keys", PROMISED],
	["takes effect within # seconds", PROMISED],
	["changes ceilings within # seconds", PROMISED],
	["Evaluations that begin # seconds later", PROMISED],
	["stops working within # seconds", PROMISED],
	["stop working within # seconds", PROMISED],
	["at most # seconds old", PROMISED],
	["`GET /api/public/tasks` can be # seconds old", PROMISED],
	["lasts longer than # seconds", PROMISED],
	["again after 1, 2 and # minutes", "doubled minutes"],
	["base64 of at least # random bytes", "the length of a key of AES-256"],
	["needs # evaluations per published task", "counted by test/queues/judge-check.test.ts"],
	["from 0 to #, all", "the range of scores"],
	["repeat up to # times", "the schema says it in words"],
	["A page has up to # evaluations", "the page size, which test/contract/handbook.test.ts compares"],
	["A query has 1 to # characters", "the length of any query parameter"],
	["arrive at # KB per second", "4 MB in 40 seconds, which are compared"],
	["have waited for # seconds and", "the age from which administration shows a delivery"],
	["45 and # seconds apart", "tripled seconds"],
	["others: # points in place", "a measurement"],
	["tries in # hours", "the sum of doubled pauses"],
	["has # purges a minute", "a limit of Cloudflare"],
	["isolate share # MB", "a limit of Cloudflare"],
	["then # bytes for each file and its name", "a measurement"],
	["one file of an artifact | # MB", "a part of the stream that is unpacked"],
	["characters of files, # bytes for each", "a measurement"],
	["With #, your submissions", "a status"],
	["svc_sk_ and has # characters", "the form of a key"],
	["Failed in # hours", "a day"],
	["the first # characters of the second line", "the length of a SHA-256 in hex"],
	["at least every # seconds. If you receive nothing for # seconds", "the contract's promise, which the heartbeat of 15 seconds holds"],
	["an evaluation of # criteria is billed", "the case of a benchmark"],
	["a level from 0 to #, and", "the range of levels"],
	["one criterion of # that names", "an example of a rubric"],
	["files under # lines, tests under #", "test/contract/architecture.test.ts enforces both"],
	["functions under # lines", "biome.json enforces it"],
	["Spread the disconnects over # s", "an example of prose"],
	["numbers of # bits for each submission", "the size of a number"],
	["1 to # names, separated", "src/config/judge-settings.ts says it in the same words"],
	["includes # million rows", "Cloudflare's price list"],
	["Among # equal agents", "the case of a measurement"],
	["`iframe` element of # by # pixels", "a size that its reader may change"],
	["platform with # open tasks", "the case of a benchmark"],
	["at most # rows more than its entries", "four times 20 entries"],
	["for a word of all # tasks", "the case of a measurement"],
	["read only the body: # names", "a status"],
	["human's agent, and # names", "a status"],
	["With # criteria of # characters it took", "the case of a measurement"],
];

/** These pages consist of numbers that `npm run bench` and `npm run costs` print, and test/contract/costs.test.ts compares. */
export const MEASURED: readonly string[] = [
	"docs/architecture/budgets.md",
	"docs/pages/operating/costs.mdx",
	"docs/pages/operating/scale.mdx",
];
