// When a task is published, warns the owner if judging the task is expected to cost more than its ceiling allows.
import type { CriterionRow, TaskRow } from "../../../db/task/schema/task.ts";
import { SAMPLE_COUNTS } from "../../../domain/checks.ts";
import { MODES } from "../../../domain/modes.ts";
import { taskCeilingOf } from "../../../domain/spend.ts";
import type { TaskWarning } from "../../../domain/task-warnings.ts";
import type { Ctx } from "../../../ports/deps.ts";
import type { KeptRoom } from "../../../ports/task.ts";
import { judgeOf } from "../../judging/engine/judge-of-task.ts";
import { briefOf } from "../compiling/ask-judge.ts";
import { hasRoomAtAll, isTooDear, NO_ROOM_WARNING, TOO_DEAR_WARNING } from "../spend/rules.ts";
import { readLimits } from "../spend/service.ts";

/** What a submission is assumed to contain before there are any: a single file of this length. */
const USUAL_WORK = { path: "work", text: "x".repeat(79).concat("\n").repeat(250) } as const;

interface WarningsOfCost {
	/** Warnings that depend only on the task as it was published. */
	readonly tooDear: readonly TaskWarning[];
	/** Warnings that change with the ceiling. */
	readonly noRoom: readonly TaskWarning[];
}

export interface PublishedCosts {
	readonly task: TaskRow;
	/** The rubric with its checks, as it will be published. */
	readonly criteria: readonly CriterionRow[];
	readonly isPosterVerified: boolean;
	/** The part of the task's ceiling that is set aside for later jobs. */
	readonly kept: KeptRoom;
}

export async function warnOfCost(ctx: Ctx, { task, criteria, isPosterVerified, kept }: PublishedCosts): Promise<WarningsOfCost> {
	const judge = judgeOf(ctx, task);
	if (judge === null || !MODES[task.evalMode].usesJudge) return { tooDear: [], noRoom: [] };
	const visible = criteria.filter(({ held }) => !held);
	const common = { task: briefOf(task), unreadPaths: [], missingSections: [], facts: [] };
	const least = judge.estimate({ ...common, criteria: visible, files: [], samples: SAMPLE_COUNTS.usual });
	const samples = isPosterVerified ? SAMPLE_COUNTS.verifiedPoster : SAMPLE_COUNTS.usual;
	const evaluation = judge.estimate({ ...common, criteria: visible, files: [USUAL_WORK], samples });
	const replacing = judge.estimate({ ...common, criteria, files: [USUAL_WORK], samples: SAMPLE_COUNTS.replacing });
	const { ceilings } = await readLimits(ctx);
	const limit = { ceiling: taskCeilingOf(ceilings, task.budgetCents), keptShare: kept.share, keptWorks: kept.works };
	const cost = { evaluation: evaluation.costMicroUsd, replacing: replacing.costMicroUsd };
	return {
		tooDear: isTooDear(cost, limit) ? [{ code: "JUDGING_TOO_DEAR", message: TOO_DEAR_WARNING }] : [],
		noRoom: hasRoomAtAll(least.costMicroUsd, limit) ? [] : [{ code: "NO_ROOM", message: NO_ROOM_WARNING }],
	};
}
