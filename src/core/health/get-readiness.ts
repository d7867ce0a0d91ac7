import * as z from "zod";
import journal from "../../../migrations/meta/_journal.json" with { type: "json" };
import { AppError } from "../../domain/errors.ts";
import { AT } from "../../domain/example-story.ts";
import { isAdminRequest } from "../../http/authenticate.ts";
import { endpoint } from "../../http/endpoint.ts";
import { timestamp } from "../../http/fields.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import { describeError } from "../../platform/log.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import type { SupplierState } from "../../ports/watch.ts";
import { suppliersOf } from "../judging/breaker/reports.ts";
import { findJudgeHealth } from "../judging/store.ts";
import { findGraderTest, findQueueAgeMs, findSchemaLevel } from "./store.ts";

const check = z.enum(["ok", "failed"]);

const judgeView = z
	.object({
		state: z
			.enum(["none", "offline", "untested", "ok", "failed"])
			.describe(
				"`none`: no judge is configured. `offline`: the judge does not use a model. `untested`: no evaluation has used a model yet. `failed`: the last evaluation had to wait for its model, or a model has not passed its probe.",
			),
		last_success_at: timestamp.nullable().describe("When a model last judged a submission. Null if none ever has."),
		last_fault: z
			.object({
				at: timestamp.describe("When an evaluation last had to wait for a model."),
				message: z.string().describe("The reason."),
				supplier_words: z
					.string()
					.nullable()
					.describe("The supplier's own message. Null if there was none, or if the request does not contain the deployment's admin token."),
			})
			.meta({ id: "JudgeFault", description: "Why an evaluation had to wait for a model." })
			.nullable()
			.describe("The last time that an evaluation had to wait for a model. Null if none had to wait."),
		suppliers: z
			.array(
				z.object({
					name: z.string().describe("The supplier's name in the settings. `default` if `JUDGE_BASE_URL` is a single server."),
					open_since: timestamp
						.nullable()
						.describe(
							"When the platform stopped using the supplier because it failed too often. One evaluation a minute tests whether it works again. Null while it is in use.",
						),
				}),
			)
			.describe("The suppliers of the judge's models. While a supplier is not in use, its jobs wait, or another model judges them."),
	})
	.meta({ id: "JudgeState", description: "Whether the judge's models work." });

const readinessView = z
	.object({
		status: z.literal("ready").describe("Always `ready`. Otherwise the response is 503."),
		checks: z
			.object({
				d1: check.describe("Whether the database responds."),
				d1_reads: z
					.enum(["primary", "replica"])
					.describe(
						"Which instance of the database served this request. `replica` shows that read replicas are on; callers near the primary still see `primary`. Does not affect `status`.",
					),
				r2: check.describe("Whether the bucket responds."),
				objects: check.describe("Whether Durable Objects respond."),
				queue: check.describe(
					"Whether evaluations start in time. Does not count those that wait because judging is paused or because their task already has its maximum number of evaluations running.",
				),
				migrations: check.describe("Whether the database has every migration of this version."),
				grader: z
					.enum(["none", "untested", "ok", "failed"])
					.describe("The result of the last test of the grader. Does not affect `status`."),
			})
			.describe("What was checked."),
		judge: judgeView.describe("Whether the judge's models work. Does not affect `status`."),
		settings: z
			.array(
				z
					.object({
						name: z.string().describe("The name of the setting's variable."),
						problem: z.string().describe("What is wrong with its value."),
					})
					.meta({ id: "InvalidSetting", description: "A setting that is ignored because its value is invalid." }),
			)
			.describe("Settings of this deployment that are invalid. They do not affect `status`."),
	})
	.meta({ id: "Readiness", description: "Whether the service can do its work." });

