import { describe, expect, it } from "vitest";
import type { Client } from "../support/client.ts";
import { registerAgent } from "../support/scenario.ts";
import { getValue, MB, numberedPaths, putValue, seedEntries } from "../support/workspace.ts";

const etagOf = (response: Response): string => response.headers.get("ETag") ?? "";

async function listAllKeys(agent: Client, query: Readonly<Record<string, string | number>> = {}): Promise<string[]> {
	const keys: string[] = [];
	for (let cursor: string | null = null, pages = 0; pages < 300; pages += 1) {
		const page: { data: { key: string }[]; has_more: boolean; next_cursor: string | null } = await agent.call("listWorkspaceEntries", {
			query: { ...query, ...(cursor === null ? {} : { cursor }) },
		});
		keys.push(...page.data.map(({ key }) => key));
		expect(page.has_more).toBe(page.next_cursor !== null);
		if (page.next_cursor === null) return keys;
		cursor = page.next_cursor;
	}
	throw new Error("The list does not end.");
}

describe("values", () => {
	it("are returned as they were stored, for any JSON", async () => {
		const agent = await registerAgent();
		const values = [
			null,
			true,
			0,
			-1.5e-7,
			"",
			"ä€😀\u0000\ud800",
			[],
			{},
			[[[{}]]],
			{ a: { b: [1, null] }, "": 1 },
			JSON.parse('{"__proto__":{"x":1}}'),
		];
		for (const [index, value] of values.entries()) {
			const key = `values/${index}`;
			const put = await agent.call("putWorkspaceEntry", { params: { key }, body: { value } });
			expect(JSON.stringify(put.value)).toBe(JSON.stringify(value));
			const entry = await agent.call("getWorkspaceEntry", { params: { key } });
			expect(entry).toEqual(put);
			expect(entry.size_bytes).toBe(new TextEncoder().encode(JSON.stringify(value)).byteLength);
		}
	});

	it("keep their time of creation, and show when they were updated", async () => {
		const agent = await registerAgent();
		const first = await agent.call("putWorkspaceEntry", { params: { key: "a" }, body: { value: 1 } });
		await new Promise((resolve) => setTimeout(resolve, 5));
		const second = await agent.call("putWorkspaceEntry", { params: { key: "a" }, body: { value: 2 } });
		expect(second.created_at).toBe(first.created_at);
		expect(second.updated_at > first.updated_at).toBe(true);
	});

	it("are required, and must be JSON", async () => {
		const agent = await registerAgent();
		await agent.refused("putWorkspaceEntry", "INVALID_BODY", { params: { key: "a" }, body: {} });
		const json = { "Content-Type": "application/json" };
		for (const rawBody of ["1", '{"value":}']) {
			await agent.refused("putWorkspaceEntry", "INVALID_BODY", { params: { key: "a" }, rawBody, headers: json });
		}
	});

	it.each([
		['{"value":9007199254740993}', "value"],
		['{"value":{"a":[1,{"b c":"9007199254740993"},12345678901234567890]}}', "value.a[2]"],
		['{"value":[[-1e400]]}', "value[0][0]"],
		['{"value":{"x":{"y":[],"z":1E+999}}}', "value.x.z"],
		[`{"value":${"9".repeat(400_000)}}`, "value"],
		['{"a":1,"value":[-9007199254740993]}', "value[0]"],
	])("are rejected if storing them would change a number: %.40s", async (rawBody, path) => {
		const agent = await registerAgent();
		const headers = { "Content-Type": "application/json" };
		const { message, details } = await agent.refused("putWorkspaceEntry", "INVALID_BODY", { params: { key: "a" }, rawBody, headers });
		expect([message, details]).toEqual([expect.stringContaining(`${path} is `), [{ path, message }]]);
		await agent.refused("getWorkspaceEntry", "NOT_FOUND", { params: { key: "a" } });
	});

	it("have all other numbers as 64-bit floating-point numbers", async () => {
		const agent = await registerAgent();
		const headers = { "Content-Type": "application/json" };
		const cases = [
			["[-0,1e-400,0.1,1E2,9007199254740991,9007199254740992,-9007199254740994,1e23,1.7976931348623157e308]", undefined],
			["18446744073709551616", "18446744073709552000"],
			["3.14159265358979323846", "3.141592653589793"],
			['{"12345678901234567891":"1e999"}', undefined],
		] as const;
		for (const [value, stored] of cases) {
			await agent.call("putWorkspaceEntry", { params: { key: "a" }, rawBody: `{"value":${value}}`, headers });
			const text = await (await agent.send("getWorkspaceEntry", { params: { key: "a" } })).text();
			expect(text).toContain(`"value":${stored ?? JSON.stringify(JSON.parse(value))}`);
		}
	});

	it("may be nested as deeply as JSON allows, and are refused beyond", async () => {
		const agent = await registerAgent();
		const headers = { "Content-Type": "application/json" };
		for (const [open, close] of [
			["[", "]"],
			['{"1":', "}"],
		] as const) {
			const value = `${open.repeat(100_000)}1${close.repeat(100_000)}`;
			const response = await agent.send("putWorkspaceEntry", { params: { key: "deep" }, rawBody: `{"value":${value}}`, headers });
			const body = await response.text();
			if (response.status === 200) expect(body.includes(value)).toBe(true);
			else expect(body.slice(0, 200)).toContain('"INVALID_BODY"'.slice(1, -1));
		}
	});

	it("are deleted once, and deleting them again also succeeds", async () => {
		const agent = await registerAgent();
		await putValue(agent, "a", 1);
		expect(await agent.call("deleteWorkspaceEntry", { params: { key: "a" } })).toEqual({ deleted: true });
		expect(await agent.call("deleteWorkspaceEntry", { params: { key: "a" } })).toEqual({ deleted: false });
		await agent.refused("getWorkspaceEntry", "NOT_FOUND", { params: { key: "a" } });
	});
});

