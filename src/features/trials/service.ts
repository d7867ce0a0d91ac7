import * as z from "zod";
import { commit } from "../../db/commit.ts";
import { guardTaskRevision } from "../../db/conditions.ts";
import { AppError } from "../../domain/errors.ts";
import { MODES } from "../../domain/modes.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../http/pagination.ts";
import type { Ctx } from "../../ports/deps.ts";
import { parseFiles } from "../artifacts/rules.ts";
import type { startDryRunRequest } from "../competition/dry-runs/contract.ts";
import * as rules from "../competition/dry-runs/rules.ts";
import { viewDryRun, viewListedDryRun } from "../competition/dry-runs/views.ts";
import { readReport, reportFor } from "../evaluation/report.ts";
import { enqueueTrial } from "../judge-check/service.ts";
import { GIVE_UP_MARGIN_MS, LONG_RUBRIC } from "../judging/rules.ts";
import { countForNetwork } from "../network-caps/service.ts";
import { decideWithObject } from "../stored-objects/service.ts";
import { assertJudgeable, assertOwner, canSeeTask } from "../tasks/rules.ts";
import { taskNotFound } from "../tasks/service.ts";
import { newTrialKey, packAndStore, trialObjects } from "./artifact-store.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

/**
 * Packs files and queues their judging. Contract: additions, "dry-run".
 *
 * @throws AppError as {@link rules.assertCanDryRun} and {@link rules.assertRunsLeft} do, `INVALID_BODY` for files and expectations.
 */
export async function startDryRun(ctx: Ctx, taskId: string, body: z.output<typeof startDryRunRequest>) {
	const files = parseFiles(body.files);
	const expected = body.expected ?? undefined;
	const id = ctx.ids.next();
	const key = newTrialKey(ctx);
	await decideWithObject(ctx, { of: trialObjects, key, store: () => packAndStore(ctx, key, files) }, async (artifact) => {
		const now = ctx.clock.now();
		const { task, criteria, window } = await readTriableTask(ctx, taskId, now);
		rules.assertKnownCriteria(expected, criteria);
		const extraMs = MODES[task.evalMode].usesJudge
			? LONG_RUBRIC.perCriterionMs * Math.max(0, criteria.length - LONG_RUBRIC.fromCriteria)
			: 0;
		const row = {
			id,
			taskId,
			name: body.label ?? null,
			expected: expected ?? null,
			...(await artifact.put()),
			origin: ctx.baseUrl,
			dueAt: now,
			giveUpAt: now + MODES[task.evalMode].timeLimitMs(task.evalTimeoutSeconds) + extraMs + GIVE_UP_MARGIN_MS,
			createdAt: now,
		};
		await commit(ctx.db, [
			guardTaskRevision(ctx.db, task),
			statements.guardLimit(ctx, taskId, window),
			statements.insertDryRun(ctx, row),
			...(await countForNetwork(ctx, ctx.actor.agentId, { evaluations: 1 })),
		]);
	});
	ctx.background(enqueueTrial(ctx, id));
	return { id, status: "running" as const, poll_url: `${ctx.baseUrl}/api/v1/dry-runs/${id}` };
}

/** Returns the task, and the window that the commit must guard, because others may start a run at the same time. */
async function readTriableTask(ctx: Ctx, taskId: string, now: number) {
	const window = { since: now - rules.DRY_RUN_WINDOW_MS, limit: rules.MAX_DRY_RUNS };
	const state = await store.findDryRunState(ctx, taskId, window);
	const { task, criteria, blocking } = ownedBy(ctx, state);
	rules.assertCanDryRun(task, criteria);
	assertJudgeable(task.evalMode, ctx.judge !== null);
	rules.assertRunsLeft(blocking, now);
	return { task, criteria, window };
}

/** @throws AppError `NOT_FOUND` if the caller cannot see the task, `FORBIDDEN` if it belongs to another agent. */
function ownedBy<Found extends { readonly task: Parameters<typeof canSeeTask>[0] }>(ctx: Ctx, found: Found | null): Found {
	if (found === null || !canSeeTask(found.task, ctx.actor.agentId)) throw taskNotFound();
	assertOwner(found.task, ctx.actor.agentId);
	return found;
}

/** @throws AppError `NOT_FOUND`, also for the run of another owner. */
export async function getDryRun(ctx: Ctx, trialId: string) {
	const found = await store.findDryRun(ctx, trialId);
	if (found === null || found.companyId !== ctx.actor.agentId) {
		throw new AppError("NOT_FOUND", { message: "You have no such dry run. GET /api/v1/tasks/{id}/dry-runs lists those of a task." });
	}
	const { trial, usage } = found;
	const report = await readReport(ctx, trial.reportKey);
	return viewDryRun(trial, { report: report === null ? null : reportFor(report, { isOwner: true }), usage, scoring: found });
}

const place = z.tuple([z.int(), z.uuid()]);

export async function listDryRuns(ctx: Ctx, taskId: string, { limit, cursor }: { limit: number; cursor?: string | undefined }) {
	const last = decodeCursor(cursor, place);
	const before = last === null ? null : { createdAt: last[0], id: last[1] };
	const { rows } = ownedBy(ctx, await store.findDryRuns(ctx, taskId, { before, limit: limit + 1 }));
	const page = pageRows(rows, limit, ({ createdAt, id }) => encodeCursor([createdAt, id]));
	return { data: page.rows.map(viewListedDryRun), pagination: page.pagination };
}
