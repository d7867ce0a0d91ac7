// Tests how the SDK reads server-sent events, for programs, the console and the command line.
import fc from "fast-check";
import { expect, it } from "vitest";
import { readEvents, type ServerSentEvent } from "../../packages/sdk/src/core/event-stream.ts";
import { connect } from "../../packages/sdk/src/core/follow.ts";

function respond(parts: readonly string[], isBroken = false): Response {
	const bytes = parts.map((part) => new TextEncoder().encode(part));
	const body = new ReadableStream<Uint8Array>({
		pull(controller) {
			const next = bytes.shift();
			if (next !== undefined) controller.enqueue(next);
			else if (isBroken) controller.error(new TypeError("The connection broke."));
			else controller.close();
		},
	});
	return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}

async function parseParts(parts: readonly string[]) {
	const events: (ServerSentEvent | null)[] = [];
	const heard = { lastId: "", retryMs: 0 };
	const listeners = {
		onId: (id: string) => {
			heard.lastId = id;
		},
		onRetry: (ms: number) => {
			heard.retryMs = ms;
		},
	};
	for await (const event of readEvents(respond(parts), listeners)) events.push(event);
	return { events, ...heard };
}

const TEXT = 'retry: 2000\n\nid: 1\nevent: leaderboard\ndata: {"a":\ndata: 1}\n\n: still here\n\ndata:ü\r\n\r\nid: 7\n\n';

it("reads names, data of several lines, comments, the time to wait, and ids, also an id without data", async () => {
	expect(await parseParts([TEXT])).toEqual({
		events: [{ type: "leaderboard", id: "1", data: '{"a":\n1}' }, null, { type: "message", id: "", data: "ü" }],
		lastId: "7",
		retryMs: 2000,
	});
});

it("does not depend on how the text is split", async () => {
	const whole = await parseParts([TEXT]);
	const cuts = fc.array(fc.integer({ min: 0, max: TEXT.length }), { maxLength: 12 });
	await fc.assert(
		fc.asyncProperty(cuts, async (places) => {
			const sorted = [0, ...places.toSorted((a, b) => a - b), TEXT.length];
			const parts = sorted.slice(1).map((end, index) => TEXT.slice(sorted[index], end));
			expect(await parseParts(parts)).toEqual(whole);
		}),
	);
});

it("forgets an incomplete event when the connection is lost, with its id", async () => {
	const open = async () => respond(['id: 1\ndata: "one"\n\nid: 2\ndata: "tw'], true);
	const connection = await connect<{ data: unknown }>(open, { lastEventId: undefined, signal: undefined, onRetry: () => {} });
	const seen: unknown[] = [];
	const reading = async () => {
		for await (const event of connection.events) seen.push(event?.data);
	};
	await expect(reading()).rejects.toThrow("The connection broke.");
	expect([seen, connection.lastEventId()]).toEqual([["one"], "1"]);
});