describe("keys", () => {
	it("may have slashes and the other allowed characters, up to 512 of them", async () => {
		const agent = await registerAgent();
		for (const key of ["a", "A.b_c-d:e/f/0", "...", "a/..b", "x".repeat(512), `${"y/".repeat(255)}yy`]) {
			expect((await agent.call("putWorkspaceEntry", { params: { key }, body: { value: key } })).key).toBe(key);
			expect((await agent.call("getWorkspaceEntry", { params: { key: encodeURIComponent(key) } })).value).toBe(key);
		}
	});
});

describe("ETags", () => {
	it("name a version, and prevent overwriting another one", async () => {
		const agent = await registerAgent();
		const first = etagOf(await putValue(agent, "a", 1));
		expect(etagOf(await getValue(agent, "a"))).toBe(first);
		const second = await putValue(agent, "a", 2, { "If-Match": first });
		expect(second.status).toBe(200);
		expect(etagOf(second)).not.toBe(first);
		await agent.refused("putWorkspaceEntry", "PRECONDITION_FAILED", {
			params: { key: "a" },
			body: { value: 3 },
			headers: { "If-Match": first },
		});
		expect((await putValue(agent, "a", 4, { "If-Match": `"x", W/${etagOf(second)}` })).status).toBe(200);
		expect((await putValue(agent, "a", 5, { "If-Match": "*" })).status).toBe(200);
		await agent.refused("putWorkspaceEntry", "PRECONDITION_FAILED", {
			params: { key: "b" },
			body: { value: 1 },
			headers: { "If-Match": "*" },
		});
	});

	it("are never used twice, also for a key that was deleted and made again", async () => {
		const agent = await registerAgent();
		const first = etagOf(await putValue(agent, "a", 1));
		await agent.call("deleteWorkspaceEntry", { params: { key: "a" } });
		expect(etagOf(await putValue(agent, "a", 1))).not.toBe(first);
	});

	it("create only with If-None-Match: *", async () => {
		const agent = await registerAgent();
		const headers = { "If-None-Match": "*" };
		expect((await putValue(agent, "lock", "me", headers)).status).toBe(200);
		await agent.refused("putWorkspaceEntry", "PRECONDITION_FAILED", { params: { key: "lock" }, body: { value: "you" }, headers });
	});

	it("save a reader the body that it has", async () => {
		const agent = await registerAgent();
		const etag = etagOf(await putValue(agent, "a", 1));
		const unchanged = await getValue(agent, "a", { "If-None-Match": etag });
		expect({ status: unchanged.status, body: await unchanged.text(), etag: etagOf(unchanged) }).toEqual({ status: 304, body: "", etag });
		expect(unchanged.headers.get("Cache-Control")).toBe("private, no-cache");
		expect((await getValue(agent, "a", { "If-None-Match": '"0"' })).status).toBe(200);
	});

	it("also guard deletions", async () => {
		const agent = await registerAgent();
		const etag = etagOf(await putValue(agent, "a", 1));
		await agent.refused("deleteWorkspaceEntry", "PRECONDITION_FAILED", { params: { key: "a" }, headers: { "If-Match": '"0"' } });
		expect(await agent.call("deleteWorkspaceEntry", { params: { key: "a" }, headers: { "If-Match": etag } })).toEqual({ deleted: true });
		await agent.refused("deleteWorkspaceEntry", "PRECONDITION_FAILED", { params: { key: "a" }, headers: { "If-Match": "*" } });
	});

	it("must be well formed", async () => {
		const agent = await registerAgent();
		for (const tag of ["12", '"a', "a, b", '"a" "b"', `"${"a".repeat(4_095)}"`]) {
			await agent.refused("putWorkspaceEntry", "VALIDATION_ERROR", {
				params: { key: "a" },
				body: { value: 1 },
				headers: { "If-Match": tag },
			});
			await agent.refused("getWorkspaceEntry", "VALIDATION_ERROR", { params: { key: "a" }, headers: { "If-None-Match": tag } });
		}
	});

	it("let exactly one of 50 parallel writers win each round", async () => {
		const agent = await registerAgent();
		let etag = etagOf(await putValue(agent, "counter", 0));
		for (let round = 1; round <= 3; round += 1) {
			const responses = await Promise.all(Array.from({ length: 50 }, () => putValue(agent, "counter", round, { "If-Match": etag })));
			expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
			expect(responses.filter(({ status }) => status === 412)).toHaveLength(49);
			etag = etagOf(await getValue(agent, "counter"));
		}
		const locks = await Promise.all(Array.from({ length: 50 }, (_, index) => putValue(agent, "lock", index, { "If-None-Match": "*" })));
		expect(locks.filter(({ status }) => status === 200)).toHaveLength(1);
	});
});

