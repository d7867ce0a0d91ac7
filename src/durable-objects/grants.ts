import { DurableObject } from "cloudflare:workers";
import { backgroundIn, createDeps } from "../compose/create-deps.ts";
import { commit } from "../db/commit.ts";
import { DeviceRequestBook } from "../extensions/oauth/object/device-request.ts";
import { GrantBook } from "../extensions/oauth/object/grant-book.ts";
import { ItemStore } from "../extensions/oauth/object/item-store.ts";
import { endGrantsOfKeys } from "../extensions/oauth/statements.ts";
import { keepAlarm } from "../platform/alarms.ts";
import { MINUTE_MS, systemClock } from "../platform/clock.ts";
import { consoleLog, describeError } from "../platform/log.ts";
import type { Approval, DeviceRequest, GrantCall, GrantsPort, TokenCall } from "../ports/grants.ts";

/**
 * One object per person who has connected programs, per agent that has done so with a key, and per device request. It stores codes and
 * refresh tokens, and handles one call at a time.
 */
export class Grants extends DurableObject<Env> implements GrantsPort {
	readonly #items = new ItemStore(this.ctx.storage.sql, () => systemClock.now());
	readonly #grants = new GrantBook(this.#items);
	readonly #request = new DeviceRequestBook(this.#items);

	approve(approval: Approval) {
		return this.#settling(() => this.#grants.approve(approval));
	}
	callToken(call: TokenCall) {
		return this.#settling(() => this.#grants.callToken(call));
	}
	issue(issue: Parameters<GrantsPort["issue"]>[0] & GrantCall) {
		return this.#settling(() => this.#grants.issue(issue));
	}
	end(keys: readonly string[]) {
		return this.#settling(() => this.#grants.end(keys));
	}

	openRequest(request: DeviceRequest) {
		return this.#settling(async () => this.#request.open(request));
	}
	async readRequest(now: number) {
		const request = this.#request.read(now);
		return request === null ? null : { client: request.client, scope: request.scope, expiresAt: request.expiresAt, state: request.state };
	}
	async decideRequest(decision: Parameters<GrantsPort["decideRequest"]>[0]) {
		return this.#request.decide(decision);
	}
	async poll(poll: Parameters<GrantsPort["poll"]>[0]) {
		return this.#request.poll(poll);
	}

	override async alarm(): Promise<void> {
		await keepAlarm(this.ctx.storage, "grants_alarm_failed", () => this.#settle());
	}

	/**
	 * Runs `work`, and deletes the grants that have ended from the directory before the caller gets the result. If this fails, an alarm tries
	 * again.
	 */
	async #settling<Result>(work: () => Promise<Result>): Promise<Result> {
		const result = await work();
		try {
			await this.#settle();
		} catch (error) {
			consoleLog.error("grants_not_settled", describeError(error));
			await this.ctx.storage.setAlarm(systemClock.now() + MINUTE_MS);
		}
		return result;
	}

	async #settle(): Promise<void> {
		const ended = this.#items.listEnds();
		if (ended.length > 0) {
			const deps = createDeps({ env: this.env, background: backgroundIn(this.ctx), readFrom: "first-primary" });
			await commit(deps.db, endGrantsOfKeys(deps, ended));
			for (const key of ended) this.#items.forgetEnd(key);
		}
		const next = this.#items.forget();
		if (next !== null) return this.ctx.storage.setAlarm(next);
		await this.ctx.storage.deleteAlarm();
	}
}
