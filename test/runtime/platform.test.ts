import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { AppError } from "../../src/domain/errors.ts";
import { isStorableText, text } from "../../src/http/fields.ts";
import { addressKey, networkOf } from "../../src/http/networks.ts";
import { decodeCursor, decryptCursor, encodeCursor, encryptCursor, pageRows } from "../../src/http/pagination.ts";
import { openEventStream } from "../../src/http/sse.ts";
import { HOUR_MS, MINUTE_MS, systemClock } from "../../src/platform/clock.ts";
import { createDirectTransfers } from "../../src/platform/direct-transfers.ts";
import { decrypt, decryptToken, encrypt, encryptToken, reencrypt } from "../../src/platform/encryption.ts";
import { createIds, partOf } from "../../src/platform/ids.ts";
import { findKey, keyIdOf } from "../../src/platform/keyring.ts";
import { readSignedUrl, signUrl, type UrlGrant } from "../../src/platform/signed-url.ts";
import { manualClock } from "../support/manual-clock.ts";

const KEYS = { current: new Uint8Array(32).fill(7).toBase64(), previous: null };
const OTHER_KEYS = { current: new Uint8Array(32).fill(8).toBase64(), previous: null };
/** These are the settings of a deployment during a rotation from KEYS to OTHER_KEYS. */
const ROTATING_KEYS = { current: OTHER_KEYS.current, previous: KEYS.current };

describe("ids", () => {
	it("are UUIDs of version 7 that carry the time", () => {
		const time = fc.integer({ min: 1, max: 2 ** 48 - 1 });
		fc.assert(
			fc.property(time, (ms) => {
				const id = createIds(() => ms).next();
				expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
				expect(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toBe(ms);
			}),
		);
	});

	it("increase, even if the clock stops or goes back", () => {
		const steps = fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 1, maxLength: 200 });
		fc.assert(
			fc.property(steps, (list) => {
				let now = 1_700_000_000_000;
				const ids = createIds(() => now);
				const made = list.map((step) => {
					now += step;
					return ids.next();
				});
				expect(made).toEqual(made.toSorted());
				expect(new Set(made).size).toBe(made.length);
			}),
		);
	});

	it("carry the number of their part in eight of the random bits, and stay in order", () => {
		const ids = createIds(() => 1_700_000_000_000);
		const parts = Array.from({ length: 256 }, (_, part) => part);
		const made = parts.map((part) => ids.nextIn(part));
		expect(made.map(partOf)).toEqual(parts);
		expect(made).toEqual(made.toSorted());
		for (const id of made) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
	});

	it("increase also for more of them than fit into a millisecond", () => {
		const ids = createIds(() => 1_700_000_000_000);
		const made = Array.from({ length: 10_000 }, () => ids.next());
		expect(made).toEqual(made.toSorted());
		expect(new Set(made).size).toBe(10_000);
	});
});

describe("networks", () => {
	it("are the /24 of IPv4 and the /48 of IPv6", () => {
		expect([networkOf("203.0.113.7"), networkOf("203.0.113.250")]).toEqual(["203.0.113.0/24", "203.0.113.0/24"]);
		expect([networkOf("2001:db8:1:2::1"), networkOf("2001:0DB8:1:ffff::")]).toEqual(["2001:db8:1::/48", "2001:db8:1::/48"]);
		expect(networkOf("2001:db8:2:2::1")).not.toBe(networkOf("2001:db8:1:2::1"));
		expect([networkOf(null), networkOf("")]).toEqual(["unknown", "unknown"]);
	});
});

