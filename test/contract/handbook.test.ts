// The handbook agrees with the platform's tables, and every next action of an error exists.

import { describe, expect, it } from "vitest";
import { writeHandbook } from "../../scripts/handbook/handbook.ts";
import { endpoints, findEndpoint, operations } from "../../src/compose/endpoints.ts";
import { NEXT_ACTIONS, nextActionsOf } from "../../src/compose/next-actions.ts";
import { DEAL_TRANSITIONS } from "../../src/domain/deal-status.ts";
import { ERRORS, errorEntryOf, wireCodeOf } from "../../src/domain/errors.ts";
import { WEBHOOK_EVENTS } from "../../src/domain/events.ts";
import { SUBMISSION_TRANSITIONS } from "../../src/domain/submission-status.ts";
import { TASK_TRANSITIONS } from "../../src/domain/task-status.ts";
import { type EndpointContract, errorCodesOf } from "../../src/http/endpoint.ts";

const handbook = writeHandbook();
const contracts: readonly EndpointContract[] = endpoints;
const isError = (code: string): code is keyof typeof ERRORS => code in ERRORS;
const codes = Object.keys(ERRORS).filter(isError);

describe("the handbook", () => {
	it("has the form that its contract announces, with version 1.1 and no more fields", () => {
		expect(operations.getHandbook.response.schema.parse(handbook)).toEqual(handbook);
		expect(handbook.version).toBe("1.1");
	});

	it("has every enumeration", () => {
		expect(handbook.enumerations).toMatchObject({
			api_key_tier: ["verified", "operator_child", "staked", "anonymous", "dev"],
			payout_method: ["onchain_usdc", "coinbase_commerce", "stripe_crypto", "stripe_usd"],
			payout_chain: ["base", "optimism", "arbitrum", "mainnet"],
			role: ["agent_builder", "company", null],
			auth_method: ["session", "api_key"],
			eval_mode: ["llm", "container", "hybrid", "external"],
			task_status: ["draft", "open", "evaluating", "closed"],
			submission_status: ["registered", "running", "completed", "failed", "evaluation_failed"],
			deal_status: ["recorded", "accepted", "declined", "paid", "received", "disputed"],
		});
	});

	it("has every transition of the tables, and no others", () => {
		const pairs = (transitions: readonly { from: readonly string[]; to: string }[]) =>
			transitions.map(({ from, to }) => ({ from: [...from], to }));
		expect(pairs(handbook.states.task.transitions)).toEqual(pairs(Object.values(TASK_TRANSITIONS)));
		expect(pairs(handbook.states.submission.transitions)).toEqual(pairs(Object.values(SUBMISSION_TRANSITIONS)));
		expect(pairs(handbook.states.deal.transitions)).toEqual(pairs(Object.values(DEAL_TRANSITIONS)));
		for (const { states, initial, terminal, transitions } of Object.values(handbook.states)) {
			expect(states).toEqual(expect.arrayContaining([initial, ...terminal]));
			expect(new Set([initial, ...transitions.map(({ to }) => to)])).toEqual(new Set(states));
		}
	});

	it("has every transition", () => {
		const lines = (transitions: readonly { from: readonly string[]; to: string }[]) =>
			transitions.flatMap(({ from, to }) => (from.length === 0 ? [`- > ${to}`] : from.map((status) => `${status} > ${to}`)));
		expect(lines(handbook.states.task.transitions).toSorted()).toEqual(
			[
				"- > draft",
				"draft > open",
				"open > closed",
				"evaluating > closed",
				"open > closed",
				"open > evaluating",
				"evaluating > closed",
			].toSorted(),
		);
		const outside = ["registered > completed", "running > completed", "registered > evaluation_failed", "running > evaluation_failed"];
		expect(lines(handbook.states.submission.transitions).toSorted()).toEqual(
			[
				...["- > registered", "- > running", "registered > running", "registered > failed"],
				...["running > completed", "running > evaluation_failed", ...outside],
				...["completed > running", "failed > running", "evaluation_failed > running"],
			].toSorted(),
		);
		expect(lines(handbook.states.deal.transitions).toSorted()).toEqual(
			[
				...["- > recorded", "recorded > accepted", "recorded > paid", "accepted > paid", "paid > received"],
				...["recorded > declined", "recorded > disputed", "accepted > disputed", "paid > disputed"],
			].toSorted(),
		);
	});

	it("has every limit", () => {
		expect(handbook.limits).toMatchObject({
			rate: {
				window_seconds: 60,
				submission: { requests: 10, operations: ["checkSubmission", "quickSubmit", "startDryRun"] },
				mutation: {
					requests: 10,
					operations: expect.arrayContaining([
						"cloneTask",
						"closeTask",
						"compileRubric",
						"createDeal",
						"createTask",
						"joinTask",
						"publishTask",
					]),
				},
				general: { requests: 60 },
				unlimited: { operations: expect.arrayContaining(["registerAnonymous", "putArtifact"]) },
			},
			submissions_per_task_and_agent: { default: 15, min: 1, max: 25 },
			re_evaluation: { cooldown_seconds: 3600 },
			idempotency_key: { remembered_seconds: 86_400 },
			quick_submit: { max_files: 2000, max_bytes: 5 * 2 ** 20, max_path_bytes: 512 },
			artifact: { max_bytes: 100 * 2 ** 20, required_file: "SUBMISSION.md" },
			attachments: { max_bytes: 10 * 2 ** 20, per_task: 10, types: [".csv", ".json", ".png", ".jpg", ".jpeg", ".webp", ".pdf", ".txt"] },
			test_suite: { max_bytes: 5 * 2 ** 20 },
			workspace: {
				entries: { max_count: 10_000, max_bytes: 10 * 2 ** 20, max_value_bytes: 2 ** 20 },
				files: { max_count: 1000, max_bytes: 100 * 2 ** 20, max_file_bytes: 25 * 2 ** 20, max_direct_upload_bytes: 4 * 2 ** 20 },
			},
			signed_addresses: {
				artifact_upload_seconds_past_deadline: 3600,
				external_judge_artifact_seconds: 7200,
				attachment_download_seconds: 3600,
				workspace_upload_seconds: 7200,
			},
			wallet_challenge: { valid_seconds: 300 },
			operator_tokens: {
				max_active: 10,
				monthly_quota_submissions: { default: 1000, min: 1, max: 100_000 },
				child_quota_pct: { default: 100, min: 1, max: 100 },
			},
			webhooks: { attempt_timeout_seconds: 10, retry_delays_seconds: [30, 60, 300, 1800, 7200, 21_600, 86_400] },
			streams: { max_seconds: 270, replayed_events: 256 },
			deadline: { min_seconds_ahead: 86_400 },
			pagination: {
				listTasks: { default: 20, min: 1, max: 100 },
				searchTasks: { min: 1, max: 50 },
				searchDocs: { default: 10, min: 1, max: 50 },
			},
			fields: {
				"task.title": { min_characters: 1, max_characters: 200 },
				"task.description": { max_characters: 10_000 },
				"task.budget_cents": { min: 10_000 },
				"agent.display_name": { min_characters: 1, max_characters: 60 },
				"agent.user_agent_hint": { max_characters: 500 },
				"submission.agent_display_name": { max_characters: 100 },
				"operator_token.label": { min_characters: 1, max_characters: 100 },
				"external_score.reasoning": { max_characters: 50_000 },
			},
		});
	});

	it("has every error with its status, and what to do", () => {
		expect(handbook.errors.map(({ code, status }) => `${status} ${code}`)).toEqual(
			codes.map((code) => `${errorEntryOf(code).status} ${wireCodeOf(code)}`),
		);
		expect(handbook.errors.filter(({ code }) => code === "QUOTA_EXHAUSTED").map(({ status }) => status)).toEqual([403, 429]);
		for (const { what_to_do } of handbook.errors) expect(what_to_do).toMatch(/\.$/);
	});

	it("has the events of webhooks with their fields, and those of streams", () => {
		const fieldsOf = Object.fromEntries(handbook.events.webhooks.map(({ event, fields }) => [event, fields]));
		expect(handbook.events.webhooks.map(({ event }) => event)).toEqual(WEBHOOK_EVENTS);
		for (const fields of Object.values(fieldsOf)) expect(fields).toEqual(expect.arrayContaining(["event", "id", "timestamp"]));
		expect(fieldsOf["submission.completed"]).toEqual(expect.arrayContaining(["submission_id", "task_id", "agent_id", "final_score"]));
		expect(fieldsOf["evaluation.completed"]).toEqual(expect.arrayContaining(["submission_id", "dimensions"]));
		expect(fieldsOf["task.matched"]).toEqual(expect.arrayContaining(["task_id", "category", "budget_cents"]));
		expect(fieldsOf["deal.created"]).toEqual(expect.arrayContaining(["deal_id", "task_id", "agent_id", "deal_value_cents"]));
		expect(fieldsOf["deal.updated"]).toEqual(expect.arrayContaining(["deal_id", "task_id", "agent_id", "status", "payment_verified"]));
		expect(handbook.events.streams).toHaveLength(6);
		for (const { events } of handbook.events.streams) expect(events).toContain("error");
	});

	it("has one line for each endpoint", () => {
		const line = (method: string, path: string) => `${method.toUpperCase()} ${path}`;
		expect(handbook.endpoints.map(({ method, path }) => line(method, path))).toEqual(
			contracts.map(({ method, path }) => line(method, path)),
		);
		expect(handbook.endpoints.every(({ summary }) => !summary.includes("\n"))).toBe(true);
	});

	it("has the path to a deal twice, also under its deprecated name", () => {
		expect(handbook.for_companies).toEqual(handbook.for_posters);
		expect(handbook.deprecated).toEqual([{ name: "for_companies", use_instead: "for_posters" }]);
		expect(handbook.for_posters.steps.map(({ operation_id }) => operation_id)).toEqual(
			expect.arrayContaining(["createTask", "replaceRubric", "publishTask", "closeTask", "createDeal"]),
		);
	});
});

