import { abortAllDurableObjects, applyD1Migrations, type D1Migration, listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { TASK_PARTS } from "#platform";
import { forgetListedKeys } from "../../src/core/judging/receipts.ts";
import { loadViews } from "../../src/extensions/pages/page.ts";
import type { Deps, RecordedEvent } from "../../src/ports/deps.ts";
import type { TaskStore } from "../../src/ports/task.ts";

import "./counted-limits.ts";
import { EMPTIED_TASKS } from "./emptied-tasks.ts";

declare global {
	namespace Cloudflare {
		interface Env {
			readonly TEST_MIGRATIONS: D1Migration[];
			readonly TEST_SEARCH_MIGRATIONS: D1Migration[];
		}
	}
}

// Requests share an import in vitest, and a request that waits for another one's import hangs.
await loadViews();
await emptyTasks();
await Promise.all([env.DB, env.SEARCH].map(emptyDatabase));
await emptyBucket();
forgetListedKeys();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
await applyD1Migrations(env.SEARCH, env.TEST_SEARCH_MIGRATIONS);

// The outbox deletes sent events, so this table keeps them for tests.
await env.DB.batch(
	[
		"CREATE TABLE _recorded_events (id TEXT PRIMARY KEY, type TEXT, payload TEXT)",
		`CREATE TRIGGER _event_recorded AFTER INSERT ON outbox
		BEGIN
			INSERT INTO _recorded_events (id, type, payload)
			SELECT value->>'id', value->>'type', value->>'payload' FROM json_each(new.events);
		END`,
	].map((statement) => env.DB.prepare(statement)),
);

async function recordForTests(_task: TaskStore, _deps: Deps, { id, event: { type, ...payload } }: RecordedEvent): Promise<null> {
	await env.DB.prepare("insert or ignore into _recorded_events (id, type, payload) values (?, ?, ?)")
		.bind(id, type, JSON.stringify(payload))
		.run();
	return null;
}

// Files share a worker, so the previous file's listener is still there.
const listeners = TASK_PARTS.listeners.filter(({ name }) => name !== recordForTests.name);
Object.assign(TASK_PARTS, { listeners: [...listeners, { name: recordForTests.name, listen: recordForTests }] });

/** Empties a database, because files share a worker and its storage. A search index drops its tables with it. */
async function emptyDatabase(db: D1Database): Promise<void> {
	const { results } = await db
		.prepare(
			`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like '\\_cf\\_%' escape '\\'
			order by sql not like 'CREATE VIRTUAL%', rowid desc`,
		)
		.all<{ name: string }>();
	if (results.length === 0) return;
	const drops = results.map(({ name }) => db.prepare(`drop table if exists "${name}"`));
	await db.batch([db.prepare("pragma defer_foreign_keys = true"), ...drops]);
}

/**
 * Empties the tasks of earlier test files. Their alarms would write cards while this file counts them, and in memory they would still have
 * their tables.
 */
async function emptyTasks(): Promise<void> {
	const left = (await listDurableObjectIds(env.TASK)).filter((id) => !EMPTIED_TASKS.has(id.toString()));
	for (const id of left) {
		EMPTIED_TASKS.add(id.toString());
		await runInDurableObject(env.TASK.get(id), async (_object, { storage }) => {
			await storage.deleteAll();
			await storage.sync();
		});
	}
	if (left.length > 0) await abortAllDurableObjects();
}

async function emptyBucket(): Promise<void> {
	for (;;) {
		const { objects } = await env.BUCKET.list();
		if (objects.length === 0) return;
		await env.BUCKET.delete(objects.map(({ key }) => key));
	}
}
