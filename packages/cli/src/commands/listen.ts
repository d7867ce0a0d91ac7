// `webhooks listen` reads events from the log of a webhook and from the stream of new tasks, and posts them to a service on this
// machine.

import { usageError } from "../core/exit-codes.ts";
import {
	assertSafeUrl,
	type BountyClient,
	type CreateWebhookBody,
	EVENT_TEXTS,
	isTransient,
	type ListWebhookDeliveriesResult,
	type Paged,
	type Schemas,
	sleep,
	trustDocument,
} from "../core/sdk.ts";
import type { Context } from "../terminal/context.ts";
import type { Given } from "./define.ts";
import { assertSecret, makeSecret, signedHeaders } from "./signing.ts";

interface ListenOptions {
	readonly forward: string;
	readonly webhook?: string;
	readonly event?: readonly string[];
	readonly secret?: string;
}

type Entry = Schemas["WebhookDelivery"];

const POLL_MS = 2_000;
const FORWARD_TIMEOUT_MS = 10_000;
const CLEAN_UP_TIMEOUT_MS = 5_000;
const MAX_OUTAGE_MS = 300_000;
const LOG_PAGE = 20;
const EVENTS = Object.keys(EVENT_TEXTS);

/** Forwards events until Ctrl-C. */
export async function listen(ctx: Context, { options }: Given<ListenOptions>): Promise<void> {
	const target = assertSafeUrl(options.forward, "--forward").href;
	const unknown = (options.event ?? []).filter((name) => !EVENTS.includes(name));
	if (unknown.length > 0) throw usageError(`Unknown events: ${unknown.join(", ")}.`, `Events: ${EVENTS.join(", ")}.`);
	const secret = assertSecret(options.secret ?? (ctx.world.env["BOUNTY_WEBHOOK_SECRET"] || makeSecret()));
	const client = await ctx.client();
	const webhookId = options.webhook ?? (await createTemporary(ctx, client, options.event ?? EVENTS));
	try {
		const listener = new Listener(ctx, client, { target, secret, webhookId, events: options.event ?? null });
		await listener.run(options.webhook === undefined);
	} finally {
		if (options.webhook === undefined) await deleteTemporary(ctx, client, webhookId);
	}
}

/**
 * Creates a webhook whose host can never exist, so that nothing is delivered and the log fills. Each has a separate host, because the
 * platform limits the webhooks of one host.
 */
async function createTemporary(ctx: Context, client: BountyClient, events: readonly string[]): Promise<string> {
	const url = `https://${crypto.randomUUID()}.bounty-listen.example/`;
	const body = trustDocument<CreateWebhookBody>({ url, events });
	return (await client.createWebhook(body, { signal: ctx.signal })).id;
}

/**
 * Deletes the webhook without the signal, which is aborted by now.
 * If a crash leaves a webhook behind, the platform deactivates it within days.
 */
async function deleteTemporary(ctx: Context, client: BountyClient, id: string): Promise<void> {
	try {
		await client.deleteWebhook(id, { timeoutMs: CLEAN_UP_TIMEOUT_MS, maxRetries: 0 });
	} catch {
		ctx.terminal.warn(`The temporary webhook ${id} could not be deleted. Run: bounty webhooks delete ${id}`);
	}
}

interface Forwarding {
	readonly target: string;
	readonly secret: string;
	readonly webhookId: string;
	/** The events to forward. Null selects all events. */
	readonly events: readonly string[] | null;
}

class Listener {
	readonly #ctx: Context;
	readonly #client: BountyClient;
	readonly #forwarding: Forwarding;
	/** The ids of deliveries and of matched tasks. */
	readonly #seen = new Set<string>();

	constructor(ctx: Context, client: BountyClient, forwarding: Forwarding) {
		this.#ctx = ctx;
		this.#client = client;
		this.#forwarding = forwarding;
	}

