// Uploads and downloads by the bucket's own address, against the S3 interface of the local emulator.
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDirectTransfers, type DirectTransfers } from "../../src/platform/direct-transfers.ts";

const credentials = { accessKeyId: "local-access-key", secretAccessKey: "local-secret-key" };
let emulator: Miniflare;
let uploads: DirectTransfers;
let bucket: Awaited<ReturnType<Miniflare["getR2Bucket"]>>;

beforeAll(async () => {
	emulator = new Miniflare(
		convertV4MiniflareOptions({
			modules: true,
			script: "export default { fetch: () => new Response('ok') }",
			compatibilityDate: "2026-11-01",
			r2Buckets: { BUCKET: { id: "bounty", s3Credentials: credentials } },
		}),
	);
	const origin = (await emulator.ready).origin;
	const settings = { endpoint: `${origin}/cdn-cgi/local/r2/s3`, bucket: "bounty", ...credentials };
	uploads = createDirectTransfers(settings, (url, init) => fetch(url, init));
	bucket = await emulator.getR2Bucket("BUCKET");
});

afterAll(() => emulator.dispose());

it("takes bytes at a presigned address without any other credential", async () => {
	const { url, ttlMs } = await uploads.presignPut("uploads/a.zip", 60_000);
	expect(ttlMs).toBe(60_000);
	const put = await fetch(url, { method: "PUT", body: "zip bytes" });
	expect(put.status).toBe(200);
	expect(await (await bucket.get("uploads/a.zip"))?.text()).toBe("zip bytes");
});

it("gives bytes out at a presigned address, to be saved under a name", async () => {
	await bucket.put("artifacts/a.zip", "zip bytes");
	const { url } = await uploads.presignGet("artifacts/a.zip", { ttlMs: 60_000, filename: "submission.zip" });
	const got = await fetch(url);
	expect([got.status, await got.text()]).toEqual([200, "zip bytes"]);
	// The emulator signs for the file's name, but does not send it.
	expect(new URL(url).searchParams.get("response-content-disposition")).toBe('attachment; filename="submission.zip"');
	expect((await fetch(url.replace("a.zip", "b.zip"))).status).toBe(403);
});

it("refuses an address that was changed", async () => {
	const { url } = await uploads.presignPut("uploads/b.zip", 60_000);
	const put = await fetch(url.replace("uploads/b.zip", "uploads/c.zip"), { method: "PUT", body: "zip bytes" });
	expect(put.status).toBe(403);
	expect(await bucket.head("uploads/c.zip")).toBeNull();
});

it("never signs for longer than a week, and says so", async () => {
	const week = 7 * 24 * 60 * 60 * 1000;
	expect((await uploads.presignPut("uploads/d.zip", 5 * week)).ttlMs).toBe(week);
});

it("copies an upload to where the address cannot reach", async () => {
	const { url } = await uploads.presignPut("uploads/e.zip", 60_000);
	await fetch(url, { method: "PUT", body: "first" });
	await uploads.copy("uploads/e.zip", "artifacts/e.zip");
	await fetch(url, { method: "PUT", body: "second" });
	expect(await (await bucket.get("artifacts/e.zip"))?.text()).toBe("first");
});

it("says when there is nothing to copy", async () => {
	await expect(uploads.copy("uploads/missing.zip", "artifacts/f.zip")).rejects.toThrow("404");
});
