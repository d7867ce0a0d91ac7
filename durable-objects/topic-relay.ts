import { DurableObject } from "cloudflare:workers";
import * as z from "zod";
import { createHubs } from "../src/compose/hubs.ts";
import { systemClock } from "../src/platform/clock.ts";
import { createIds } from "../src/platform/ids.ts";
import { consoleLog, describeError } from "../src/platform/log.ts";
import { RELAY_CAPACITY, type TopicEntry } from "../src/ports/topics.ts";

const joinRequest = z.object({ topic: z.string(), relay: z.string() });
const attachment = z.object({ topic: z.string(), relay: z.string(), membership: z.string() });

type Attachment = z.infer<typeof attachment>;

/** A client waits less than this before it reconnects, so it finds the relay in place and its return writes nothing. */
const SETTLE_MS = 4_000;
const ids = createIds();

/**
 * Each object holds the sockets of some watchers of one topic, near them, and passes entries on. It sleeps between entries without losing a
 * socket.
 */
export class TopicRelay extends DurableObject<Env> {
	/** The relay takes a new membership whenever it leaves, so that a leave that arrives late removes nothing newer. */
	#membership: string;
	/** Sockets with these memberships have closed. */
	readonly #closed = new Set<string>();
	#closedAt = 0;
	#isSettling = false;

	constructor(ctx: DurableObjectState, env: Env) {
		super(ctx, env);
		const [known] = this.#openSockets().flatMap((socket) => readAttachment(socket) ?? []);
		this.#membership = known?.membership ?? ids.next();
	}

	/**
	 * Accepts a watcher's socket with 101, and sends a hello first. Returns 503 if the relay is full, 404 if there is nothing to watch.
	 */
	override async fetch(request: Request): Promise<Response> {
		const { topic, relay } = joinRequest.parse(Object.fromEntries(new URL(request.url).searchParams));
		if (this.ctx.getWebSockets().length >= RELAY_CAPACITY) return new Response(null, { status: 503 });
		const { 0: client, 1: server } = new WebSocketPair();
		const membership = this.#membership;
		// The socket is accepted before it is announced, so that no entry falls between the hello and the socket.
		this.ctx.acceptWebSocket(server);
		server.serializeAttachment({ topic, relay, membership } satisfies Attachment);
		const seq = await createHubs(this.env).joinTopic({ topic, relay, membership });
		if (seq === null) {
			server.close(1000);
			return new Response(null, { status: 404 });
		}
		server.send(JSON.stringify({ hello: { seq } }));
		this.ctx.waitUntil(this.#reportUntilQuiet({ topic, relay, membership }));
		return new Response(null, { status: 101, webSocket: client });
	}

	/** Passes entries on. Returns the number of watchers. */
	deliver(entries: readonly TopicEntry[]): number {
		const message = JSON.stringify({ entries });
		const sockets = this.ctx.getWebSockets();
		// The topic removes a relay that returns 0.
		if (sockets.length === 0) this.#membership = ids.next();
		for (const socket of sockets) {
			try {
				socket.send(message);
			} catch {
				// The socket is closing, and its watcher will resume.
			}
		}
		return sockets.length;
	}

	override webSocketClose(socket: WebSocket): void {
		this.#forget(socket);
	}

	override webSocketError(socket: WebSocket): void {
		this.#forget(socket);
	}

	#forget(socket: WebSocket): void {
		socket.close();
		const last = readAttachment(socket);
		if (last === null) return;
		this.#closed.add(last.membership);
		this.#closedAt = systemClock.now();
		this.ctx.waitUntil(this.#reportUntilQuiet(last));
	}

	/**
	 * Waits until no watcher comes or goes any more, then reports the number of watchers, and leaves the topic if none is left. It runs
	 * once for all sockets of the moment, because each run visits all of them.
	 */
	async #reportUntilQuiet({ topic, relay }: Attachment): Promise<void> {
		if (this.#isSettling) return;
		this.#isSettling = true;
		for (let waitMs = SETTLE_MS; waitMs > 0; waitMs = this.#settlesIn()) {
			await new Promise<void>((resolve) => systemClock.after(waitMs, resolve));
			await this.#report(relay);
		}
		this.#isSettling = false;
		if (this.#openSockets().length > 0) return;
		const memberships = [...this.#closed, this.#membership];
		this.#closed.clear();
		this.#membership = ids.next();
		// If the object dies first, the next entry reaches no socket, and the topic then forgets the relay.
		await createHubs(this.env).leaveTopic(topic, relay, memberships);
	}

	/** Returns for how many milliseconds the last watcher may still come back. Returns 0 or less if there are watchers. */
	#settlesIn(): number {
		return this.#openSockets().length > 0 ? 0 : this.#closedAt + SETTLE_MS - systemClock.now();
	}

	async #report(relay: string): Promise<void> {
		try {
			await createHubs(this.env).noteWatchers(relay, this.#openSockets().length);
		} catch (error) {
			consoleLog.error("watchers_not_noted", { relay, ...describeError(error) });
		}
	}

	#openSockets(): WebSocket[] {
		return this.ctx.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN);
	}
}

function readAttachment(socket: WebSocket): Attachment | null {
	return attachment.safeParse(socket.deserializeAttachment()).data ?? null;
}
