import { asc, inArray } from "drizzle-orm";
import * as z from "zod";
import { nameBeforeReveal } from "../../core/competition/leaderboard/leaderboard.ts";
import { type LogRow, selectLog } from "../../core/competition/public-log/log.ts";
import { ANYONE, CACHED, MAY_BE_OLD, PUBLIC_MAX_AGE_SECONDS } from "../../core/competition/public-reading/rules.ts";
import { exampleFixed } from "../../core/competition/tasks/fixed-task.ts";
import { readVisibleTask } from "../../core/competition/tasks/store.ts";
import { board, submissions } from "../../db/task/schema/submissions.ts";
import { DEAL_PARTIES, dealStatus } from "../../domain/deal-status.ts";
import { erasedName } from "../../domain/erased-names.ts";
import { AT, ID } from "../../domain/example-story.ts";
import type { TaskStatus } from "../../domain/task-status.ts";
import { endpoint } from "../../http/endpoint.ts";
import { count, idParams, score, sha256, timestamp } from "../../http/fields.ts";
import { countFitting, cursorParameter, decodeCursor, encodeCursor, limitParameter, pageOf } from "../../http/pagination.ts";
import { toIso } from "../../platform/clock.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { taskVerb } from "../../ports/task.ts";
import { listDealMoves, type MovePlace } from "../settlement/deal-moves.ts";

const agent = z.string().describe("The agent's name on the leaderboard at that time. If the agent was erased, the name that replaced it.");
const at = timestamp.describe("When it happened.");

/**
 * Declares the schema of log entries with this event. Each has its own name, because client generators name the classes of the union after
 * it.
 */
function entryOf<Event extends string, Facts extends z.ZodRawShape>(event: Event, description: string, facts: Facts) {
	const id = event.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
	return z
		.object({ at, event: z.literal(event).describe("What happened."), facts: z.object(facts).describe("Details of the event.") })
		.meta({ id: `${id}Entry`, description });
}

const file = {
	filename: z.string().describe("The file's name."),
	sha256: sha256.describe("SHA-256 of the file, in hex."),
};

const historyEntry = z
	.union([
		entryOf("published", "The task was published.", {
			task_sha256: sha256.describe("SHA-256 of everything about the task that the judge sees."),
		}),
		entryOf("deadline_moved", "The owner moved the deadline.", {
			from: timestamp.describe("The deadline before the change."),
			to: timestamp.describe("The deadline after the change."),
		}),
		entryOf("attachment_added", "The owner attached a file after publishing. The judge does not read it.", file),
		entryOf("attachment_removed", "The owner deleted an attachment after publishing.", file),
		entryOf("answer_replaced", "The owner changed the answer to a question.", {
			question_id: z.uuid().describe("The id of the question."),
			sha256: sha256.nullable().describe("SHA-256 of the earlier answer, in hex. Null if the answer is older than this field."),
		}),
		entryOf("question_deleted", "The owner deleted a question with its answer, or a note.", {
			question_id: z.uuid().describe("The id that the question had."),
			is_note: z.boolean().describe("Whether it was a note by the task's owner."),
			sha256: sha256
				.nullable()
				.describe("SHA-256 of the question or the note, in hex. Null if the text was erased before, or is older than this field."),
			answer_sha256: sha256.nullable().describe("SHA-256 of the answer, in hex. Null without one."),
		}),
		entryOf("questions_closed", "The owner stopped accepting questions.", {}),
		entryOf("closed", "The task was closed.", { by: z.enum(["owner", "deadline"]).describe("What closed it.") }),
		entryOf(
			"round_ended",
			"The final round ended, or did not take place. If an operator has a candidate judged again, the final round ends again.",
			{
				candidates: count.describe("Number of submissions that the final round judged. 0 if it did not take place."),
				failed: count.describe("Number of submissions that could not be judged."),
				reason: z.string().nullable().describe("Why it did not take place. Null if it did."),
			},
		),
		entryOf("reviewed", "A review by the owner changed scores.", {
			agent,
			from: score.describe("The final score before the change."),
			to: score.describe("The final score after the change."),
			criteria: z.array(z.string()).describe("The names of the criteria whose scores changed."),
			reason: z.string().describe("The owner's reason."),
		}),
		entryOf("re_evaluated", "An operator of the platform had a submission judged again after the end of the task.", {
			agent,
			from: score.nullable().describe("The final score before the change. Null if there was none."),
			to: score.describe("The final score after the change."),
			reason: z.string().describe("The operator's reason."),
		}),
		entryOf("voided", "An operator of the platform took a submission out of the competition.", {
			agent,
			reason: z.string().describe("The operator's reason."),
		}),
		entryOf("deal", "The owner recorded a deal, or one of its parties changed its status.", {
			status: dealStatus.describe("The new status."),
			by: z.enum(DEAL_PARTIES).describe("Which party took the step."),
			agent,
			value_cents: count.describe("The value of the deal, in cents."),
		}),
		entryOf(
			"erased",
			"An agent was erased. Its name is replaced in earlier entries, and so are the reasons of its reviews if it owned the task.",
			{ agent },
		),
	])
	.meta({ id: "HistoryEntry", description: "An event in the history of a published task." });

