import { afterEach, describe, expect, it } from "vitest";
import { forgetBody, MAX_LARGE_BODIES } from "../../src/http/held-bodies.ts";
import { readBytes } from "../../src/http/raw-body.ts";
import { manualClock } from "../support/manual-clock.ts";

const MB = 1_048_576;
const clock = manualClock();
const open: (() => void)[] = [];

/** Sends this many bytes of a body that then stays open. */
function sendSlowly(bytes: number, address: string) {
	const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
	const writer = writable.getWriter();
	const request = new Request("https://bounty.test/", {
		method: "POST",
		headers: { "CF-Connecting-IP": address },
		body: readable,
		...{ duplex: "half" },
	});
	const reading = readBytes(request, 20 * MB, { clock });
	reading.catch(() => undefined);
	const sent = writer.write(new Uint8Array(bytes));
	sent.catch(() => undefined);
	const end = () => void writer.close().catch(() => undefined);
	const respond = () => forgetBody(request);
	open.push(end, respond);
	const sendMore = (more: number) => writer.write(new Uint8Array(more));
	return { reading, sent, end, sendMore, respond };
}

afterEach(() => {
	for (const end of open.splice(0)) end();
});

/** Waits until the sent bytes have been read and the next read waits for its client, then moves the clock. */
async function wait(sent: Promise<void>, seconds: number): Promise<void> {
	await sent;
	await expect.poll(() => clock.waiting(), { interval: 1 }).toBe(1);
	clock.advance(seconds * 1000);
}

const refusalOf = (reading: Promise<unknown>) => reading.then(() => null).catch((error: unknown) => error);

describe("bodies under way", () => {
	it("are at most two over 1 MB from one IP address until their responses, and others can still send theirs", async () => {
		const slow = Array.from({ length: MAX_LARGE_BODIES }, () => sendSlowly(2 * MB, "192.0.2.1"));
		await Promise.all(slow.map(({ sent }) => sent));
		expect(await refusalOf(sendSlowly(2 * MB, "192.0.2.1").reading)).toMatchObject({
			code: "RATE_LIMITED",
			facts: { retryAfterSeconds: 10 },
		});
		const small = sendSlowly(1_000, "192.0.2.1");
		small.end();
		expect((await small.reading).byteLength).toBe(1_000);
		const other = sendSlowly(8 * MB, "192.0.2.2");
		other.end();
		expect((await other.reading).byteLength).toBe(8 * MB);
		for (const { end, reading } of slow) {
			end();
			expect((await reading).byteLength).toBe(2 * MB);
		}
		expect(await refusalOf(sendSlowly(2 * MB, "192.0.2.1").reading)).toMatchObject({ code: "RATE_LIMITED" });
		for (const { respond } of slow) respond();
		const next = sendSlowly(2 * MB, "192.0.2.1");
		next.end();
		expect((await next.reading).byteLength).toBe(2 * MB);
	});

	it("count by the bytes that have arrived, not announced, and are at most 56 MB together", async () => {
		const announced = Array.from({ length: 20 }, (_, index) => sendSlowly(1, `192.0.2.${index}`));
		await Promise.all(announced.map(({ sent }) => sent));
		const large = Array.from({ length: 7 }, (_, index) => sendSlowly(8 * MB - 100, `198.51.100.${index}`));
		await Promise.all(large.map(({ sent }) => sent));
		expect(await refusalOf(sendSlowly(2 * MB, "198.51.100.99").reading)).toMatchObject({ code: "OVERLOADED" });
	});

	it("arrive at 4 MB in 40 seconds at least, for pieces of any size", async () => {
		const steady = sendSlowly(4 * MB, "192.0.2.1");
		await wait(steady.sent, 39);
		await wait(steady.sendMore(4 * MB), 39);
		await wait(steady.sendMore(4 * MB), 39);
		steady.end();
		expect((await steady.reading).byteLength).toBe(12 * MB);

		const dripping = sendSlowly(MB, "192.0.2.1");
		const refusal = refusalOf(dripping.reading);
		await wait(dripping.sent, 20);
		await wait(dripping.sendMore(MB), 21);
		expect(await refusal).toMatchObject({ code: "BAD_REQUEST", message: expect.stringContaining("took too long") });

		const silent = sendSlowly(1, "192.0.2.1");
		const silence = refusalOf(silent.reading);
		await wait(silent.sent, 41);
		expect(await silence).toMatchObject({ code: "BAD_REQUEST" });
	});
});
