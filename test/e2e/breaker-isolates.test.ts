// Two consumers in two isolates share one object: what one of them finds out about a supplier, the other one knows.
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestHarness, type TestHarness } from "wrangler";
import type { ConsumerReply, ConsumerRequest } from "../support/breaker-consumer.ts";
import { SECOND_MS } from "../support/times.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url).href);
const COMMON = { main: "test/support/breaker-consumer.ts", compatibility_date: "2026-11-01" };
const BINDING = { name: "WATCH", class_name: "Watch" };
const BEGIN = 1_800_000_000_000;

let harness: TestHarness;

beforeAll(async () => {
	harness = createTestHarness({
		root: ROOT,
		workers: [
			{
				config: {
					...{ ...COMMON, name: "one", durable_objects: { bindings: [BINDING] } },
					migrations: [{ tag: "watch", new_sqlite_classes: ["Watch"] }],
				},
			},
			{ config: { ...COMMON, name: "two", durable_objects: { bindings: [{ ...BINDING, script_name: "one" }] } } },
		],
	});
	await harness.listen();
});

afterAll(() => harness.close());

async function judge(worker: "one" | "two", { seconds, status, subject = "a" }: { seconds: number; status: number; subject?: string }) {
	const body: ConsumerRequest = { subjectId: subject, now: BEGIN + seconds * SECOND_MS, status };
	const response = await harness.getWorker(worker).fetch("https://consumer.example/", { method: "POST", body: JSON.stringify(body) });
	const reply: ConsumerReply = JSON.parse(await response.text());
	return reply;
}

it("sees a supplier open that another isolate has found to be down, and closes it for both", async () => {
	for (const [second, subject] of ["a", "b", "c", "d", "e"].entries()) {
		const { kind, calls } = await judge("one", { seconds: second, status: 503, subject });
		expect({ kind, isCalled: calls > 0 }).toEqual({ kind: "waiting", isCalled: true });
	}
	const skipped = { kind: "waiting", message: expect.stringContaining("has not worked since"), calls: 0 };
	expect(await judge("two", { seconds: 6, status: 200 })).toEqual(skipped);
	expect(await judge("one", { seconds: 7, status: 200 })).toEqual(skipped);
	// The first try is a minute after the last fault, and only one of them gets it.
	expect(await judge("two", { seconds: 70, status: 503 })).toMatchObject({ kind: "waiting", calls: 1 });
	expect(await judge("one", { seconds: 71, status: 200 })).toEqual(skipped);
	expect(await judge("one", { seconds: 131, status: 200 })).toMatchObject({ kind: "finished" });
	expect(await judge("two", { seconds: 142, status: 200 })).toMatchObject({ kind: "finished" });
});
