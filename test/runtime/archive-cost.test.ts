import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { readArtifactFiles } from "../../src/core/judging/artifacts/files.ts";
import { inspectArtifact } from "../../src/core/judging/artifacts/inspect.ts";
import { ArchiveFault } from "../../src/core/judging/artifacts/policy.ts";
import { writeBlob } from "../../src/platform/blob-writer.ts";
import { extraField, GOOD_ENTRIES, goodZipWith, streamZip, type ZipEntry } from "../support/archives.ts";
import { watchBucket } from "../support/buckets.ts";
import { testDeps } from "../support/deps.ts";

const MB = 1_048_576;

/** Returns bytes that do not compress. */
function noise(bytes: number): Uint8Array {
	const block = new Uint8Array(bytes);
	for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(block.subarray(at, Math.min(bytes, at + 65_536)));
	return block;
}

async function store(key: string, entries: Iterable<ZipEntry>): Promise<number> {
	const { bytes } = await writeBlob(streamZip(entries), { bucket: env.BUCKET, key, contentType: "application/zip" });
	expect(bytes).toBeLessThanOrEqual(100 * MB);
	return bytes;
}

function* largeTree(): Generator<ZipEntry> {
	const block = noise(52_000);
	yield* GOOD_ENTRIES;
	for (let index = 0; index < 1_997; index += 1) yield { name: `assets/texture-${String(index).padStart(4, "0")}.bin`, content: block };
}

/** Yields small files with high priority for reading, each far from the next. */
function* scatteredTree(): Generator<ZipEntry> {
	const block = noise(40_000);
	yield* GOOD_ENTRIES;
	for (let index = 0; index < 1_000; index += 1) {
		yield { name: `a/${index}.txt`, content: `file ${index}` };
		yield { name: `z/${index}.bin`, content: block };
	}
}

beforeAll(async () => {
	expect(await store("large.zip", largeTree())).toBeGreaterThan(99 * MB);
	expect(await store("scattered.zip", scatteredTree())).toBeGreaterThan(38 * MB);
});

describe("reading a large zip", () => {
	it.each(["large.zip", "scattered.zip"])("needs less than 1 MB of %s in few requests", async (key) => {
		const { bucket, use } = watchBucket();
		const { missingSections, bytesRead } = await inspectArtifact(testDeps({ bucket }), key);
		expect(missingSections).toEqual([]);
		expect(bytesRead).toBe(use.bytes);
		expect(use.bytes).toBeLessThan(MB);
		expect(use.gets).toBeLessThan(32);
	});

	it("ends early on entries that each hide bytes", async () => {
		const extra = extraField(0x7a7a, new Uint8Array(1_000));
		const hiding = Array.from({ length: 500 }, (_, index) => ({ name: `f${index}`, content: "1".repeat(200), local: { extra } }));
		await store("hiding.zip", [...GOOD_ENTRIES, ...hiding]);
		const { bucket, use } = watchBucket();
		await expect(inspectArtifact(testDeps({ bucket }), "hiding.zip")).rejects.toThrow("too many places contain bytes");
		expect(use.gets).toBeLessThan(5);
	});

	it("needs a limited number of requests for its files", async () => {
		const { bucket, use } = watchBucket();
		const { files, unreadPaths, manifest } = await readArtifactFiles(testDeps({ bucket }), "scattered.zip");
		expect(use.gets).toBeLessThan(450);
		expect(files[0]?.path).toBe("SUBMISSION.md");
		expect(files.length + unreadPaths.length).toBe(manifest.length);
		expect(manifest).toHaveLength(2_003);
	});
});

describe("a fault of storage", () => {
	it.each([1, 2, 3, 4])("at request %i is not reported as a fault of the zip", async (failing) => {
		let requests = 0;
		const { bucket } = watchBucket({
			before(call) {
				requests += call === "get" ? 1 : 0;
				if (requests === failing) throw new Error("storage is not well");
			},
		});
		await expect(inspectArtifact(testDeps({ bucket }), "large.zip")).rejects.toThrow(/^storage is not well$/);
		expect(requests).toBe(failing);
	});

	it("is distinguished from a broken zip", async () => {
		await env.BUCKET.put("broken.zip", goodZipWith().subarray(0, 200));
		await expect(inspectArtifact(testDeps(), "broken.zip")).rejects.toBeInstanceOf(ArchiveFault);
	});
});
