// Provides receivers of webhooks in this process, on real sockets.
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { serveLocally } from "./local-server.ts";

export interface ReceivedDelivery {
	readonly at: number;
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
}

export interface LocalReceiver {
	readonly url: string;
	readonly received: ReceivedDelivery[];
	close(): Promise<void>;
}

/**
 * Starts a receiver that responds with 200, or as `answer` does. When a webhook is created, it repeats the challenge of the webhook's test,
 * and does not record that test.
 */
export async function startReceiver(
	answer: (response: ServerResponse, call: ReceivedDelivery) => void = (response) => response.end("ok"),
): Promise<LocalReceiver> {
	const received: ReceivedDelivery[] = [];
	const tested = new Set<unknown>();
	const { url, stop } = await serveLocally(async (request, response) => {
		const body = await text(request);
		const call = { at: Date.now(), headers: request.headers, body };
		const isTest = request.headers["x-svc-event"] === "webhook.test";
		const { webhook_id: id, challenge }: { webhook_id?: unknown; challenge?: string } = isTest ? JSON.parse(body) : {};
		if (id !== undefined && !tested.has(id)) {
			tested.add(id);
			response.end(challenge);
			return;
		}
		received.push(call);
		answer(response, call);
	});
	return { url: `${url}/hook`, received, close: stop };
}
