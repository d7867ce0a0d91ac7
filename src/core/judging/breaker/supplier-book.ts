// Stores the state of each supplier in the database of the object `Watch`.
import * as z from "zod";
import type { SupplierFault, SupplierState, SupplierTry } from "../../../ports/watch.ts";
import { addAnswer, addFault, hasFaults, type SupplierRecord, takeTry, UNTROUBLED } from "./rules.ts";

const time = z.number().nullable();
const recordSchema = z.object({
	faults: z.array(z.object({ at: z.number(), subjectId: z.string() })),
	answeredAt: time,
	openSince: time,
	triedAt: time,
	words: z.string().nullable(),
});

export class SupplierBook {
	readonly #sql: SqlStorage;

	constructor(sql: SqlStorage) {
		this.#sql = sql;
		sql.exec("create table if not exists suppliers (name text primary key, record text not null) without rowid");
	}

	list(now: number): SupplierState[] {
		const rows = [...this.#sql.exec<{ name: string; record: string }>("select name, record from suppliers order by name")];
		return rows.map(({ name, record: text }) => {
			const record = parse(text);
			return { supplier: name, openSince: record.openSince, hasFaults: hasFaults(record, now), words: record.words };
		});
	}

	noteFault({ supplier, ...fault }: SupplierFault): void {
		this.#write(supplier, addFault(this.#read(supplier), fault));
	}

	noteAnswer({ supplier, sentAt }: { readonly supplier: string; readonly sentAt: number }): void {
		this.#write(supplier, addAnswer(this.#read(supplier), sentAt));
	}

	takeTry({ supplier, now }: { readonly supplier: string; readonly now: number }): SupplierTry {
		const { record, taken } = takeTry(this.#read(supplier), now);
		if (taken.mayTry) this.#write(supplier, record);
		return taken;
	}

	#read(supplier: string): SupplierRecord {
		const [row] = this.#sql.exec<{ record: string }>("select record from suppliers where name = ?", supplier);
		return row === undefined ? UNTROUBLED : parse(row.record);
	}

	#write(supplier: string, record: SupplierRecord): void {
		this.#sql.exec("insert or replace into suppliers (name, record) values (?, ?)", supplier, JSON.stringify(record));
	}
}

/** Parses a supplier's record. Treats a record of another form as empty, because the breaker must never stop judging by mistake. */
function parse(text: string): SupplierRecord {
	return recordSchema.safeParse(JSON.parse(text)).data ?? UNTROUBLED;
}
