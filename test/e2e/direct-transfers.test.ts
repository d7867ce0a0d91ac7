// Tests uploads and downloads through the bucket's own URL, against the S3 interface of the local emulator.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestHarness, type TestHarness } from "wrangler";
import { DAY_MS, MINUTE_MS, SECOND_MS, systemClock } from "../../src/platform/clock.ts";
import { createDirectTransfers, type DirectTransfers } from "../../src/platform/direct-transfers.ts";

const credentials = { accessKeyId: "local-access-key", secretAccessKey: "local-secret-key" };
let root: string;
let emulator: TestHarness;
/** Returns transfers of a platform whose clock is fixed. */
let transfersAt: (now: number) => DirectTransfers;
let uploads: DirectTransfers;
let bucket: R2Bucket;

beforeAll(async () => {
	root = await mkdtemp(join(tmpdir(), "bounty-platform-transfers-"));
	await writeFile(join(root, "worker.js"), "export default { fetch: () => new Response('ok') };\n");
	const r2_buckets = [{ binding: "BUCKET", bucket_name: "bounty", local_dev: { experimental_s3_credentials: credentials } }];
	const config = { name: "transfers", main: "worker.js", compatibility_date: "2026-11-01", r2_buckets };
	emulator = createTestHarness({ root, workers: [{ config }] });
	const { url } = await emulator.listen();
	const settings = { endpoint: new URL("/cdn-cgi/local/r2/s3", url).href, bucket: "bounty", ...credentials };
	transfersAt = (now) => createDirectTransfers(settings, { ...systemClock, now: () => now }, (target, init) => fetch(target, init));
	uploads = transfersAt(Math.floor(systemClock.now() / SECOND_MS) * SECOND_MS);
	bucket = (await emulator.getWorker<{ BUCKET: R2Bucket }>().getEnv()).BUCKET;
});

afterAll(async () => {
	await emulator?.close();
	await rm(root, { recursive: true, force: true });
});

it("accepts bytes at a presigned URL without any other credential", async () => {
	const { url, ttlMs } = await uploads.presignPut("uploads/a.zip", { ttlMs: 60_000, bytes: 9 });
	expect(ttlMs).toBe(60_000);
	const put = await fetch(url, { method: "PUT", body: "zip bytes" });
	expect(put.status).toBe(200);
	expect(await (await bucket.get("uploads/a.zip"))?.text()).toBe("zip bytes");
});

it("accepts exactly the announced number of bytes", async () => {
	const { url } = await uploads.presignPut("uploads/sized.zip", { ttlMs: 60_000, bytes: 9 });
	expect(new URL(url).searchParams.get("X-Amz-SignedHeaders")).toBe("content-length;host");
	for (const body of ["zip bytes and more", "zip"]) expect((await fetch(url, { method: "PUT", body })).status).toBe(403);
	expect(await bucket.head("uploads/sized.zip")).toBeNull();
	expect((await fetch(url, { method: "PUT", body: "zip bytes" })).status).toBe(200);
});

it("serves bytes at a presigned URL, to be saved under a name", async () => {
	await bucket.put("artifacts/a.zip", "zip bytes");
	const { url } = await uploads.presignGet("artifacts/a.zip", { ttlMs: 60_000, filename: "submission.zip" });
	const got = await fetch(url);
	expect([got.status, await got.text()]).toEqual([200, "zip bytes"]);
	// The emulator signs the file's name, but does not send it.
	expect(new URL(url).searchParams.get("response-content-disposition")).toBe('attachment; filename="submission.zip"');
	expect((await fetch(url.replace("a.zip", "b.zip"))).status).toBe(403);
});

it("refuses a URL that was changed", async () => {
	const { url } = await uploads.presignPut("uploads/b.zip", { ttlMs: 60_000, bytes: 9 });
	const put = await fetch(url.replace("uploads/b.zip", "uploads/c.zip"), { method: "PUT", body: "zip bytes" });
	expect(put.status).toBe(403);
	expect(await bucket.head("uploads/c.zip")).toBeNull();
});

it("never signs for longer than a week, and says so", async () => {
	const week = 7 * DAY_MS;
	const minute = Math.floor(systemClock.now() / MINUTE_MS) * MINUTE_MS;
	expect((await transfersAt(minute).presignPut("uploads/d.zip", { ttlMs: 5 * week, bytes: 9 })).ttlMs).toBe(week);
	expect((await transfersAt(minute + 59_999).presignPut("uploads/d.zip", { ttlMs: 5 * week, bytes: 9 })).ttlMs).toBe(week - 59_999);
});

it("copies an upload to a key that the URL cannot reach", async () => {
	const { url } = await uploads.presignPut("uploads/e.zip", { ttlMs: 60_000, bytes: 9 });
	await fetch(url, { method: "PUT", body: "the first" });
	await uploads.copy("uploads/e.zip", "artifacts/e.zip");
	await fetch(url, { method: "PUT", body: "something" });
	expect(await (await bucket.get("artifacts/e.zip"))?.text()).toBe("the first");
});

it("says if there is nothing to copy", async () => {
	await expect(uploads.copy("uploads/missing.zip", "artifacts/f.zip")).rejects.toThrow("404");
});