describe("cursors", () => {
	const schema = z.tuple([z.number(), z.string()]);

	it("are read back unchanged, and fit into a URL", () => {
		const ascii = fc.string({ unit: "grapheme-ascii" });
		fc.assert(
			fc.property(fc.integer(), ascii, (number, string) => {
				const cursor = encodeCursor([number, string]);
				expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
				expect(decodeCursor(cursor, schema)).toEqual([number, string]);
			}),
		);
	});

	it("that are encrypted are refused by every list but their own", async () => {
		const scope = { purpose: "test-cursor", about: "one" };
		const cursor = (await encryptCursor(KEYS, scope, "place")) ?? "";
		expect(await decryptCursor(KEYS, scope, cursor)).toBe("place");
		const refusal = { code: "VALIDATION_ERROR" };
		await expect(decryptCursor(KEYS, { ...scope, about: "another" }, cursor)).rejects.toMatchObject(refusal);
	});

	it("are refused if they were invented", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), (cursor) => {
				try {
					decodeCursor(cursor, schema);
				} catch (error) {
					expect(error).toBeInstanceOf(AppError);
					expect(error).toMatchObject({ code: "VALIDATION_ERROR" });
				}
			}),
			{ numRuns: 500 },
		);
	});

	it("split rows into pages without gaps", () => {
		fc.assert(
			fc.property(fc.nat(50), fc.integer({ min: 1, max: 12 }), (total, limit) => {
				const rows = Array.from({ length: total }, (_, index) => index);
				const seen: number[] = [];
				for (let start = 0; ; ) {
					const page = pageRows(rows.slice(start, start + limit + 1), limit, String);
					seen.push(...page.rows);
					expect(page.pagination.has_more).toBe(page.pagination.next_cursor !== null);
					if (page.pagination.next_cursor === null) break;
					start = Number(page.pagination.next_cursor) + 1;
				}
				expect(seen).toEqual(rows);
			}),
		);
	});
});

describe("signed URLs", () => {
	const grant = fc.record({
		method: fc.constantFrom("GET" as const, "PUT" as const),
		path: fc.stringMatching(/^\/[a-z0-9/%._-]{1,30}$/).map((path) => new URL(`https://x.test${path}`).pathname),
		expiresAt: fc.integer({ min: 1000, max: 4e12 }),
		maxBytes: fc.option(fc.nat()),
		holder: fc.option(fc.uuid()),
	});
	const requestOf = ({ method, path }: UrlGrant, query: string) => ({ method, url: `https://x.test${path}?${query}` });

	it("are accepted as they were signed", async () => {
		await fc.assert(
			fc.asyncProperty(grant, async (given) => {
				const request = requestOf(given, await signUrl(KEYS, given));
				expect(await readSignedUrl(KEYS, request)).toEqual(given);
			}),
			{ numRuns: 30 },
		);
	});

	it("are refused if anything in them was changed", async () => {
		await fc.assert(
			fc.asyncProperty(grant, async (given) => {
				const query = await signUrl(KEYS, given);
				const parameters = new URLSearchParams(query);
				const changed = (name: string, value: string) => {
					const copy = new URLSearchParams(parameters);
					copy.set(name, value);
					return requestOf(given, copy.toString());
				};
				const without = (name: string) => {
					const copy = new URLSearchParams(parameters);
					copy.delete(name);
					return requestOf(given, copy.toString());
				};
				const signature = parameters.get("signature") ?? "";
				const forgeries = [
					requestOf({ ...given, method: given.method === "GET" ? "PUT" : "GET" }, query),
					{ method: "DELETE", url: requestOf(given, query).url },
					requestOf({ ...given, path: `${given.path}x` }, query),
					changed("expires", String(given.expiresAt + 1)),
					changed("expires", ""),
					changed("expires", "1e15"),
					changed("max_bytes", String((given.maxBytes ?? 0) + 1)),
					changed("holder", "01900000-0000-7000-8000-000000000000"),
					changed("max_bytes", "-1"),
					changed("signature", ""),
					changed("signature", signature.slice(2)),
					changed("signature", `${signature.startsWith("0") ? "1" : "0"}${signature.slice(1)}`),
					changed("signature", "zz"),
					...[...parameters.keys()].map(without),
				];
				for (const request of forgeries) expect(await readSignedUrl(KEYS, request)).toBeNull();
				expect(await readSignedUrl(OTHER_KEYS, requestOf(given, query))).toBeNull();
			}),
			{ numRuns: 15 },
		);
	});

	it("that permit reading also permit HEAD", async () => {
		const given = { method: "GET", path: "/x", expiresAt: 10, maxBytes: null, holder: null } as const;
		const query = await signUrl(KEYS, given);
		expect(await readSignedUrl(KEYS, { method: "HEAD", url: `https://x.test/x?${query}` })).toEqual(given);
	});
});

