import { DurableObject } from "cloudflare:workers";
import { MINUTE_MS, systemClock } from "../src/platform/clock.ts";

/** A relay with watchers reports more often: no stream lives longer than this, and each end is a change. */
const EXPIRES_AFTER_MS = 30 * MINUTE_MS;
/** A report that says nothing new renews only a row that is older, so that a watcher's reconnect writes nothing. */
const RENEWED_AFTER_MS = 10 * MINUTE_MS;

/** Counts the open streams of the whole deployment. Relays report what they hold, at most every few seconds. */
export class Census extends DurableObject<Env> {
	constructor(ctx: DurableObjectState, env: Env) {
		super(ctx, env);
		ctx.storage.sql.exec(
			"CREATE TABLE IF NOT EXISTS relays (name TEXT PRIMARY KEY, watchers INTEGER NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID",
		);
	}

	/** Notes how many watchers a relay has. */
	report(relay: string, watchers: number): void {
		const { sql } = this.ctx.storage;
		if (watchers === 0) sql.exec("DELETE FROM relays WHERE name = ?", relay);
		else
			sql.exec(
				`INSERT INTO relays (name, watchers, at) VALUES (?1, ?2, ?3)
				ON CONFLICT DO UPDATE SET watchers = ?2, at = ?3 WHERE watchers <> ?2 OR at < ?3 - ?4`,
				...[relay, watchers, systemClock.now(), RENEWED_AFTER_MS],
			);
	}

	/** How many watchers all relays have. Relays that died without a word are forgotten. */
	count(): number {
		this.ctx.storage.sql.exec("DELETE FROM relays WHERE at < ?", systemClock.now() - EXPIRES_AFTER_MS);
		return Number(this.ctx.storage.sql.exec("SELECT coalesce(sum(watchers), 0) AS watchers FROM relays").one()["watchers"]);
	}
}
