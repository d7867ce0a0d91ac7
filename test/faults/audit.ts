// Audits what must be true once everything is quiet again, after any deaths.
import { expect } from "vitest";
import * as z from "zod";
import { WEBHOOK_EVENTS } from "../../src/domain/events.ts";
import { HOUR_MS } from "../../src/platform/clock.ts";
import type { LoggedDelivery } from "../../src/ports/webhook-sender.ts";
import { EXPECTED_EVENTS } from "../support/events.ts";
import { manualClock } from "../support/manual-clock.ts";
import { watchRestlessly } from "../support/restless.ts";
import type { HeldSenders } from "../support/senders.ts";
import { count, queryAll } from "../support/storage.ts";
import { collectAll, expectCopies, expectObjectsOfRowsOnly } from "../support/stored-objects.ts";
import { queryTask } from "../support/task-object.ts";
import { auditRows, readTasks, type StoredTaskRows } from "./rows-audit.ts";
import type { Stage } from "./stage.ts";

export interface Audited {
	readonly submissions: number;
	readonly evaluations: number;
	readonly events: number;
	readonly deliveries: number;
	readonly comparedReadings: number;
}

/** Fails with the first invariant that is violated. */
export async function audit(stage: Stage): Promise<Audited> {
	const tasks = await readTasks(stage);
	expectAcknowledged(stage, tasks);
	for (const task of tasks) expectEnded(task);
	await expectBoards(stage);
	const deliveries = await expectDelivered(stage);
	const comparedReadings = await auditRows(stage, tasks);
	await collectAll({ clock: manualClock(stage.clock.now() + 2 * HOUR_MS) });
	await expectObjectsOfRowsOnly();
	await expectCopies();
	return {
		submissions: stage.acknowledged.size,
		evaluations: tasks.reduce((sum, { evaluations }) => sum + evaluations.length, 0),
		events: await count("select count(*) from _recorded_events"),
		deliveries,
		comparedReadings,
	};
}

/** Expects each acknowledged submission once, as it was acknowledged, and no other that was sent with a key. */
function expectAcknowledged({ acknowledged, registered }: Stage, tasks: readonly StoredTaskRows[]): void {
	const rows = tasks.flatMap((task) => task.submissions.map((row) => ({ taskId: task.id, ...row })));
	const found = new Map(rows.map(({ id, taskId, agent_id }) => [id, `${taskId} ${agent_id}`]));
	for (const [id, { taskId, agent }] of acknowledged) expect(found.get(id), id).toBe(`${taskId} ${agent.agentId}`);
	const unexplained = rows.filter(({ id, status }) => status !== "registered" && status !== "failed" && !acknowledged.has(id));
	expect(unexplained.filter(({ id }) => !registered.has(id))).toEqual([]);
}

/** Expects that no work and no event is left, and that the counts match the rows: a slot that was not returned is used. */
function expectEnded({ id, task, submissions, entries, owed, jobs }: StoredTaskRows): void {
	expect({ id, owed, jobs, running: submissions.filter(({ status }) => status === "running") }).toEqual({
		...{ id, owed: 0, jobs: [], running: [] },
	});
	const kept = Map.groupBy(
		submissions.filter(({ slot_returned }) => slot_returned === 0),
		({ agent_id }) => agent_id,
	);
	const used = entries.map(({ agent_id, quota_used }) => ({ agent_id, quota_used }));
	expect(used).toEqual(entries.map(({ agent_id }) => ({ agent_id, quota_used: kept.get(agent_id)?.length ?? 0 })));
	const { submission_count, competitor_count } = task;
	expect({ id, submission_count, competitor_count }).toEqual({
		id,
		submission_count: submissions.length,
		competitor_count: entries.length,
	});
}

/**
 * Expects that a board, like the last event of its stream, shows the best score of each agent with the right ranks. A submission whose
 * last evaluation failed keeps its earlier score.
 */
