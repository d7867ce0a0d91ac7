// Provides receivers of webhooks in this process, on real sockets.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";

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
 * Starts a receiver that responds with 200, or as `answer` does. It repeats the challenge of the test at a webhook's creation, and does
 * not record that test.
 */
export async function startReceiver(
	answer: (response: ServerResponse, call: ReceivedDelivery) => void = (response) => response.end("ok"),
): Promise<LocalReceiver> {
	const received: ReceivedDelivery[] = [];
	const tested = new Set<unknown>();
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("end", () => {
			const call = { at: Date.now(), headers: request.headers, body: Buffer.concat(chunks).toString() };
			const isTest = request.headers["x-svc-event"] === "webhook.test";
			const { webhook_id: id, challenge }: { webhook_id?: unknown; challenge?: string } = isTest ? JSON.parse(call.body) : {};
			if (id !== undefined && !tested.has(id)) {
				tested.add(id);
				response.end(challenge);
				return;
			}
			received.push(call);
			answer(response, call);
		});
	});
	// A request that is on its way when an idle connection closes is lost, which a test would see as a failed attempt.
	server.keepAliveTimeout = 60_000;
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("The receiver has no port.");
	return {
		url: `http://127.0.0.1:${address.port}/hook`,
		received,
		close: () =>
			new Promise((resolve) => {
				server.closeAllConnections();
				server.close(() => resolve());
			}),
	};
}