describe("next actions", () => {
	const actions = codes.flatMap((code) => (NEXT_ACTIONS[code] ?? []).map((action) => ({ code, ...action })));
	/** The sample id fills in the path of a contract. */
	const SOME_ID = "01900000-0000-7000-8000-000000000000";
	/** These errors name their task, which is not in the path of the request. */
	const ABOUT_A_TASK: readonly string[] = ["TASK_NOT_CLOSED"];
	const pathOf = ({ path, greedyParam }: EndpointContract) =>
		path.replace(/\{(\w+)\}/g, (_, name: string) => (name === greedyParam ? "a/b" : SOME_ID));

	it("are each shown after an error of some endpoint", () => {
		expect(actions.length).toBeGreaterThan(20);
		const shown = ({ code, description, reason }: (typeof actions)[number]) =>
			contracts
				.filter((contract) => errorCodesOf(contract).includes(code))
				.some((contract) => {
					const path = ABOUT_A_TASK.includes(code) ? `/api/v1/tasks/${SOME_ID}` : pathOf(contract);
					return nextActionsOf(code, { baseUrl: "", path, reason }).some((action) => action.description === description);
				});
		expect(actions.filter((action) => !shown(action)).map(({ code, description }) => `${code}: ${description}`)).toEqual([]);
	});

	it("that repeat the request have the URL that was refused", () => {
		for (const [code, method] of [
			["RE_EVAL_COOLDOWN", "POST"],
			["EVAL_WRITE_FAILED", "POST"],
			["PRECONDITION_FAILED", "GET"],
		] as const) {
			const refusing = contracts.filter(({ errors }) => errors.some((error) => error === code));
			expect(refusing.length).toBeGreaterThan(0);
			for (const path of refusing.map(pathOf)) {
				// A rubric is read with its draft.
				const href = `https://x.test${path.replace(/\/rubric$/, "")}`;
				expect(nextActionsOf(code, { baseUrl: "https://x.test", path })[0]).toMatchObject({ method, href });
			}
		}
	});

	it("do nothing irreversible", () => {
		const calls = Object.values(NEXT_ACTIONS).flatMap((remedies) => remedies.map(({ call }) => call));
		expect(
			calls.filter((call) => findEndpoint(call)?.method === "delete" || ["closeTask", "publishTask", "extendTask"].includes(call)),
		).toEqual([]);
	});

	it("are absent if there is none, or if the request lacks what they need", () => {
		const at = { baseUrl: "https://x.test", path: "/api/v1/deals" };
		expect(nextActionsOf("TASK_NOT_CLOSED", at)).toEqual([]);
		expect(nextActionsOf("INTERNAL_ERROR", at)).toEqual([]);
		expect(nextActionsOf("DEAL_EXISTS", at)).toEqual([
			{ method: "GET", href: "https://x.test/api/v1/deals", description: expect.any(String) },
		]);
	});
});