async function expectBoards(stage: Stage): Promise<void> {
	for (const { id } of [...stage.tasks, ...stage.closed]) {
		const shown = await readBoard(stage, id);
		const best = await queryTask<{ score: number }>(
			id,
			"select max(final_score) as score from submissions where final_score is not null and voided_at is null group by agent_id order by score desc",
		);
		expect(
			shown.map(({ finalScore }) => finalScore),
			id,
		).toEqual(best.map(({ score }) => score));
		// The earlier one of equal scores is ahead.
		expect(
			shown.map(({ rank }) => rank),
			id,
		).toEqual(shown.map((_, index) => index + 1));
		await expectWatched(stage, id, shown);
	}
}

const entry = z.object({ rank: z.number(), finalScore: z.number(), submissionId: z.string() });
type Entry = z.infer<typeof entry>;

async function readBoard(stage: Stage, id: string): Promise<Entry[]> {
	const [reader] = stage.posters;
	if (reader === undefined) throw new Error("There is no poster.");
	const entries: Entry[] = [];
	for (let cursor: string | undefined; ; ) {
		const page = await stage
			.as(reader)
			.call("getLeaderboard", { params: { id }, query: { limit: 100, ...(cursor === undefined ? {} : { cursor }) } });
		entries.push(...page.entries);
		if (page.next_cursor === null) return entries;
		cursor = page.next_cursor;
	}
}

/** The stream ends when its task closes. Later changes, such as a late score, show only when it is opened again. */
async function expectWatched({ watchers, posters }: Stage, id: string, shown: readonly Entry[]): Promise<void> {
	const first = watchers.get(id);
	const [reader] = posters;
	if (first === undefined || reader === undefined) throw new Error(`Nobody watched ${id}.`);
	const hasEnded = first.seen().at(-1)?.event === "terminal";
	const watcher = hasEnded ? await watchRestlessly(reader, "streamLeaderboard", { id }) : first;
	await watcher.connect();
	const brief = (entries: readonly Entry[]) => entries.map(({ submissionId, finalScore }) => ({ submissionId, finalScore }));
	const last = () => brief(z.array(entry).parse(watcher.seen().findLast(({ event }) => event !== "error")?.data["entries"] ?? []));
	await expect.poll(last, { timeout: 10_000 }).toEqual(brief(shown));
	await watcher.cut();
	const ids = first.seen().map((event) => Number.parseInt(event.id, 10));
	expect(ids, id).toEqual(ids.toSorted((a, b) => a - b));
}

/** Expects that each event has reached each of its webhooks, under one id and with one body. Returns the number of deliveries. */
async function expectDelivered({ posters, received, senders }: Stage): Promise<number> {
	expect(await count("select count(*) from outbox")).toBe(0);
	const delivered = new Set<string>();
	for (const { id, url } of await queryAll<{ id: string; url: string }>("select id, url from webhooks")) {
		const log = await readWholeLog(senders, id);
		for (const { eventId, status } of log) {
			expect(status, eventId).toBe("delivered");
			expect(received.get(`${url} ${eventId}`)?.size, eventId).toBe(1);
			expect(delivered.has(`${url} ${eventId}`), eventId).toBe(false);
			delivered.add(`${url} ${eventId}`);
		}
	}
	const ownersEvents = await queryAll<{ id: string; type: string; url: string }>(
		`select o.id, o.type, w.url from _recorded_events o join task_cards t on t.id = o.payload->>'taskId' join webhooks w on w.agent_id = t.company_id
			where o.type in (select value from json_each(?))`,
		JSON.stringify(WEBHOOK_EVENTS.filter((type) => ["owner", "parties", "followers"].includes(EXPECTED_EVENTS[type].audience ?? ""))),
	);
	expect(ownersEvents.length).toBeGreaterThan(posters.length);
	// The log forgets a delivery after 30 days, and a long run skips more days. What a receiver has got was delivered.
	expect(ownersEvents.filter(({ id, url }) => !received.has(`${url} ${id}`))).toEqual([]);
	return delivered.size;
}

const LOG_PAGE = 1_000;

async function readWholeLog({ hubs }: HeldSenders, webhookId: string) {
	const log: LoggedDelivery[] = [];
	for (let page: LoggedDelivery[] | null = null; page === null || page.length === LOG_PAGE; ) {
		const query = { before: log.at(-1)?.id ?? null, limit: LOG_PAGE };
		page = await hubs.callSender(webhookId, (sender) => sender.listDeliveries(query));
		log.push(...page);
	}
	return log;
}