export const getReadiness = endpoint({
	method: "get",
	path: "/ready",
	operationId: "getReadiness",
	summary: "Check whether the service can do its work",
	description:
		"Checks the database, the bucket, the Durable Objects, the queue and the migrations. Use `?for=uptime` for a monitor that pages someone: only the database, the bucket and the Durable Objects count. `/health` checks nothing and is cheap.",
	tags: ["Documentation"],
	auth: "none",
	rate: "general",
	query: z.object({
		for: z
			.enum(["uptime"])
			// `for` is a keyword of Kotlin, so the type needs a name of its own.
			.meta({ id: "ReadinessPurpose", description: "`uptime`: for a monitor that pages someone." })
			.optional()
			.describe("With `uptime`, the service is ready if `d1`, `r2` and `objects` are `ok`. The other checks are shown but do not count."),
	}),
	response: { status: 200, description: "The service is ready.", schema: readinessView },
	errors: ["NOT_READY"],
	page: "operating/administration",
	examples: {
		query: { for: "uptime" },
		responses: {
			ready: {
				value: {
					status: "ready",
					checks: { d1: "ok", d1_reads: "primary", r2: "ok", objects: "ok", queue: "ok", migrations: "ok", grader: "none" },
					judge: { state: "ok", last_success_at: AT.evaluated, last_fault: null, suppliers: [{ name: "openai", open_since: null }] },
					settings: [],
				},
			},
		},
	},

	async handle(ctx, { request, query: { for: purpose } }) {
		const isOperator = await isAdminRequest(ctx.config, request);
		const [migration, r2, objects, queue, grader, judge] = await Promise.all([
			attempt(ctx, "migrations", () => findSchemaLevel(ctx.db)),
			attempt(ctx, "r2", () => ctx.bucket.head(PROBE_KEY)),
			attempt(ctx, "objects", () => ctx.hubs.callWatch((watch) => watch.readSuppliers(ctx.clock.now()))),
			attempt(ctx, "queue", () => Promise.all([ctx.switchboard.read(ctx), findQueueAgeMs(ctx)])),
			attempt(ctx, "grader", () => readGraderState(ctx)),
			attempt(ctx, "judge", () => findJudgeHealth(ctx)),
		]);
		const newest = journal.entries.at(-1)?.tag ?? "";
		const isInTime = queue.isOk && (!queue.value[0].judging.on || queue.value[1] <= ctx.config.maxQueueAgeMs);
		const checks = {
			d1: toCheck(migration.isOk),
			r2: toCheck(r2.isOk),
			objects: toCheck(objects.isOk),
			queue: toCheck(isInTime),
			// Migrations only add, so a Worker works with a newer schema too, for example during a deploy and after a rollback.
			migrations: toCheck(migration.isOk && migration.value >= newest),
		};
		const reads = ctx.db.use.hasAskedReplica ? ("replica" as const) : ("primary" as const);
		const view = { ...checks, d1_reads: reads, grader: grader.isOk ? grader.value : ("failed" as const) };
		const states = objects.isOk ? objects.value : [];
		const ofJudge = { ...viewJudge(ctx.judge, judge.isOk ? judge.value : null, isOperator), suppliers: viewSuppliers(ctx.judge, states) };
		const deciding = purpose === "uptime" ? [checks.d1, checks.r2, checks.objects] : Object.values(checks);
		const settings = ctx.config.invalidSettings.map(({ name, problem }) => ({ name, problem }));
		const state = { checks: view, judge: ofJudge, settings };
		if (deciding.every((one) => one === "ok")) return { status: "ready" as const, ...state };
		throw new AppError("NOT_READY", { details: state, retryAfterSeconds: RETRY_AFTER_SECONDS });
	},
});

const testFacts = z.object({ state: z.enum(["none", "ok", "failed"]) });

/** Reads the grader's state. It does not affect the overall status, because only tasks with images need a grader. */
async function readGraderState(ctx: PublicCtx) {
	if (ctx.config.grader === null) return "none" as const;
	const test = await findGraderTest(ctx);
	const state = test === null ? "none" : testFacts.parse(JSON.parse(test)).state;
	return state === "none" ? ("untested" as const) : state;
}

type Health = Awaited<ReturnType<typeof findJudgeHealth>>;

type JudgeView = z.output<typeof judgeView>;

/** Lists the judge's suppliers. A supplier that the object `Watch` does not know has no outage. */
function viewSuppliers(judge: PublicCtx["judge"], states: readonly SupplierState[]): JudgeView["suppliers"] {
	const names = judge === null ? [] : suppliersOf(judge);
	const openSince = (name: string) => states.find(({ supplier }) => supplier === name)?.openSince ?? null;
	return names.map((name) => ({ name: name === "" ? "default" : name, open_since: toIsoOrNull(openSince(name)) }));
}

function viewJudge(judge: PublicCtx["judge"], health: Health, isOperator: boolean): Omit<JudgeView, "suppliers"> {
	const { succeededAt = null, failedAt = null, fault = null } = health ?? {};
	const lastFault =
		failedAt === null || fault === null
			? null
			: { at: toIso(failedAt), message: fault.message, supplier_words: isOperator ? fault.supplierWords : null };
	return { state: stateOfJudge(judge, { succeededAt, failedAt }), last_success_at: toIsoOrNull(succeededAt), last_fault: lastFault };
}

function stateOfJudge(judge: PublicCtx["judge"], times: { readonly succeededAt: number | null; readonly failedAt: number | null }) {
	if (judge === null) return "none";
	if (judge.models.length === 0) return "offline";
	const { succeededAt, failedAt } = times;
	if (succeededAt === null && failedAt === null) return "untested";
	return (failedAt ?? 0) > (succeededAt ?? 0) ? "failed" : "ok";
}

/** The key of an object that does not exist. Reading it tests that the bucket responds. */
const PROBE_KEY = "ready/probe";
const RETRY_AFTER_SECONDS = 10;

function toCheck(isOk: boolean): z.infer<typeof check> {
	return isOk ? "ok" : "failed";
}

async function attempt<Value>(
	ctx: PublicCtx,
	name: string,
	run: () => Promise<Value>,
): Promise<{ readonly isOk: true; readonly value: Value } | { readonly isOk: false }> {
	try {
		return { isOk: true, value: await run() };
	} catch (error) {
		ctx.log.error("not_ready", { check: name, ...describeError(error) });
		return { isOk: false };
	}
}
