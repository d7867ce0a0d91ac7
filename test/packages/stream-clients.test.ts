// Tests the bytes of a stream with the parser of a client that others wrote.
import { type EventSourceMessage, getBytes, getLines, getMessages } from "@microsoft/fetch-event-source/lib/cjs/parse.js";
import { expect, it } from "vitest";
import { HEARTBEAT_MS, MAX_STREAM_MS, openEventStream } from "../../src/http/sse.ts";
import { manualClock } from "../support/manual-clock.ts";

it("hands each event, and nothing else, to a client that hands on every block", async () => {
	const clock = manualClock();
	const request = new Request("https://bounties.example/stream");
	const { response, sink } = openEventStream({ clock, random: 0, request, onEnd: () => {} });
	const messages: EventSourceMessage[] = [];
	const retries: number[] = [];
	const take = getLines(
		getMessages(
			() => {},
			(retry) => retries.push(retry ?? 0),
			(message) => messages.push(message),
		),
	);
	const reading = getBytes(response.body ?? new ReadableStream(), take);
	clock.advance(HEARTBEAT_MS);
	sink.send({ event: "task", id: "1", json: "1" });
	sink.advance({ event: "connected", id: "2", json: "2" });
	clock.advance(HEARTBEAT_MS);
	sink.advance({ event: "connected", id: "3", json: "3" });
	sink.send({ event: "task", id: "4", json: "4" });
	sink.advance({ event: "connected", id: "5", json: "5" });
	clock.advance(MAX_STREAM_MS);
	await reading;
	expect(messages.map(({ id, event, data }) => [id, event, data])).toEqual([
		["1", "task", "1"],
		["2", "connected", "2"],
		["4", "task", "4"],
		["5", "connected", "5"],
	]);
	expect(retries).toEqual([2_000, 1_000]);
});
