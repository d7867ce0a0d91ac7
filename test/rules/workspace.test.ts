import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	ENTRY_LIMITS,
	findFilePathFault,
	findPathFault,
	findPrefixFault,
	findQuotaRefusal,
	holdsPrecondition,
	isContentType,
} from "../../src/core/identity/workspace/rules.ts";
import { matchesTag, parseEntityTags } from "../../src/domain/entity-tags.ts";
import { resolveRange } from "../../src/http/stored-bytes.ts";

const segment = fc.stringMatching(/^[A-Za-z0-9._:-]{1,20}$/).filter((text) => text !== "." && text !== "..");
const path = fc.array(segment, { minLength: 1, maxLength: 8 }).map((segments) => segments.join("/"));

describe("paths", () => {
	it("are accepted if each segment is a name", () => {
		fc.assert(fc.property(path, (text) => findPathFault(text) === null && findPrefixFault(text) === null));
	});

	it("mean the same as a URL, wherever they are accepted", () => {
		const anything = fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[a./%2eEfF:\\-]{0,12}$/), path);
		fc.assert(
			fc.property(anything, (text) => {
				if (findPathFault(text) !== null) return;
				const url = new URL(`https://bounty.test/api/v1/workspace/kv/${text}`);
				expect(url.pathname).toBe(`/api/v1/workspace/kv/${text}`);
				expect(url.search + url.hash).toBe("");
			}),
			{ numRuns: 500 },
		);
	});

	it("are printable ASCII, which sorts like its bytes", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary", minLength: 1 }), (text) => {
				if (findPathFault(text) === null) expect(text).toMatch(/^[-./:0-9A-Z_a-z]+$/);
			}),
			{ numRuns: 2_000 },
		);
	});

	it.each(["", "/", "a/", "/a", "a//b", ".", "..", "a/.", "../a", "a/../b", "a b", "a\n", "a\0", "ä", "a%2Fb", "x".repeat(513)])(
		"refuse %j",
		(text) => {
			expect(findPathFault(text)).not.toBeNull();
		},
	);

	it.each(["quota", "finalize", "upload-url"])("of files exclude the endpoint %s, and everything below it", (name) => {
		expect(findFilePathFault(name)).not.toBeNull();
		for (const path of [`${name}/a`, `a/${name}`, `${name}s`]) expect(findFilePathFault(path)).toBeNull();
		expect(findPathFault(name)).toBeNull();
	});
});

describe("quotas", () => {
	const limits = { count: 3, bytes: 10 };
	it.each([
		{ used: { count: 2, bytes: 9 }, sizeBytes: 1, replacedBytes: null, refusal: null },
		{ used: { count: 2, bytes: 9 }, sizeBytes: 2, replacedBytes: null, refusal: "BYTE_QUOTA_EXCEEDED" },
		{ used: { count: 3, bytes: 0 }, sizeBytes: 0, replacedBytes: null, refusal: "FILE_QUOTA_EXCEEDED" },
		{ used: { count: 3, bytes: 10 }, sizeBytes: 4, replacedBytes: 4, refusal: null },
		{ used: { count: 3, bytes: 10 }, sizeBytes: 5, replacedBytes: 4, refusal: "BYTE_QUOTA_EXCEEDED" },
		{ used: { count: 0, bytes: 0 }, sizeBytes: 10, replacedBytes: null, refusal: null },
	])("of $used accept $sizeBytes in place of $replacedBytes: $refusal", ({ refusal, ...storing }) => {
		expect(findQuotaRefusal({ ...storing, limits })).toBe(refusal);
	});

	it("are never exceeded by what they accept", () => {
		const step = fc.record({ name: fc.integer({ min: 0, max: 5 }), sizeBytes: fc.integer({ min: 0, max: 6 }) });
		fc.assert(
			fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
				const stored = new Map<number, number>();
				const total = () => [...stored.values()].reduce((sum, size) => sum + size, 0);
				for (const { name, sizeBytes } of steps) {
					const used = { count: stored.size, bytes: total() };
					if (findQuotaRefusal({ used, limits, sizeBytes, replacedBytes: stored.get(name) ?? null }) === null) stored.set(name, sizeBytes);
				}
				expect(stored.size).toBeLessThanOrEqual(limits.count);
				expect(total()).toBeLessThanOrEqual(limits.bytes);
			}),
		);
	});

	it("allow a value a tenth of the total", () => {
		expect(ENTRY_LIMITS.bytes).toBe(10 * ENTRY_LIMITS.valueBytes);
	});
});