describe("a rotation of the root key", () => {
	const scope = { purpose: "one", about: "x" };

	it("keeps what the previous key has signed and encrypted valid, and uses the current one for new values", async () => {
		const given = { method: "GET", path: "/x", expiresAt: 10, maxBytes: null, holder: null } as const;
		const request = { method: "GET", url: `https://x.test/x?${await signUrl(KEYS, given)}` };
		expect(await readSignedUrl(ROTATING_KEYS, request)).toEqual(given);
		expect(await readSignedUrl(OTHER_KEYS, request)).toBeNull();
		const fresh = { method: "GET", url: `https://x.test/x?${await signUrl(ROTATING_KEYS, given)}` };
		expect(await readSignedUrl(OTHER_KEYS, fresh)).toEqual(given);

		expect(await decrypt(ROTATING_KEYS, "one", await encrypt(KEYS, "one", "secret"))).toBe("secret");
		expect(await decrypt(OTHER_KEYS, "one", await encrypt(ROTATING_KEYS, "one", "secret"))).toBe("secret");

		const token = await encryptToken(KEYS, scope, "cursor");
		expect(await decryptToken(ROTATING_KEYS, scope, token)).toBe("cursor");
		expect(await decryptToken(OTHER_KEYS, scope, token)).toBeNull();
	});

	it("encrypts again only what is not encrypted with the current key", async () => {
		const encrypted = await encrypt(KEYS, "one", "secret");
		expect(await reencrypt(KEYS, "one", encrypted)).toBeNull();
		const reencrypted = (await reencrypt(ROTATING_KEYS, "one", encrypted)) ?? "";
		expect(await decrypt(OTHER_KEYS, "one", reencrypted)).toBe("secret");
		await expect(reencrypt(OTHER_KEYS, "one", encrypted)).rejects.toThrow();
	});

	it("says nothing about a key in its id", async () => {
		expect(await keyIdOf(KEYS.current)).toMatch(/^[0-9a-f]{8}$/);
		expect(await keyIdOf(KEYS.current)).not.toBe(await keyIdOf(OTHER_KEYS.current));
		expect(await findKey(KEYS, "")).toBeNull();
	});
});

describe("encrypted secrets", () => {
	it("open only with the same key and purpose, and look different each time", async () => {
		const encrypted = await encrypt(KEYS, "one", "secret ü");
		expect(await decrypt(KEYS, "one", encrypted)).toBe("secret ü");
		expect(await encrypt(KEYS, "one", "secret ü")).not.toBe(encrypted);
		await expect(decrypt(KEYS, "two", encrypted)).rejects.toThrow();
		await expect(decrypt(OTHER_KEYS, "one", encrypted)).rejects.toThrow("neither SECRETS_KEY nor SECRETS_KEY_PREVIOUS");
		await expect(decrypt(KEYS, "one", `${encrypted.slice(0, -6)}AAAAA=`)).rejects.toThrow();
	});
});

describe("the IP address that a limit counts", () => {
	it.each([
		["203.0.113.7", "203.0.113.7"],
		["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
		["2001:db8:1:2::", "2001:db8:1:2::/64"],
		["2001:DB8:1:2::ffff", "2001:db8:1:2::/64"],
		["2001:0db8:0001:0002:0000:0000:0000:0001", "2001:db8:1:2::/64"],
		["2001:db8::1", "2001:db8:0:0::/64"],
		["2001:db8:0:0:1::", "2001:db8:0:0::/64"],
		["::1", "0:0:0:0::/64"],
		["1::", "1:0:0:0::/64"],
		["1:2:3:4:5:6:7::", "1:2:3:4::/64"],
		["", "unknown"],
		[null, "unknown"],
	])("of %s is %s", (address, key) => {
		expect(addressKey(address)).toBe(key);
	});

	it("is the same for an IPv6 network of /64, in any spelling, and another for the next", () => {
		const group = fc.integer({ min: 0, max: 0xffff });
		fc.assert(
			fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), fc.array(group, { minLength: 4, maxLength: 4 }), (groups, tail) => {
				const spell = (parts: readonly number[]) => parts.map((part) => part.toString(16)).join(":");
				const padded = (parts: readonly number[]) => parts.map((part) => part.toString(16).padStart(4, "0").toUpperCase()).join(":");
				const network = groups.slice(0, 4);
				const key = addressKey(spell(groups));
				expect(addressKey(padded([...network, ...tail]))).toBe(key);
				expect(addressKey(new URL(`http://[${spell([...network, 0, 0, 0, 1])}]/`).hostname.slice(1, -1))).toBe(key);
				const [first = 0, ...rest] = network;
				expect(addressKey(spell([first ^ 1, ...rest, ...tail]))).not.toBe(key);
			}),
		);
	});

	it("is short, for any header", () => {
		fc.assert(fc.property(fc.string({ maxLength: 5000 }), (address) => addressKey(address).length <= 64));
	});
});

