// The caller's own submissions, newest first: of all tasks from their cards, of one task from its object.
import { and, desc, eq, lt } from "drizzle-orm";
import * as z from "zod";
import { submissionCards, taskCards } from "../../../db/schema/cards.ts";
import { submissions } from "../../../db/task/schema/submissions.ts";
import { AppError } from "../../../domain/errors.ts";
import { uuid } from "../../../http/fields.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../../http/pagination.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { readTask, type TaskRow } from "../tasks/store.ts";
import { viewScores, viewSubmission } from "./views.ts";

const idCursor = z.tuple([uuid]);

interface OwnPage {
	readonly agentId: string;
	/** Submissions with smaller ids, which are older ones. */
	readonly before: string | null;
	readonly limit: number;
}

type OwnRow = Parameters<typeof viewSubmission>[0] & Pick<TaskRow, "evalMode">;

interface ListOwnSubmissionsInput {
	readonly task_id?: string | undefined;
	readonly limit: number;
	readonly cursor?: string | undefined;
}

export async function listOwnSubmissions(ctx: Ctx, { task_id, limit, cursor }: ListOwnSubmissionsInput) {
	const wanted = { agentId: ctx.actor.agentId, before: decodeCursor(cursor, idCursor)?.[0] ?? null, limit: limit + 1 };
	const rows: OwnRow[] = task_id === undefined ? await selectCards(ctx, wanted) : await readOfTask(ctx, task_id, wanted);
	const page = pageRows(rows, limit, (last) => encodeCursor([last.id]));
	return {
		data: page.rows.map((row) => ({ ...viewSubmission(row, { isOwner: false }), scores: viewScores(row, row.evalMode, null) })),
		pagination: page.pagination,
	};
}

async function selectCards({ db }: Ctx, { agentId, before, limit }: OwnPage) {
	const isOlder = before === null ? undefined : lt(submissionCards.id, before);
	const rows = await db.query
		.select({ card: submissionCards, evalMode: taskCards.evalMode })
		.from(submissionCards)
		.innerJoin(taskCards, eq(taskCards.id, submissionCards.taskId))
		.where(and(eq(submissionCards.agentId, agentId), isOlder))
		.orderBy(desc(submissionCards.id))
		.limit(limit);
	return rows.map(({ card, evalMode }) => ({
		...card,
		evalMode,
		evaluated: card.status === "completed",
		missingSections: [...(card.details?.missingSections ?? [])],
		errorMessage: card.details?.errorMessage ?? null,
		ownerErrorMessage: null,
		voidedAt: card.details?.voidedAt ?? null,
		voidReason: card.details?.voidReason ?? null,
	}));
}

export const listOwn = taskVerb("listOwn", (task, { agentId, before, limit }: OwnPage) => {
	const { evalMode } = readTask(task);
	const isOlder = before === null ? undefined : lt(submissions.id, before);
	const rows = task.db
		.select()
		.from(submissions)
		.where(and(eq(submissions.agentId, agentId), isOlder))
		.orderBy(desc(submissions.id))
		.limit(limit)
		.all();
	return rows.map((row) => ({ ...row, taskId: task.id, evalMode }));
});

/** None for a task that does not exist. */
async function readOfTask(ctx: Ctx, taskId: string, input: OwnPage) {
	try {
		return await ctx.hubs.callTask(taskId, listOwn, { input, now: ctx.clock.now() });
	} catch (error) {
		if (error instanceof AppError && error.code === "NOT_FOUND") return [];
		throw error;
	}
}
