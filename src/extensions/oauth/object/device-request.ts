// A device's request is an object whose name is the hash of the device code, so only the device can find it.
import type { DeviceRequest, DeviceState, PollResult } from "../../../ports/grants.ts";
import { POLL_INTERVAL_MS } from "../rules.ts";
import type { ItemStore } from "./item-store.ts";

interface StoredRequest extends DeviceRequest {
	readonly state: DeviceState;
	readonly holder: string | null;
	readonly polledAt: number | null;
}

const REQUEST = "request";

/** Each method is synchronous, so if two polls arrive at once, only one gets the approval. */
export class DeviceRequestBook {
	readonly #items: ItemStore;

	constructor(items: ItemStore) {
		this.#items = items;
	}

	open(request: DeviceRequest): void {
		this.#save({ ...request, state: "pending", holder: null, polledAt: null });
	}

	/** Returns null if the request is unknown or has expired. */
	read(now: number): StoredRequest | null {
		const request = this.#items.read<StoredRequest>(REQUEST);
		return request === null || request.expiresAt <= now ? null : request;
	}

	decide({ holder, now }: { readonly holder: string | null; readonly now: number }): boolean {
		const request = this.read(now);
		if (request?.state !== "pending") return false;
		this.#save({ ...request, state: holder === null ? "denied" : "approved", holder });
		return true;
	}

	poll({ clientId, now }: { readonly clientId: string; readonly now: number }): PollResult {
		const request = this.#items.read<StoredRequest>(REQUEST);
		if (request === null || request.expiresAt <= now) return { state: "expired_token" };
		const { client, scope, state, holder, polledAt } = request;
		if (client.clientId !== clientId || state === "used") return { state: "invalid_grant" };
		if (state === "denied") return { state: "access_denied" };
		if (state === "approved" && holder !== null) {
			this.#save({ ...request, state: "used" });
			return { state: "approved", holder, scope, client };
		}
		this.#save({ ...request, polledAt: now });
		return { state: polledAt !== null && now - polledAt < POLL_INTERVAL_MS ? "slow_down" : "authorization_pending" };
	}

	#save(request: StoredRequest): void {
		this.#items.write(REQUEST, request, { expiresAt: request.expiresAt });
	}
}