describe("stored text", () => {
	it("is the same after UTF-8", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), (value) => {
				const survives = new TextDecoder().decode(new TextEncoder().encode(value)) === value && !value.includes("\0");
				expect(isStorableText(value)).toBe(survives);
			}),
		);
	});

	it("is counted in code points", () => {
		const schema = text({ min: 2, max: 3 });
		const unit = fc.constantFrom("a", "é", "🦊", "\u{10ffff}");
		fc.assert(
			fc.property(fc.array(unit, { maxLength: 5 }), (parts) => {
				expect(schema.safeParse(parts.join("")).success).toBe(parts.length >= 2 && parts.length <= 3);
			}),
		);
	});
});

describe("a URL of the bucket itself", () => {
	const settings = { endpoint: "https://s3.example", bucket: "b", accessKeyId: "id", secretAccessKey: "secret" };
	const MINUTE = Date.parse("2026-11-22T06:15:00.000Z");
	const END = MINUTE + HOUR_MS + MINUTE_MS;

	async function presignedAt(now: number) {
		const transfers = createDirectTransfers(settings, { ...systemClock, now: () => now }, () => Promise.reject(new Error("not sent")));
		const options = { ttlMs: END - now, filename: "a.zip" };
		return [
			await transfers.presignGet("artifacts/a.zip", options),
			await transfers.presignPut("uploads/a.zip", { ttlMs: END - now, bytes: 9 }),
		];
	}

	it("is the same for a minute if it ends at the same time, so its response keeps its ETag", async () => {
		const first = await presignedAt(MINUTE);
		for (const later of [1, 1_000, 59_999]) {
			const again = await presignedAt(MINUTE + later);
			expect(again.map(({ url }) => url)).toEqual(first.map(({ url }) => url));
			expect(again.map(({ ttlMs }) => MINUTE + later + ttlMs)).toEqual([END, END]);
		}
		expect((await presignedAt(MINUTE + MINUTE_MS))[0]?.url).not.toBe(first[0]?.url);
		const { searchParams } = new URL(first[0]?.url ?? "");
		expect([searchParams.get("X-Amz-Date"), searchParams.get("X-Amz-Expires")]).toEqual(["20261122T061500Z", "3660"]);
	});
});

describe("an event stream", () => {
	const open = (random: number, onEnd = () => {}) =>
		openEventStream({ clock: manualClock(), random, request: new Request("https://bounties.example/stream"), onEnd });

	it("asks each client to reconnect after another pause", async () => {
		const retries = await Promise.all(
			[0, 0.5, 1].map(async (random) => {
				const { response, sink } = open(random);
				sink.end();
				return response.text();
			}),
		);
		expect(retries).toEqual(["retry: 2000\n", "retry: 16000\n", "retry: 30000\n"]);
	});

	it("disconnects a reader for whom more than 256 KB wait, after what it can still read", async () => {
		let ends = 0;
		const { response, sink } = open(0, () => ends++);
		const sent = Array.from({ length: 10 }, (_, index) => ({ event: "task", id: String(index), json: `"${"x".repeat(50_000)}"` }));
		for (const event of sent) sink.send(event);
		expect(ends).toBe(1);
		const ids = [...(await response.text()).matchAll(/^id: (\d+)$/gm)].map(([, id]) => id);
		expect(ids).toEqual(sent.slice(0, ids.length).map(({ id }) => id));
		expect(ids.length).toBeGreaterThanOrEqual(5);
		expect(ids.length).toBeLessThan(10);
	});
});
