import { applyD1Migrations, type D1Migration } from "cloudflare:test";
import { env } from "cloudflare:workers";

declare global {
	namespace Cloudflare {
		interface Env {
			readonly TEST_MIGRATIONS: D1Migration[];
		}
	}
}

await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

// The outbox forgets what it has sent on, so tests find here what happened.
await env.DB.batch(
	[
		"CREATE TABLE IF NOT EXISTS _recorded_events (id TEXT PRIMARY KEY, type TEXT, payload TEXT)",
		`CREATE TRIGGER IF NOT EXISTS _event_recorded AFTER INSERT ON outbox
		BEGIN
			INSERT INTO _recorded_events (id, type, payload)
			SELECT value->>'id', value->>'type', value->>'payload' FROM json_each(new.events);
		END`,
	].map((statement) => env.DB.prepare(statement)),
);