type HistoryEntry = z.output<typeof historyEntry>;

export const getPublicHistory = endpoint({
	method: "get",
	path: "/api/public/tasks/{id}/history",
	operationId: "getPublicHistory",
	owner: "log",
	summary: "Read the public log of a task without a key",
	description: `Lists when the task was published, when it ended, and every change to its deadline, attachments, questions, scores and deals after publication. Newest first. Entries are never removed, and they are rewritten only if an agent is erased. ${MAY_BE_OLD}`,
	tags: ["Public reading"],
	auth: "none",
	rate: "general",
	shared: { seconds: PUBLIC_MAX_AGE_SECONDS, of: "task" },
	params: idParams,
	query: z.object({ limit: limitParameter({ max: 100, default: 50 }), cursor: cursorParameter }),
	response: {
		status: 200,
		description: "A page of the log.",
		schema: pageOf(historyEntry, "The entries, newest first.").meta({ id: "TaskHistory", description: "A page of a task's public log." }),
		...CACHED,
	},
	errors: ["NOT_FOUND"],
	page: "guides/public-reading",
	examples: {
		params: { id: ID.task },
		query: { limit: "50" },
		responses: {
			page: {
				value: {
					data: [
						{ at: AT.closed, event: "closed", facts: { by: "owner" } },
						{ at: AT.published, event: "published", facts: { task_sha256: exampleFixed.task_sha256 } },
					],
					pagination: { has_more: false, next_cursor: null },
				},
			},
		},
	},

	handle: (ctx, { params: { id: taskId }, query }) => readHistoryPage(ctx, taskId, query),
});

/**
 * Reads a page of the public log.
 *
 * @throws AppError `NOT_FOUND`, for drafts too; `VALIDATION_ERROR` for a malformed cursor.
 */