describe("preconditions", () => {
	it.each([
		['"1"', ["1"]],
		['W/"1"', ["1"]],
		[' "1" , W/"2","" ', ["1", "2", ""]],
		["*", "*"],
		["1", null],
		['"1" "2"', null],
		['"1",', null],
		["", null],
		['*, "1"', null],
	])("read %j", (header, tags) => {
		expect(parseEntityTags(header)).toEqual(tags);
	});

	it.each([
		{ ifMatch: null, ifNoneMatch: null, current: null, holds: true },
		{ ifMatch: "*" as const, ifNoneMatch: null, current: null, holds: false },
		{ ifMatch: "*" as const, ifNoneMatch: null, current: "1", holds: true },
		{ ifMatch: ["1", "2"], ifNoneMatch: null, current: "2", holds: true },
		{ ifMatch: ["1"], ifNoneMatch: null, current: "2", holds: false },
		{ ifMatch: null, ifNoneMatch: "*" as const, current: null, holds: true },
		{ ifMatch: null, ifNoneMatch: "*" as const, current: "1", holds: false },
		{ ifMatch: null, ifNoneMatch: ["1"], current: "2", holds: true },
		{ ifMatch: null, ifNoneMatch: ["1"], current: "1", holds: false },
		{ ifMatch: ["1"], ifNoneMatch: ["1"], current: "1", holds: false },
	])("match or not: $ifMatch, $ifNoneMatch on $current", ({ holds, current, ...condition }) => {
		expect(holdsPrecondition(condition, current)).toBe(holds);
	});

	it("match nothing if there is no entry", () => {
		expect(matchesTag("*", null)).toBe(false);
	});
});

describe("ranges", () => {
	it("are within the file, or unsatisfiable", () => {
		const size = fc.integer({ min: 0, max: 100 });
		const edge = fc.option(fc.integer({ min: 0, max: 200 }), { nil: "" });
		fc.assert(
			fc.property(size, edge, edge, (sizeBytes, first, last) => {
				const range = resolveRange(`bytes=${first}-${last}`, sizeBytes);
				if (range === null || range === "unsatisfiable") return;
				expect(range.length).toBeGreaterThan(0);
				expect(range.offset).toBeGreaterThanOrEqual(0);
				expect(range.offset + range.length).toBeLessThanOrEqual(sizeBytes);
				if (first !== "") expect(range.offset).toBe(first);
			}),
		);
	});

	it("of an empty file are unsatisfiable", () => {
		expect(resolveRange("bytes=0-", 0)).toBe("unsatisfiable");
		expect(resolveRange("bytes=-5", 0)).toBe("unsatisfiable");
		expect(resolveRange(null, 0)).toBeNull();
	});
});

describe("media types", () => {
	it.each(["text/plain", "text/plain; charset=utf-8", 'multipart/x; a="b c"; d=e', "application/vnd.a+json"])("accept %j", (type) => {
		expect(isContentType(type)).toBe(true);
	});

	it("fit into a header, for any text", () => {
		const anything = fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[a/;= "\\\r\n-]{0,20}$/));
		fc.assert(
			fc.property(anything, (text) => {
				if (isContentType(text)) expect(new Headers({ "Content-Type": text }).get("Content-Type")).toBe(text);
			}),
			{ numRuns: 2_000 },
		);
	});
});
