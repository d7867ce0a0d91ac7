// The SQL of the object `Watch` for sent alerts, an hour of 5xx responses, and the time of the last sweep.
import type { AlertPort, TakenAlerts, ToldAlert } from "../../../ports/watch.ts";
import { KEPT_MINUTES, planAlerts } from "./rules.ts";

export class AlertBook {
	readonly #sql: SqlStorage;

	constructor(sql: SqlStorage) {
		this.#sql = sql;
		sql.exec(`
			create table if not exists alerts (name text primary key, text text not null, told_at integer not null) without rowid;
			create table if not exists server_errors (minute integer primary key, errors integer not null);
			create table if not exists sweeps (id integer primary key, at integer not null)`);
	}

	take(causes: Parameters<AlertPort["takeAlerts"]>[0]): TakenAlerts {
		const told = [...this.#sql.exec<ToldAlert & Record<string, SqlStorageValue>>("select name, text, told_at as toldAt from alerts")];
		const { raised, ended, over } = planAlerts(told, causes);
		for (const { name, text } of raised) this.#write({ name, text, toldAt: causes.now });
		for (const name of over) this.#sql.exec("delete from alerts where name = ?", name);
		return { raised, ended };
	}

	/**
	 * Takes back alerts that could not be sent. A raised alert becomes due again immediately.
	 * An ended alert is stored again, so that the next call reports its end.
	 */
	giveBack({ raised, ended }: TakenAlerts): void {
		for (const { name } of raised) this.#sql.exec("update alerts set told_at = 0 where name = ?", name);
		for (const { name, text, toldAt } of ended) {
			this.#sql.exec("insert or ignore into alerts (name, text, told_at) values (?, ?, ?)", name, text, toldAt);
		}
	}

	addServerErrors({ minute, errors }: { readonly minute: number; readonly errors: number }): void {
		this.#sql.exec(
			"insert into server_errors (minute, errors) values (?1, ?2) on conflict do update set errors = errors + ?2",
			minute,
			errors,
		);
		this.#sql.exec("delete from server_errors where minute < ?", minute - KEPT_MINUTES);
	}

	sumServerErrors(sinceMinute: number): number {
		return this.#sql.exec<{ sum: number }>("select coalesce(sum(errors), 0) as sum from server_errors where minute >= ?", sinceMinute).one()
			.sum;
	}

	noteSweep(now: number): void {
		this.#sql.exec("insert or replace into sweeps (id, at) values (1, ?)", now);
	}

	readLastSweep(): number | null {
		const [row] = this.#sql.exec<{ at: number }>("select at from sweeps");
		return row?.at ?? null;
	}

	#write({ name, text, toldAt }: ToldAlert): void {
		this.#sql.exec("insert or replace into alerts (name, text, told_at) values (?, ?, ?)", name, text, toldAt);
	}
}
