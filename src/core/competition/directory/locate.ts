// Finds the task that an id belongs to, because the URLs of submissions, and of other rows in Task objects, do not contain the task's id.
import { eq, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import { directoryOf } from "../../../db/parts.ts";
import { prepareRead } from "../../../db/prepared.ts";
import { locatedCards, submissionCards, taskCards } from "../../../db/schema/cards.ts";
import { bytesOf, textOf } from "../../../db/schema/id-bytes.ts";
import { RecentMisses } from "../../../platform/recent.ts";
import type { Database } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";

const readTaskId = prepareRead((query) => {
	const id = sql.placeholder("id");
	return unionAll(
		query
			.select({ taskId: textOf(submissionCards.taskId).as("located") })
			.from(submissionCards)
			.where(eq(submissionCards.id, bytesOf(sql`${id}`))),
		query.select({ taskId: locatedCards.taskId }).from(locatedCards).where(eq(locatedCards.id, id)),
	);
});

const MAX_KNOWN = 20_000;
/** Caches the task of each id that this isolate has looked up. An id never moves to another task. */
const taskIds = new Map<string, string>();

/** An id that was not found is not looked up again for two seconds. */
const misses = new RecentMisses();

type LocatorDeps = Pick<Deps, "db" | "parts" | "clock">;

/** Makes the function {@link Deps.locate} of one request or message. Parallel and repeated calls share one read. */
export function createLocator(deps: LocatorDeps): (id: string) => Promise<string | null> {
	const pending = new Map<string, Promise<string | null>>();
	return (id) => {
		const taskId = pending.get(id) ?? locate(deps, id);
		pending.set(id, taskId);
		return taskId;
	};
}

async function locate(deps: LocatorDeps, id: string): Promise<string | null> {
	const { clock } = deps;
	const remembered = taskIds.get(id) ?? null;
	if (remembered !== null || misses.has(id, clock.now())) return remembered;
	const taskId = await readCardTaskId(directoryOf(deps, id), id);
	if (taskId === null) misses.note(id, clock.now());
	else remember(id, taskId);
	return taskId;
}

/**
 * A card that is seconds old may not have reached the replica. So before an id counts as unknown, it is looked up on the primary, unless
 * the first read already asked the primary.
 */
async function readCardTaskId(db: Database, id: string): Promise<string | null> {
	const [[row]] = await db.read(readTaskId({ id }));
	if (row !== undefined) return row.taskId;
	if (!db.use.hasAskedReplica) return null;
	db.refresh();
	const [[newer]] = await db.read(readTaskId({ id }));
	return newer?.taskId ?? null;
}

function remember(id: string, taskId: string): void {
	const oldest = taskIds.size >= MAX_KNOWN ? taskIds.keys().next().value : undefined;
	if (oldest !== undefined) taskIds.delete(oldest);
	taskIds.set(id, taskId);
}

/** Selects tasks with a callback token or an invite code that was encrypted with another key, sorted by id. */
export async function selectEncryptedByOthers({ db }: Deps, { keyId, after, limit }: { keyId: string; after: string; limit: number }) {
	const rows = await db.query
		.select({ id: taskCards.id })
		.from(taskCards)
		.where(sql`encrypted_with is not null and encrypted_with <> ${keyId} and id > ${after}`)
		.orderBy(taskCards.id)
		.limit(limit);
	return rows.map(({ id }) => id);
}
