import { DurableObject } from "cloudflare:workers";
import { SupplierBook } from "../core/judging/breaker/supplier-book.ts";
import { AlertBook } from "../extensions/operating/alerts/alert-book.ts";
import type { AlertPort, SupplierFault, TakenAlerts, WatchPort } from "../ports/watch.ts";

/** There is only one such object. It knows which suppliers of models are skipped, and of what operators have been notified. */
export class Watch extends DurableObject<Env> implements WatchPort {
	readonly #suppliers = new SupplierBook(this.ctx.storage.sql);
	readonly #alerts = new AlertBook(this.ctx.storage.sql);

	async readSuppliers(now: number) {
		return this.#suppliers.list(now);
	}
	async noteFault(fault: SupplierFault) {
		this.#suppliers.noteFault(fault);
	}
	async noteAnswer(answer: { readonly supplier: string; readonly sentAt: number }) {
		this.#suppliers.noteAnswer(answer);
	}
	async takeTry(wanted: { readonly supplier: string; readonly now: number }) {
		return this.#suppliers.takeTry(wanted);
	}

	async takeAlerts(causes: Parameters<AlertPort["takeAlerts"]>[0]) {
		return this.ctx.storage.transactionSync(() => this.#alerts.take(causes));
	}
	async returnAlerts(unsent: TakenAlerts) {
		this.ctx.storage.transactionSync(() => this.#alerts.giveBack(unsent));
	}
	async addServerErrors(counted: { readonly minute: number; readonly errors: number }) {
		this.#alerts.addServerErrors(counted);
	}
	async sumServerErrors(sinceMinute: number) {
		return this.#alerts.sumServerErrors(sinceMinute);
	}
	async noteSweep(now: number) {
		this.#alerts.noteSweep(now);
	}
	async readLastSweep() {
		return this.#alerts.readLastSweep();
	}
}