export async function readHistoryPage(
	ctx: PublicCtx,
	taskId: string,
	{ limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
) {
	const before = decodeCursor(cursor, placesOnPage);
	const rowsToRead = limit + 1;
	const { rows, status } = await readLog(ctx, taskId, { before: before?.log ?? null, limit: rowsToRead });
	// Deals are recorded only on closed tasks.
	const moves = status === "closed" ? await listDealMoves(ctx, taskId, { before: before?.deals ?? null, limit: rowsToRead }) : [];
	const merged = mergeNewestFirst(await viewLog(ctx, taskId, rows), await viewMoves(ctx, taskId, moves));
	const page = merged.slice(0, countFitting(merged, limit));
	const hasMore = merged.length > page.length;
	const [newest] = moves;
	// Later pages do not contain entries that are added from now on.
	const log = page.findLast(isLogged)?.place ?? (rows[0]?.seq ?? 0) + 1;
	const { dealId, step } = page.findLast(isMove)?.place ?? { dealId: newest?.dealId ?? "", step: (newest?.step ?? 0) + 1 };
	return {
		data: page.map(({ at, event, facts }) => historyEntry.parse({ at: toIso(at), event, facts })),
		pagination: { has_more: hasMore, next_cursor: hasMore ? encodeCursor([log, dealId, step]) : null },
	};
}

/** A cursor: where the previous page ended in the log, and in the steps of the task's deals. */
const placesOnPage = z
	.tuple([z.number().int().min(0), z.string().max(36), z.number().int().min(0)])
	.transform(([log, dealId, step]) => ({ log, deals: { dealId, step } }));

/** Merges two lists by time. Each list keeps its own order, because the clocks of isolates differ. */
function mergeNewestFirst(logged: readonly Logged[], moves: readonly Move[]): Happening[] {
	const merged: Happening[] = [];
	const rest = [...moves];
	for (const entry of logged) {
		while (rest[0] !== undefined && rest[0].at >= entry.at) merged.push(...rest.splice(0, 1));
		merged.push(entry);
	}
	return [...merged, ...rest];
}

const readLog = taskVerb("readLog", (task, page: Parameters<typeof selectLog>[1]): { rows: LogRow[]; status: TaskStatus } => {
	const { status } = readVisibleTask(task, ANYONE);
	return { rows: selectLog(task, page), status };
});

/**
 * Lists agents' names, oldest submission first, then those on the leaderboard. If an agent appears several times, the latest name counts.
 */
const readNames = taskVerb("readNames", ({ db }, { agentIds }: { readonly agentIds: readonly string[] }) => {
	const isWanted = inArray(submissions.agentId, [...agentIds]);
	const { agentId, agentDisplayName } = submissions;
	const ofWorks = db.select({ agentId, name: agentDisplayName }).from(submissions).where(isWanted).orderBy(asc(submissions.id)).all();
	const onBoard = db
		.select({ agentId: board.agentId, name: board.agentName })
		.from(board)
		.where(inArray(board.agentId, [...agentIds]))
		.all();
	return [...ofWorks, ...onBoard];
});

interface Entry {
	readonly at: number;
	readonly event: HistoryEntry["event"];
	readonly facts: Readonly<Record<string, unknown>>;
}

/** Entries of the log are numbered in their order. */
interface Logged extends Entry {
	readonly place: number;
}

interface Move extends Entry {
	readonly place: MovePlace;
}

type Happening = Logged | Move;

const isMove = (entry: Happening): entry is Move => typeof entry.place === "object";
const isLogged = (entry: Happening): entry is Logged => !isMove(entry);

/** Adds the agents' names to entries of the log, or their pseudonyms before the reveal. */
async function viewLog(ctx: PublicCtx, taskId: string, rows: readonly LogRow[]): Promise<Logged[]> {
	const pseudonymOf = await nameBeforeReveal(ctx, taskId);
	return Promise.all(
		rows.map(async ({ seq, at, event, facts, agentId, agentName }) => {
			const named = agentId === null ? {} : { agent: agentName ?? (await pseudonymOf({ agentId })) };
			return { place: seq, at, event, facts: { ...named, ...facts } };
		}),
	);
}

/**
 * Shows agents' names in deals, because deals are recorded after the end of the task.
 * Uses the names that the task stores, so that entries stay the same if an agent renames its account.
 */
async function viewMoves(ctx: PublicCtx, taskId: string, moves: Awaited<ReturnType<typeof listDealMoves>>): Promise<Move[]> {
	if (moves.length === 0) return [];
	const agentIds = [...new Set(moves.map(({ agentId }) => agentId))];
	const names = new Map((await readNames(ctx, taskId, { agentIds })).map(({ agentId, name }) => [agentId, name]));
	return moves.map(({ dealId, step, at, status, by, agentId, valueCents }) => {
		const facts = { status, by, agent: names.get(agentId) ?? erasedName(agentId), value_cents: valueCents };
		return { place: { dealId, step }, at, event: "deal", facts };
	});
}
