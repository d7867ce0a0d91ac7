import { DurableObject } from "cloudflare:workers";
import * as z from "zod";
import { systemClock } from "../src/platform/clock.ts";
import { consoleLog, describeError } from "../src/platform/log.ts";
import { CENSUS_NAME, RELAY_CAPACITY, type TopicEntry } from "../src/ports/topics.ts";

const joinRequest = z.object({
	topic: z.string(),
	relay: z.string(),
	after: z.coerce.number().int().nullable().default(null),
});

const LOOK_AFTER_MS = 100;
const REPORT_AFTER_MS = 3_000;

const attachment = joinRequest.pick({ topic: true, relay: true }).extend({ joined: z.number() });

/** Holds the sockets of some watchers of one topic, near them, and passes entries on. Sleeps in between without losing a socket. */
export class TopicRelay extends DurableObject<Env> {
	/** The newest joining that this object has seen: sockets close in another order than they came. */
	#joined = 0;
	#isLooking = false;
	#isReporting = false;

	/** Takes a watcher's socket: 101, or 503 when the relay is full. The first message is a hello. */
	override async fetch(request: Request): Promise<Response> {
		const { topic, relay, after } = joinRequest.parse(Object.fromEntries(new URL(request.url).searchParams));
		if (this.ctx.getWebSockets().length >= RELAY_CAPACITY) return new Response(null, { status: 503 });
		const { 0: client, 1: server } = new WebSocketPair();
		// Accepted before it is announced, so that no entry falls between the hello and the socket.
		this.ctx.acceptWebSocket(server);
		const { joined, ...hello } = await this.env.TOPIC.getByName(topic).subscribe({ topic, relay, after });
		this.#joined = Math.max(this.#joined, joined);
		server.serializeAttachment({ topic, relay, joined });
		server.send(JSON.stringify({ hello }));
		this.ctx.waitUntil(this.#report(relay));
		return new Response(null, { status: 101, webSocket: client });
	}

	/** Tells the census how many watchers there are, once for all changes of a moment. */
	async #report(relay: string): Promise<void> {
		if (this.#isReporting) return;
		this.#isReporting = true;
		await new Promise<void>((resolve) => systemClock.after(REPORT_AFTER_MS, resolve));
		this.#isReporting = false;
		const open = this.ctx.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN);
		try {
			await this.env.CENSUS.getByName(CENSUS_NAME).report(relay, open.length);
		} catch (error) {
			consoleLog.error("census_failed", { relay, ...describeError(error) });
		}
	}

	/** Passes entries on; how many watchers there are. */
	deliver(entries: readonly TopicEntry[]): number {
		const message = JSON.stringify({ entries });
		const sockets = this.ctx.getWebSockets();
		for (const socket of sockets) {
			try {
				socket.send(message);
			} catch {
				// It is closing, and its watcher will resume.
			}
		}
		return sockets.length;
	}

	override async webSocketClose(socket: WebSocket): Promise<void> {
		await this.#forget(socket);
	}

	override async webSocketError(socket: WebSocket): Promise<void> {
		await this.#forget(socket);
	}

	/** Many sockets close at once, and looking at all of them for each of them takes too long: one look serves those of a moment. */
	async #forget(socket: WebSocket): Promise<void> {
		socket.close();
		const last = attachment.safeParse(socket.deserializeAttachment());
		if (!last.success) return;
		this.#joined = Math.max(this.#joined, last.data.joined);
		if (this.#isLooking) return;
		this.#isLooking = true;
		await new Promise<void>((resolve) => systemClock.after(LOOK_AFTER_MS, resolve));
		this.#isLooking = false;
		this.ctx.waitUntil(this.#report(last.data.relay));
		const isLeft = this.ctx.getWebSockets().every(({ readyState }) => readyState !== WebSocket.OPEN);
		// If the object dies first, the next entry reaches no one, and the topic forgets the relay then.
		if (isLeft) await this.env.TOPIC.getByName(last.data.topic).leave(last.data.relay, this.#joined);
	}
}
