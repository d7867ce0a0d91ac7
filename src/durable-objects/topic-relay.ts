import { DurableObject } from "cloudflare:workers";
import * as z from "zod";
import { createHubs } from "../compose/hubs.ts";
import { AppError } from "../domain/errors.ts";
import { createIds } from "../platform/ids.ts";
import { RELAY_CAPACITY, type Subscription, type TopicEntry } from "../ports/topics.ts";

const joinRequest = z.object({ topic: z.string(), relay: z.string() });
const attachment = z.object({ topic: z.string(), relay: z.string(), membership: z.string() });

type Attachment = z.infer<typeof attachment>;

const ids = createIds();

/**
 * Each object has the sockets of some watchers of a topic, is near them, and forwards entries to them. It hibernates between entries and
 * keeps the sockets. It does not unsubscribe when its last watcher leaves. The topic ends the subscription with the next entry, so a
 * watcher that returns earlier costs no write.
 */
export class TopicRelay extends DurableObject<Env> {
	/**
	 * The id of the relay's current subscription. When the relay reports that it has no sockets, the topic removes the subscription with this
	 * id. The relay takes a new id at the same time, so the topic cannot remove a newer subscription.
	 */
	#membership: string;

	constructor(ctx: DurableObjectState, env: Env) {
		super(ctx, env);
		const [known] = this.ctx.getWebSockets().flatMap((socket) => readAttachment(socket) ?? []);
		this.#membership = known?.membership ?? ids.next();
	}

	/**
	 * Accepts a watcher's socket with 101, and sends a hello as the first message. Returns 503 if the relay is full, and 404 if the topic
	 * does not exist. Returns 503 with `Retry-After` if the topic's object runs another version, because that object would reject other
	 * relays too.
	 */
	override async fetch(request: Request): Promise<Response> {
		const { topic, relay } = joinRequest.parse(Object.fromEntries(new URL(request.url).searchParams));
		if (this.ctx.getWebSockets().length >= RELAY_CAPACITY) return new Response(null, { status: 503 });
		const { 0: client, 1: server } = new WebSocketPair();
		const membership = this.#membership;
		// The socket is accepted before the relay subscribes, so that it gets every entry after the hello.
		this.ctx.acceptWebSocket(server);
		server.serializeAttachment({ topic, relay, membership } satisfies Attachment);
		const seq = await this.#join({ topic, relay, membership });
		if (seq instanceof Response) {
			server.close(1013);
			return seq;
		}
		if (seq === null) {
			server.close(1000);
			return new Response(null, { status: 404 });
		}
		server.send(JSON.stringify({ hello: { seq } }));
		return new Response(null, { status: 101, webSocket: client });
	}

	/**
	 * Subscribes to the topic. If the topic rejects this, returns a response, because an error would lose its class on the way to the Worker.
	 */
	async #join(subscription: Subscription): Promise<number | null | Response> {
		try {
			return await createHubs(this.env).joinTopic(subscription);
		} catch (error) {
			const seconds = error instanceof AppError ? error.facts.retryAfterSeconds : undefined;
			if (seconds === undefined) throw error;
			return new Response(null, { status: 503, headers: { "Retry-After": String(seconds) } });
		}
	}

	/** Forwards entries. Returns the number of watchers. */
	deliver(entries: readonly TopicEntry[]): number {
		const message = JSON.stringify({ entries });
		const sockets = this.ctx.getWebSockets();
		// The topic ends the subscription of a relay that returns 0.
		if (sockets.length === 0) this.#membership = ids.next();
		for (const socket of sockets) {
			try {
				socket.send(message);
			} catch {
				// The socket is closing. Its watcher will connect again and resume.
			}
		}
		return sockets.length;
	}

	override webSocketClose(socket: WebSocket): void {
		socket.close();
	}

	override webSocketError(socket: WebSocket): void {
		socket.close();
	}
}

function readAttachment(socket: WebSocket): Attachment | null {
	return attachment.safeParse(socket.deserializeAttachment()).data ?? null;
}
