// What a Task object tells the search index.
import { tasks } from "../../../db/task/schema/task.ts";
import { HOUR_MS } from "../../../platform/clock.ts";
import { describeError } from "../../../platform/log.ts";
import type { Deps, RecordedEvent } from "../../../ports/deps.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { type IndexedTask, MAX_SPEC_CHARACTERS } from "../search-index/rules.ts";
import { indexInTime } from "../search-index/service.ts";

/** After an hour without success, the rest is left to `npm run admin -- rebuild-search`, so that the outbox does not fill up. */
const REPEATED_FOR_MS = HOUR_MS;

/** What the index has to know of a task. One character more than it takes of a spec, so that it knows the spec to be longer. */
export function toIndexed(row: typeof tasks.$inferSelect): IndexedTask {
	const { id, revision, status, hidden, title, description, category, inputSpec, outputSpec } = row;
	const [inputBegin = null, outputBegin = null] = [inputSpec, outputSpec].map((spec) => spec?.slice(0, MAX_SPEC_CHARACTERS + 1));
	return { id, revision, status, hidden, title, description, category, inputSpec: inputBegin, outputSpec: outputBegin };
}

/** A listener of the outbox: brings the index to the state of the task. Verbs whose caller may search next have done so before. */
export async function followTask(task: TaskStore, deps: Deps, { event, createdAt }: RecordedEvent): Promise<null> {
	if (deps.search === null || (event.type !== "task.status_changed" && event.type !== "task.updated")) return null;
	const row = task.db.select().from(tasks).get();
	if (row === undefined || row.status === "draft") return null;
	try {
		await indexInTime(deps, deps.search, toIndexed(row));
	} catch (error) {
		if (deps.clock.now() - createdAt < REPEATED_FOR_MS) throw error;
		deps.log.error("search_index_outdated", { task_id: task.id, ...describeError(error) });
	}
	return null;
}
