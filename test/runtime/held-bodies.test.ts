import { afterEach, describe, expect, it } from "vitest";
import { forgetBody, MAX_LARGE_BODIES } from "../../src/http/held-bodies.ts";
import { readBytes } from "../../src/http/raw-body.ts";
import { manualClock } from "../support/manual-clock.ts";

const MB = 1_048_576;
const clock = manualClock();
const open: (() => void)[] = [];

/** Sends this many bytes of a body that then stays open. */
function sendSlowly(bytes: number, address: string, key: string | null = null) {
	const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
	const writer = writable.getWriter();
	const request = new Request("https://bounty.test/", {
		method: "POST",
		headers: { "CF-Connecting-IP": address, ...(key === null ? {} : { Authorization: `Bearer ${key}` }) },
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
	it("are at most two over 1 MB from one network until their responses, and others can still send theirs", async () => {
		const slow = Array.from({ length: MAX_LARGE_BODIES }, () => sendSlowly(2 * MB, "192.0.2.1"));
		await Promise.all(slow.map(({ sent }) => sent));
		expect(await refusalOf(sendSlowly(2 * MB, "192.0.2.1").reading)).toMatchObject({
			code: "RATE_LIMITED",
			facts: { retryAfterSeconds: 10 },
		});
		const small = sendSlowly(1_000, "192.0.2.1");
		small.end();
		expect((await small.reading).byteLength).toBe(1_000);
		const other = sendSlowly(8 * MB, "198.51.100.2");
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

	it("are at most two over 1 MB from a /48 of IPv6 or a /24 of IPv4, and with one key from anywhere", async () => {
		const refused = async (...args: Parameters<typeof sendSlowly>) => {
			expect(await refusalOf(sendSlowly(...args).reading)).toMatchObject({ code: "RATE_LIMITED" });
		};
		const of6 = [sendSlowly(2 * MB, "2001:db8:1:1::1"), sendSlowly(2 * MB, "2001:db8:1:ffff::1")];
		const of4 = [sendSlowly(2 * MB, "198.51.100.1"), sendSlowly(2 * MB, "198.51.100.250")];
		const ofKey = [sendSlowly(2 * MB, "203.0.113.1", "a-key"), sendSlowly(2 * MB, "192.0.2.1", "a-key")];
		await Promise.all([...of6, ...of4, ...ofKey].map(({ sent }) => sent));
		await refused(2 * MB, "2001:db8:1:2::2");
		await refused(2 * MB, "198.51.100.99");
		await refused(2 * MB, "2001:db8:2::1", "a-key");
		const other = sendSlowly(2 * MB, "2001:db8:2::1", "another-key");
		other.end();
		expect((await other.reading).byteLength).toBe(2 * MB);
	});

	it("of agents at addresses that strangers share count by key only", async () => {
		const held = [1, 2, 3].map((number) => sendSlowly(2 * MB, "160.79.104.7", `key-${number}`));
		for (const { end } of held) end();
		for (const { reading } of held) expect((await reading).byteLength).toBe(2 * MB);
	});

	it("count by the bytes that have arrived, not announced, and are at most 56 MB together", async () => {
		const announced = Array.from({ length: 20 }, (_, index) => sendSlowly(1, `192.0.${index}.1`));
		await Promise.all(announced.map(({ sent }) => sent));
		// These have arrived, so there is nothing to drop but the new one.
		const large = Array.from({ length: 7 }, (_, index) => sendSlowly(8 * MB - 100, `198.51.${index}.1`));
		for (const { end } of large) end();
		await Promise.all(large.map(({ reading }) => reading));
		expect(await refusalOf(sendSlowly(2 * MB, "203.0.113.99").reading)).toMatchObject({ code: "OVERLOADED" });
	});

	it("make room for others when they are full: the slowest body of the caller that holds most is dropped", async () => {
		// Three networks hold two bodies open each.
		const first = sendSlowly(7 * MB, "198.51.1.1");
		await first.sent;
		clock.advance(5_000);
		const held = [2, 3, 4].flatMap((network) => [1, 2].map((host) => sendSlowly(8 * MB - 100, `198.51.${network}.${host}`)));
		await Promise.all(held.map(({ sent }) => sent));
		clock.advance(1_000);
		const honest = Array.from({ length: 6 }, (_, index) => sendSlowly(Math.ceil(1.3 * MB), `2001:db8:${index}::1`));
		for (const { end } of honest) end();
		for (const { reading } of honest) expect((await reading).byteLength).toBe(Math.ceil(1.3 * MB));
		// The body of the caller that held less was the slowest of all, and stays.
		first.end();
		expect((await first.reading).byteLength).toBe(7 * MB);
		for (const { end } of held) end();
		const dropped = await Promise.all(held.map(({ reading }) => refusalOf(reading)));
		expect(dropped.filter((error) => error !== null)).toMatchObject([{ code: "OVERLOADED", facts: { retryAfterSeconds: 10 } }]);
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