	async run(isTemporary: boolean): Promise<void> {
		const { terminal, signal } = this.#ctx;
		const { target, secret, webhookId, events } = this.#forwarding;
		for (const { id } of (await this.#openLog(signal).page()).items) this.#seen.add(id);
		terminal.line({ type: "listening", webhook_id: webhookId, forward: target, secret }, (paint) =>
			[`Forwarding to ${target}. Ctrl-C ends it.`, `${paint("dim", "signing secret")}  ${secret}`].join("\n"),
		);
		const stop = new AbortController();
		const linked = AbortSignal.any([signal, stop.signal]);
		// The log of an unverified webhook has no tasks of other agents, but the stream does.
		const isMatching = isTemporary && (events === null || events.includes("task.matched"));
		try {
			await Promise.all([this.#followLog(linked), ...(isMatching ? [this.#followTasks(linked)] : [])]);
		} finally {
			stop.abort();
		}
	}

	/** Forwards new entries of the log, oldest first, and survives outages. */
	async #followLog(signal: AbortSignal): Promise<void> {
		for (let lostAt: number | null = null; ; ) {
			await sleep(POLL_MS, signal);
			try {
				for (const entry of await this.#readNew(signal)) {
					this.#seen.add(entry.id);
					if (!this.#isWanted(entry.event)) continue;
					await this.#forward({ id: entry.id, event: entry.event, eventId: entry.event_id, payload: entry.payload });
				}
				lostAt = null;
			} catch (error) {
				signal.throwIfAborted();
				lostAt ??= Date.now();
				if (!isTransient(error) || Date.now() - lostAt > MAX_OUTAGE_MS) throw error;
				this.#ctx.terminal.note(`${error instanceof Error ? error.message : String(error)} Trying again.`);
			}
		}
	}

	/**
	 * Returns the new entries of the log, oldest first.
	 * Includes unwanted events, because reading stops at a page with an entry that was seen before.
	 */
	async #readNew(signal: AbortSignal): Promise<Entry[]> {
		const found: Entry[] = [];
		for await (const { items } of this.#openLog(signal).pages()) {
			const fresh = items.filter(({ id }) => !this.#seen.has(id));
			found.push(...fresh);
			if (fresh.length < items.length) break;
		}
		return found.reverse();
	}

	#openLog(signal: AbortSignal): Paged<ListWebhookDeliveriesResult> {
		return this.#client.listWebhookDeliveries(this.#forwarding.webhookId, { limit: LOG_PAGE }, { signal });
	}

	#isWanted(event: string): boolean {
		const { events } = this.#forwarding;
		return events === null || events.includes(event) || event === "webhook.test";
	}

	/** Forwards new tasks with the caller's specialization tags, as the event `task.matched`. */
	async #followTasks(signal: AbortSignal): Promise<void> {
		const { specialization_tags: tags } = await this.#client.getProfile({ signal });
		if (tags.length === 0) return;
		for await (const event of this.#client.streamBounties({ category: tags }, { signal, maxOutageMs: MAX_OUTAGE_MS })) {
			if (event.type !== "bounty" || this.#seen.has(event.data.id)) continue;
			const { id: taskId, category, budget_cents, winner_gets_cents } = event.data;
			this.#seen.add(taskId);
			const id = crypto.randomUUID();
			const timestamp = new Date().toISOString();
			const payload = { event: "task.matched", id, timestamp, task_id: taskId, category, budget_cents, winner_gets_cents };
			await this.#forward({ id, event: "task.matched", eventId: id, payload });
		}
	}

	async #forward({ id, event, eventId, payload }: { id: string; event: string; eventId: string; payload: unknown }): Promise<void> {
		const { target, secret } = this.#forwarding;
		const body = JSON.stringify(payload);
		const headers = signedHeaders(secret, { id, event, eventId, body, now: Date.now() });
		const outcome = await this.#post(target, { headers, body });
		this.#ctx.signal.throwIfAborted();
		const data = { type: "delivery", delivery_id: id, event, event_id: eventId, ...outcome };
		this.#ctx.terminal.line(data, (paint) => {
			const isFine = outcome.status !== null && outcome.status >= 200 && outcome.status < 300;
			return `${paint(isFine ? "green" : "red", String(outcome.status ?? "failed"))}  ${event}  ${eventId}${outcome.error === null ? "" : `  ${outcome.error}`}`;
		});
	}

	/**
	 * Makes one attempt to deliver. Returns an error instead of throwing it, because a service that is not up yet must not end the command.
	 */
	async #post(
		target: string,
		{ headers, body }: { headers: Record<string, string>; body: string },
	): Promise<{ status: number | null; error: string | null }> {
		try {
			const signal = AbortSignal.any([this.#ctx.signal, AbortSignal.timeout(FORWARD_TIMEOUT_MS)]);
			const response = await fetch(target, { method: "POST", headers, body, redirect: "manual", signal });
			await response.body?.cancel();
			return { status: response.status, error: null };
		} catch (error) {
			const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
			return { status: null, error: cause instanceof Error ? cause.message : String(cause) };
		}
	}
}