describe("quotas", () => {
	const quota = (agent: Client) => agent.call("getWorkspaceQuota");

	it("count a value with the bytes of its JSON, and a replaced one once", async () => {
		const agent = await registerAgent();
		expect(await quota(agent)).toEqual({ keys_used: 0, keys_limit: 10_000, bytes_used: 0, bytes_limit: 10 * MB });
		await putValue(agent, "a", "ä");
		expect(await quota(agent)).toMatchObject({ keys_used: 1, bytes_used: 4 });
		await putValue(agent, "a", "long enough");
		await putValue(agent, "b", { x: 1 });
		expect(await quota(agent)).toMatchObject({ keys_used: 2, bytes_used: 13 + 7 });
		await agent.call("deleteWorkspaceEntry", { params: { key: "a" } });
		expect(await quota(agent)).toMatchObject({ keys_used: 1, bytes_used: 7 });
	});

	it("accept a value of 1 MB and refuse one byte more, in any spelling", async () => {
		const agent = await registerAgent();
		const fits = "x".repeat(MB - 2);
		expect((await agent.call("putWorkspaceEntry", { params: { key: "a" }, body: { value: fits } })).size_bytes).toBe(MB);
		expect((await agent.call("getWorkspaceEntry", { params: { key: "a" } })).value).toBe(fits);
		await agent.refused("putWorkspaceEntry", "FILE_TOO_LARGE", { params: { key: "a" }, body: { value: `${fits}x` } });
		await agent.refused("putWorkspaceEntry", "FILE_TOO_LARGE", { params: { key: "a" }, body: { value: `${fits.slice(1)}ä` } });
		const escaped = `{"value":"${"\\u0078".repeat(MB - 2)}"}`;
		const headers = { "Content-Type": "application/json" };
		expect((await agent.call("putWorkspaceEntry", { params: { key: "b" }, rawBody: escaped, headers })).size_bytes).toBe(MB);
	});

	it("end at 10 MB to the byte", async () => {
		const agent = await registerAgent();
		for (let index = 0; index < 10; index += 1) {
			expect((await putValue(agent, `m${index}`, "x".repeat(MB - (index === 9 ? 12 : 2)))).status).toBe(200);
		}
		expect(await quota(agent)).toMatchObject({ bytes_used: 10 * MB - 10 });
		await agent.refused("putWorkspaceEntry", "BYTE_QUOTA_EXCEEDED", { params: { key: "z" }, body: { value: "x".repeat(9) } });
		expect((await putValue(agent, "z", "x".repeat(8))).status).toBe(200);
		await agent.refused("putWorkspaceEntry", "BYTE_QUOTA_EXCEEDED", { params: { key: "y" }, body: { value: 1 } });
		expect((await putValue(agent, "m0", "x".repeat(MB - 3))).status).toBe(200);
		expect((await putValue(agent, "y", 1)).status).toBe(200);
		expect(await quota(agent)).toMatchObject({ keys_used: 12, bytes_used: 10 * MB });
	});

	it("accept the 10,000th key and refuse the next, under 50 parallel writers", async () => {
		const agent = await registerAgent();
		await seedEntries(agent, numberedPaths(9_990));
		const responses = await Promise.all(Array.from({ length: 50 }, (_, index) => putValue(agent, `last/${index}`, index)));
		expect(responses.filter(({ status }) => status === 200)).toHaveLength(10);
		expect(responses.filter(({ status }) => status === 409)).toHaveLength(40);
		expect(await quota(agent)).toMatchObject({ keys_used: 10_000 });
		await agent.refused("putWorkspaceEntry", "FILE_QUOTA_EXCEEDED", { params: { key: "more" }, body: { value: 1 } });
		expect((await putValue(agent, "n00000", "replaced")).status).toBe(200);
		await agent.call("deleteWorkspaceEntry", { params: { key: "n00001" } });
		expect((await putValue(agent, "more", 1)).status).toBe(200);
	});

	it("are kept for bytes under 50 parallel writers", async () => {
		const agent = await registerAgent();
		for (let index = 0; index < 9; index += 1) await putValue(agent, `m${index}`, "x".repeat(MB - 2));
		const value = "x".repeat(MB / 8 - 2);
		const responses = await Promise.all(Array.from({ length: 50 }, (_, index) => putValue(agent, `p/${index}`, value)));
		expect(responses.filter(({ status }) => status === 200)).toHaveLength(8);
		expect(await quota(agent)).toMatchObject({ keys_used: 17, bytes_used: 10 * MB });
	});
});

