import { and, desc, eq, gt, sql } from "drizzle-orm";
import type { z } from "zod";
import { trials } from "../../../db/task/schema/judging.ts";
import { tasks } from "../../../db/task/schema/task.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { parseFiles } from "../../judging/artifacts/rules.ts";
import { enqueueJob, timeLimitMs } from "../judgements/jobs.ts";
import { whileCounted } from "../submissions/reservations.ts";
import { assertJudgeable } from "../tasks/rules.ts";
import { readCriteria, readOwnTask, type TaskRow } from "../tasks/store.ts";
import { storeThenRefer, trialKey } from "../tasks/stored-objects.ts";
import { storeTrialFiles } from "./artifacts.ts";
import type { startDryRunRequest } from "./contract.ts";
import type { TrialRow } from "./outcome.ts";
import * as rules from "./rules.ts";

interface AskedDryRun {
	readonly by: string;
	/** Whether the deployment has a judge. */
	readonly hasJudge: boolean;
	readonly expected: rules.Expected | null;
}

/**
 * Checks the task before the files are stored.
 *
 * @throws AppError as {@link rules.assertCanDryRun} and {@link rules.assertRunsLeft} do, `INVALID_BODY` for expectations.
 */
export const admitTrial = taskVerb("admitDryRun", (task, asked: AskedDryRun): void => {
	readTriable(task, asked);
});

interface NewDryRun extends AskedDryRun {
	readonly trial: Pick<TrialRow, "id" | "name" | "artifactKey" | "artifactSha256" | "missingSections">;
	/** The origin of the request. */
	readonly origin: string;
}

/** Stores a dry run and queues its judging. A repeated call finds the first one's. */
export const storeTrial = taskVerb("storeDryRun", (task, { trial, origin, ...asked }: NewDryRun): void => {
	if (task.db.select({ id: trials.id }).from(trials).where(eq(trials.id, trial.id)).get() !== undefined) return;
	const found = readTriable(task, asked);
	// A draft has none, and its image runs on URLs of this origin.
	if (found.origin === "") task.db.update(tasks).set({ origin }).run();
	task.db
		.insert(trials)
		.values({ ...trial, kind: "dry_run", expected: asked.expected, createdAt: task.now })
		.run();
	enqueueJob(task, { kind: "dry_run", subjectId: trial.id, party: found.companyId, giveUpAt: task.now + timeLimitMs(task, found) });
	task.markDryRun(trial.id);
});

function readTriable(task: TaskStore, { by, hasJudge, expected }: AskedDryRun): TaskRow {
	const found = readOwnTask(task, by);
	const criteria = readCriteria(task);
	rules.assertCanDryRun(found, criteria);
	assertJudgeable(found.evalMode, hasJudge);
	rules.assertRunsLeft(findBlocking(task), task.now);
	rules.assertKnownCriteria(expected ?? undefined, criteria);
	return found;
}

/** When the oldest of the runs was made that fill the window; null while there is room. Those that the platform failed do not count. */
function findBlocking({ db, now }: TaskStore): number | null {
	const isCounted = and(
		eq(trials.kind, "dry_run"),
		gt(trials.createdAt, now - rules.DRY_RUN_WINDOW_MS),
		sql`coalesce(${trials.blame}, '') <> 'platform'`,
	);
	const oldest = db
		.select({ createdAt: trials.createdAt })
		.from(trials)
		.where(isCounted)
		.orderBy(desc(trials.createdAt), desc(trials.id))
		.limit(1)
		.offset(rules.MAX_DRY_RUNS - 1)
		.get();
	return oldest?.createdAt ?? null;
}

/** Packs files and queues their judging. Contract: additions, "dry-run". */
export async function startDryRun(ctx: Ctx, taskId: string, body: z.output<typeof startDryRunRequest>) {
	const { agentId } = ctx.actor;
	const files = parseFiles(body.files);
	const asked = { by: agentId, hasJudge: ctx.judge !== null, expected: body.expected ?? null };
	await ctx.hubs.callTask(taskId, admitTrial, { input: asked, now: ctx.clock.now() });
	const id = ctx.ids.next();
	const key = trialKey(taskId, id);
	const store = () => storeTrialFiles(ctx, key, files);
	await storeThenRefer(ctx, { key, store }, (packed) => {
		const trial = { id, name: body.label ?? null, ...packed };
		const input = { ...asked, trial, origin: ctx.baseUrl };
		const call = () => ctx.hubs.callTask(taskId, storeTrial, { input, now: ctx.clock.now() });
		return whileCounted(ctx, { agentId, evaluations: 1 }, { call });
	});
	return { id, status: "running" as const, poll_url: `${ctx.baseUrl}/api/v1/dry-runs/${id}` };
}
