// What a Task object sends to webhooks.
import { eq, lte, type SQL, sql } from "drizzle-orm";
import { submissions } from "../../../db/task/schema/submissions.ts";
import { entries } from "../../../db/task/schema/task.ts";
import type { FactIds, PayloadFacts } from "../../../domain/event-kinds.ts";
import { webhookMessageOf } from "../../../domain/events.ts";
import { toIso } from "../../../platform/clock.ts";
import type { Deps, RecordedEvent } from "../../../ports/deps.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { readReport } from "../../competition/judgements/reports.ts";
import { findTask } from "../../competition/tasks/store.ts";
import { sendPage } from "../webhooks/fan-out.ts";

/** A listener of the outbox of a Task object: does what `fanOut` does for D1's. The object knows the facts, so D1 is asked for subscriptions only. */
export async function fanOutFromTask(store: TaskStore, deps: Deps, recorded: RecordedEvent): Promise<string | null> {
	const message = webhookMessageOf(recorded.event);
	const row = findTask(store);
	if (message === null || row === null) return null;
	const { db } = store;
	const { audience, factIds } = message;
	const follows = audience.kind === "followers" ? lte(entries.createdAt, recorded.createdAt) : sql`false`;
	const entrants = selectEntrants(db, follows);
	const readers = row.hidden ? selectEntrants(db, sql`true`) : null;
	const task = { id: row.id, owner: row.companyId, category: row.category, entrants, readers };
	return sendPage(deps, recorded, { task, audience, payload: message.toPayload(readFacts(db, row, factIds)) });
}

function selectEntrants(db: TaskStore["db"], condition: SQL): string[] {
	const rows = db.select({ agentId: entries.agentId }).from(entries).where(condition).all();
	return rows.map(({ agentId }) => agentId);
}

/** Facts of rows that do not exist are left out. */
function readFacts(db: TaskStore["db"], task: PayloadFacts["task"], ids: FactIds): Partial<PayloadFacts> {
	const { submission: submissionId = "", evaluation } = ids;
	const submission = db.select({ createdAt: submissions.createdAt }).from(submissions).where(eq(submissions.id, submissionId)).get();
	return {
		task: { category: task.category, budgetCents: task.budgetCents },
		...(submission === undefined ? {} : { submission: { createdAt: toIso(submission.createdAt) } }),
		...(evaluation === undefined ? {} : { evaluation: { dimensions: readDimensions(db, evaluation.evaluationId) } }),
	};
}

function readDimensions(db: TaskStore["db"], evaluationId: string) {
	const { dimensions = [] } = readReport({ db }, evaluationId) ?? {};
	return dimensions.map(({ criterion_name, score, reasoning }) => ({ criterion_name, score, reasoning }));
}
