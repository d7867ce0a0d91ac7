// Server-sent events as the console reads them.
import fc from "fast-check";
import { expect, it } from "vitest";
import { createEventParser, type StreamEvent } from "../../console/src/api/stream-parser.ts";

function parseParts(parts: readonly string[]): { events: StreamEvent[]; lastEventId: string | null } {
	const events: StreamEvent[] = [];
	const parse = createEventParser((event) => events.push(event));
	for (const part of parts) parse(part);
	return { events, lastEventId: parse.lastEventId() };
}

const TEXT = 'retry: 2000\n\nid: 1\nevent: leaderboard\ndata: {"a":\ndata: 1}\n\n: still here\n\ndata:x\r\n\r\nid: 7\n\n';

it("reads names, data of several lines, and ids, also an id without data", () => {
	expect(parseParts([TEXT])).toEqual({
		events: [
			{ event: "leaderboard", data: '{"a":\n1}' },
			{ event: "message", data: "x" },
		],
		lastEventId: "7",
	});
});

it("does not depend on how the text is cut into parts", () => {
	const cuts = fc.array(fc.integer({ min: 0, max: TEXT.length }), { maxLength: 12 });
	fc.assert(
		fc.property(cuts, (places) => {
			const sorted = [0, ...places.toSorted((a, b) => a - b), TEXT.length];
			const parts = sorted.slice(1).map((end, index) => TEXT.slice(sorted[index], end));
			expect(parseParts(parts)).toEqual(parseParts([TEXT]));
		}),
	);
});

it("forgets what was not complete when the connection was lost, its id included", () => {
	const events: StreamEvent[] = [];
	const parse = createEventParser((event) => events.push(event));
	parse("id: 1\ndata: one\n\nid: 2\ndata: tw");
	parse.reset();
	expect(parse.lastEventId()).toBe("1");
	parse("data: three\n\n");
	expect(events.map(({ data }) => data)).toEqual(["one", "three"]);
});
