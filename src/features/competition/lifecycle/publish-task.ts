import { trials } from "../../../db/task/schema/judging.ts";
import type { JudgeIdentity } from "../../../domain/comparison.ts";
import { MODES } from "../../../domain/modes.ts";
import { TASK_TRANSITIONS } from "../../../domain/task-status.ts";
import { MINUTE_MS, SECOND_MS } from "../../../platform/clock.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { isSuspendedNow } from "../../identity/agents/store.ts";
import { rubricWarnings } from "../../judging/lint/service.ts";
import type { JudgeCase } from "../judge-check/cases/case.ts";
import { JUDGE_CASES } from "../judge-check/cases/index.ts";
import { ensureComparisonGroup } from "../judgements/comparison-groups.ts";
import { enqueueJob } from "../judgements/jobs.ts";
import { purgeResponses } from "../public-reading/purge.ts";
import { toIndexed } from "../search/follow-task.ts";
import { indexNow } from "../search-index/service.ts";
import { whileCounted } from "../submissions/reservations.ts";
import { type PinnedImage, pinImage } from "../tasks/eval-image.ts";
import * as rules from "../tasks/rules.ts";
import { readCriteria, readOwnTask, readTask, type TaskRow, updateTask } from "../tasks/store.ts";

export interface PublishInput {
	readonly by: string;
	/** Its party, which takes turns with those of the submissions. */
	readonly party: string;
	/** A task of a suspended owner is hidden. */
	readonly isOwnerSuspended: boolean;
	/** The deployment's judge; null where none is configured. */
	readonly judge: JudgeIdentity | null;
	/** The reference of an image, and what it means now; null before the grader was asked. */
	readonly image: { readonly reference: string; readonly digest: string | null } | null;
	/** How many cases of the judge check are counted for the caller's network; null when none need to be. */
	readonly counted: number | null;
	/** The origin of the request. */
	readonly origin: string;
}

/** Opens a draft. It stays one when the meaning of its image is not known yet, or when its judge check is not counted yet. */
export const publish = taskVerb("publish", (task, { by, party, isOwnerSuspended, judge, image, counted, origin }: PublishInput) => {
	const found = readOwnTask(task, by);
	const criteria = readCriteria(task);
	rules.assertPublishable(found, criteria, task.now);
	rules.assertJudgeable(found.evalMode, judge !== null);
	const { usesImage, usesJudge } = MODES[found.evalMode];
	const pinned = usesImage && image?.reference === found.evalImage ? image : null;
	if (usesImage && pinned === null && found.evalImage !== null) return { lacks: "image", image: found.evalImage } as const;
	const cases = casesOf(task, found);
	if (counted !== null && counted !== cases.length) return { lacks: "count", cases: cases.length } as const;
	const evalImageDigest = pinned?.digest ?? null;
	updateTask(task, {
		status: TASK_TRANSITIONS.publish.to,
		publishedAt: task.now,
		hidden: isOwnerSuspended || found.takenDownAt !== null,
		origin,
		evalImageDigest,
	});
	if (usesJudge && judge !== null) ensureComparisonGroup(task, judge);
	beginJudgeCheck(task, found, { cases, party });
	task.record({ type: "task.opened", taskId: task.id });
	task.record({ type: "task.matched", taskId: task.id });
	task.record({ type: "task.status_changed", taskId: task.id, from: found.status, to: "open" });
	return { lacks: null, indexed: toIndexed(readTask(task)), criteria } as const;
});

/** A case waits its turn behind submissions, and a provider may be busy. */
const GIVE_UP_MARGIN_MS = 30 * MINUTE_MS;
/** Notifications of the new task go out before its cases are judged: locally one thread does both. */
const CHECK_DELAY_MS = 2 * SECOND_MS;

/** The cases of the judge check that apply to the task. None where the check is switched off. */
function casesOf({ config }: TaskStore, { evalMode }: TaskRow): readonly JudgeCase[] {
	return config.judgeCheck ? JUDGE_CASES.filter(({ appliesTo }) => appliesTo(evalMode)) : [];
}

/** One trial for each case, with its job. */
function beginJudgeCheck(
	task: TaskStore,
	{ evalMode, evalTimeoutSeconds }: TaskRow,
	{ cases, party }: { readonly cases: readonly JudgeCase[]; readonly party: string },
): void {
	const giveUpAt = task.now + MODES[evalMode].timeLimitMs(evalTimeoutSeconds) + GIVE_UP_MARGIN_MS;
	for (const { name, expectedAtMost } of cases) {
		const id = task.newId();
		task.db.insert(trials).values({ id, kind: "judge_check", name, expectedAtMost, createdAt: task.now }).run();
		enqueueJob(task, { kind: "judge_check", subjectId: id, party, giveUpAt, dueAt: task.now + CHECK_DELAY_MS });
	}
}

/**
 * Opens a draft, pins what its image means now, and queues the judge check, which counts for the day of an anonymous caller's network
 * as submissions do. Contract: "Task states"; ruling "Images".
 *
 * @throws AppError as `assertPublishable` and `assertJudgeable` do; `RATE_LIMITED` over the network's daily cap.
 */
export async function publishTask(ctx: Ctx, taskId: string) {
	const { agentId, party, tier } = ctx.actor;
	const judge = ctx.judge === null ? null : identityOf(ctx.judge);
	const known = { by: agentId, party, judge, origin: ctx.baseUrl, isOwnerSuspended: await isSuspendedNow(ctx, agentId) };
	let image: PinnedReference | null = null;
	let counted = tier === "anonymous" ? 0 : null;
	for (;;) {
		const published = await callPublish(ctx, taskId, { ...known, image: referenceOf(image), counted });
		switch (published.lacks) {
			case "image":
				image = { reference: published.image, ...(await pinImage(ctx, published.image)) };
				break;
			case "count":
				counted = published.cases;
				break;
			case null:
				ctx.background(purgeResponses(ctx, taskId));
				await indexNow(ctx, published.indexed);
				return {
					id: taskId,
					status: "open" as const,
					title: published.indexed.title,
					warnings: [...(image?.warnings ?? []), ...rubricWarnings(taskId, published.criteria)],
				};
		}
	}
}

interface PinnedReference extends PinnedImage {
	readonly reference: string;
}

function referenceOf(image: PinnedReference | null): PublishInput["image"] {
	return image === null ? null : { reference: image.reference, digest: image.digest };
}

/** Apart, because the compiler cannot infer a type in a loop that depends on it. */
function callPublish(ctx: Ctx, taskId: string, input: PublishInput) {
	const call = () => ctx.hubs.callTask(taskId, publish, { input, now: ctx.clock.now() });
	const isUnused = ({ lacks }: { readonly lacks: string | null }) => lacks !== null;
	return whileCounted(ctx, { agentId: input.by, evaluations: input.counted ?? 0 }, { call, isUnused });
}

function identityOf({ name, models, promptVersion }: NonNullable<Ctx["judge"]>): JudgeIdentity {
	return { judge: name, models: [...models], promptVersion };
}