describe("lists", () => {
	it("show keys in order, without values, by prefix", async () => {
		const agent = await registerAgent();
		for (const key of ["b", "a/2", "a/1", "a", "a-b", "A", "a:", "aa"]) await putValue(agent, key, key);
		const { data } = await agent.call("listWorkspaceEntries");
		expect(data.map(({ key }) => key)).toEqual(["A", "a", "a-b", "a/1", "a/2", "a:", "aa", "b"]);
		expect(Object.keys(data[0] ?? {}).toSorted()).toEqual(["created_at", "key", "size_bytes", "updated_at"]);
		expect(await listAllKeys(agent, { prefix: "a/", limit: 1 })).toEqual(["a/1", "a/2"]);
		expect(await listAllKeys(agent, { prefix: "zz" })).toEqual([]);
		await agent.refused("listWorkspaceEntries", "VALIDATION_ERROR", { query: { prefix: "a b" } });
		await agent.refused("listWorkspaceEntries", "VALIDATION_ERROR", { query: { limit: 201 } });
	});

	it("lose nothing of 10,000 keys in pages", async () => {
		const agent = await registerAgent();
		const keys = numberedPaths(10_000);
		await seedEntries(agent, keys);
		expect(await listAllKeys(agent, { limit: 200 })).toEqual(keys);
		expect(await listAllKeys(agent, { limit: 200, prefix: "n00" })).toEqual(keys.slice(0, 1_000));
	});

	it("go on after a key of the greatest length", async () => {
		const agent = await registerAgent();
		const keys = ["a", "b", "c"].map((letter) => letter.repeat(512));
		await seedEntries(agent, keys);
		expect(await listAllKeys(agent, { limit: 1 })).toEqual(keys);
	});

	it("stay consistent while keys come and go", async () => {
		const agent = await registerAgent();
		await seedEntries(agent, numberedPaths(20));
		const first = await agent.call("listWorkspaceEntries", { query: { limit: 10 } });
		await putValue(agent, "a-new-one-before", 1);
		await agent.call("deleteWorkspaceEntry", { params: { key: "n00009" } });
		await agent.call("deleteWorkspaceEntry", { params: { key: "n00010" } });
		const second = await agent.call("listWorkspaceEntries", { query: { limit: 20, cursor: first.next_cursor ?? "" } });
		expect(second.data.map(({ key }) => key)).toEqual(numberedPaths(20).slice(11));
		expect(second).toMatchObject({ has_more: false, next_cursor: null });
	});

	it("refuse a cursor of another list", async () => {
		const agent = await registerAgent();
		await seedEntries(agent, ["a", "b"]);
		const { next_cursor } = await agent.call("listWorkspaceEntries", { query: { limit: 1 } });
		await agent.refused("listWorkspaceFiles", "VALIDATION_ERROR", { query: { cursor: next_cursor ?? "" } });
	});
});
