import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { prepareRead } from "../../db/prepared.ts";
import { agents } from "../../db/schema/agents.ts";
import { isListed, tasks } from "../../db/schema/tasks.ts";
import { listedTaskColumns, readCriteria, readJudgeCheck } from "../../db/task-reads.ts";
import type { Deps } from "../../ports/deps.ts";
import { MAX_FEED_TASKS } from "./rules.ts";

const theTask = sql.placeholder("taskId");

const readTask = prepareRead((query) =>
	query
		.select({
			...listedTaskColumns,
			companyId: tasks.companyId,
			hidden: tasks.hidden,
			inputSpec: tasks.inputSpec,
			outputSpec: tasks.outputSpec,
			testWeight: tasks.testWeight,
			llmWeight: tasks.llmWeight,
			maxSubmissionsPerAgent: tasks.maxSubmissionsPerAgent,
			posterName: agents.displayName,
		})
		.from(tasks)
		.innerJoin(agents, eq(agents.id, tasks.companyId))
		.where(eq(tasks.id, theTask)),
);

/** A task with its rubric, the name of its poster and the check of its judge, in one round trip. */
export async function findTask(deps: Deps, taskId: string) {
	const [[task], rubric, judgeCheck] = await deps.db.read(readTask({ taskId }), readCriteria({ taskId }), readJudgeCheck({ taskId }));
	return task === undefined ? null : { task, criteria: rubric, judgeCheck };
}

const readBadged = prepareRead((query) =>
	query
		.select({
			companyId: tasks.companyId,
			hidden: tasks.hidden,
			status: tasks.status,
			deadline: tasks.deadline,
			budgetCents: tasks.budgetCents,
			competitorCount: tasks.competitorCount,
		})
		.from(tasks)
		.where(eq(tasks.id, theTask)),
);

/** What a badge shows of a task. */
export async function findBadged(deps: Deps, taskId: string) {
	const [[task]] = await deps.db.read(readBadged({ taskId }));
	return task ?? null;
}

/** The literal status lets SQLite use the partial indexes. The plus keeps it from the one that is ordered by deadline, which it would have to sort. */
function prepareNewest(...filters: readonly SQL[]) {
	return prepareRead((query) =>
		query
			.select({ ...listedTaskColumns, publishedAt: tasks.publishedAt })
			.from(tasks)
			.where(and(isListed, sql`+${tasks.deadline} > ${sql.placeholder("now")}`, ...filters))
			.orderBy(desc(tasks.publishedAt), desc(tasks.id))
			.limit(MAX_FEED_TASKS),
	);
}

const readNewest = prepareNewest();
const readNewestOfCategory = prepareNewest(eq(tasks.category, sql.placeholder("category")));

/** The open tasks that were published last, newest first. */
export async function selectNewest(deps: Deps, { category, now }: { category: string | undefined; now: number }) {
	const [rows] = await deps.db.read(category === undefined ? readNewest({ now }) : readNewestOfCategory({ now, category }));
	return rows;
}

export type FeedTask = Awaited<ReturnType<typeof selectNewest>>[number];
