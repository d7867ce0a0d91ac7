import { applyD1Migrations, type D1Migration } from "cloudflare:test";
import { env } from "cloudflare:workers";

declare global {
	namespace Cloudflare {
		interface Env {
			readonly TEST_MIGRATIONS: D1Migration[];
		}
	}
}

await emptyDatabase();
await Promise.all([env.BUCKET, env.TEST_BACKUPS].map(emptyBucket));
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

// The outbox forgets what it has sent on, so tests find here what happened.
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

/** Files share a worker and its storage, and each of them begins with an empty one. A search index takes its own tables with it. */
async function emptyDatabase(): Promise<void> {
	const { results } = await env.DB.prepare(
		`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like '\\_cf\\_%' escape '\\'
			order by sql not like 'CREATE VIRTUAL%', rowid desc`,
	).all<{ name: string }>();
	if (results.length === 0) return;
	const drops = results.map(({ name }) => env.DB.prepare(`drop table if exists "${name}"`));
	await env.DB.batch([env.DB.prepare("pragma defer_foreign_keys = true"), ...drops]);
}

async function emptyBucket(bucket: R2Bucket): Promise<void> {
	for (;;) {
		const { objects } = await bucket.list();
		if (objects.length === 0) return;
		await bucket.delete(objects.map(({ key }) => key));
	}
}
