// Anyone can send keys that were never made, so refusing them must cost the database nothing, or one lookup.
import { describe, expect, it } from "vitest";
import { apiKeyOf, isPossibleKey } from "../../src/domain/credentials.ts";
import { EVERYTHING_LIMIT } from "../../src/http/rate-limit.ts";
import { createApp } from "../support/app.ts";
import { type Client, createClient, type Operation } from "../support/client.ts";
import { configWith, newIsolate, testDeps } from "../support/deps.ts";
import { registerAgent } from "../support/scenario.ts";
import { measure } from "../support/use.ts";

const hex = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes)).toHex();
const madeUpId = () => ({ params: { id: crypto.randomUUID() } });
const callsOf = async (client: Client, operation: Operation, input = {}) => {
	const { status, d1_calls } = await measure(() => client.send(operation, input));
	return [status, d1_calls];
};

describe("calls to D1", () => {
	it("of a random key are none, with the id of a submission too", async () => {
		const client = createClient({ key: `svc_sk_${hex(32)}` });
		expect(await callsOf(client, "whoAmI")).toEqual([401, 0]);
		expect(await callsOf(client, "getSubmission", madeUpId())).toEqual([401, 0]);
	});

	it("of a key with a mistyped digit are none", async () => {
		const { key } = await registerAgent();
		const mistyped = key.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"));
		expect(await callsOf(createClient({ key: mistyped }), "whoAmI")).toEqual([401, 0]);
	});

	it("of a made-up key with the right check digits are one, and none for the next two seconds", async () => {
		const client = createClient({ key: apiKeyOf(hex(28)) });
		expect(await callsOf(client, "whoAmI")).toEqual([401, 1]);
		expect(await callsOf(client, "whoAmI")).toEqual([401, 0]);
		await new Promise((resolve) => setTimeout(resolve, 2_000));
		expect(await callsOf(client, "whoAmI")).toEqual([401, 1]);
	});

	it("of the made-up id of a submission are one, and none for the next two seconds", async () => {
		const [client, input] = [createClient(), madeUpId()];
		expect(await callsOf(client, "getSubmissionStatus", input)).toEqual([404, 1]);
		expect(await callsOf(client, "getSubmissionStatus", input)).toEqual([404, 0]);
	});
});

describe("a key", () => {
	it("ends with the CRC-32 of the rest", async () => {
		const digits = `${"0123456789abcdef".repeat(3)}01234567`;
		expect(apiKeyOf(digits)).toBe(`svc_sk_${digits}7650c64f`);
		expect(isPossibleKey((await registerAgent()).key)).toBe(true);
	});

	it("works after two rotations of SECRETS_KEY, and in a deployment that has only the database", async () => {
		const { key, agentId } = await registerAgent();
		const [first, second] = [btoa("1".repeat(32)), btoa("2".repeat(32))];
		for (const variables of [
			{ SECRETS_KEY: first, SECRETS_KEY_PREVIOUS: testDeps().config.keys.current },
			{ SECRETS_KEY: second, SECRETS_KEY_PREVIOUS: first },
			{ SECRETS_KEY: btoa("3".repeat(32)) },
		]) {
			const deps = testDeps({ config: configWith(variables), ...newIsolate(agentId) });
			const client = createClient({ key, fetch: (request) => createApp(() => deps).fetch(request) });
			expect(await client.call("whoAmI")).toMatchObject({ agent_id: agentId });
		}
	});
});

describe("the limit for everything", () => {
	/** Returns a client of an app whose counter of one network, IP address or key is full, and what was counted. */
	function crowded(full: string) {
		const counted: string[] = [];
		const everything = {
			limit: async ({ key }: { key: string }) => {
				counted.push(key);
				return { success: key !== full };
			},
		};
		const deps = () => testDeps({ limits: { ...testDeps().limits, everything } });
		const fetch = (request: Request) => createApp(deps).fetch(request);
		return { counted, from: (address: string, key: string | null = null) => createClient({ address, key, fetch }) };
	}

	it("counts a network, its uploads and signed URLs too, before any lookup", async () => {
		const { from } = crowded("192.0.2.0/24");
		const neighbour = from("192.0.2.7", apiKeyOf(hex(28)));
		const requests: readonly (readonly [Operation, object])[] = [
			["whoAmI", {}],
			["getHealth", {}],
			["putWorkspaceUpload", { params: { agentId: crypto.randomUUID(), uploadId: crypto.randomUUID() }, rawBody: "x" }],
		];
		for (const [operation, input] of requests) {
			const { headers } = await neighbour.refused(operation, "RATE_LIMITED", input);
			expect(headers.get("RateLimit-Policy")).toContain(`"everything";q=${EVERYTHING_LIMIT};w=60`);
		}
		expect(await callsOf(neighbour, "whoAmI")).toEqual([429, 0]);
		await from("192.0.3.7").call("getHealth");
	});

	it("counts a /48 of IPv6 together, and each key where strangers share a network", async () => {
		const { counted, from } = crowded("none");
		await from("2001:db8:1:2::3").call("getHealth");
		await from("2001:db8:1:ffff::3").call("getHealth");
		expect(counted).toEqual(["2001:db8:1::/48", "2001:db8:1::/48"]);
		const [one, other] = [await registerAgent(), await registerAgent()];
		for (const { key } of [one, one, other]) await from("160.79.104.9", key).call("whoAmI");
		const keys = counted.slice(2);
		expect(keys).toEqual([keys[0], keys[0], expect.not.stringMatching(`^${keys[0]}$`)]);
	});
});
