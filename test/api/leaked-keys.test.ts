// Reports of credentials that were found in public, as GitHub's secret scanning sends them.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createApp } from "../../src/app.ts";
import { listAuditEntries } from "../../src/features/admin/contract.ts";
import { whoAmI } from "../../src/features/agents/contract.ts";
import { createKey } from "../../src/features/api-keys/contract.ts";
import { MAX_REPORT_BYTES, MAX_REPORTED_TOKENS, reportLeakedKeys } from "../../src/features/leaked-keys/contract.ts";
import { mintChild } from "../../src/features/operators/contract.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { admin } from "../support/admin.ts";
import { createClient } from "../support/client.ts";
import { type ManualClock, manualClock, testDeps } from "../support/deps.ts";
import { createFleet } from "../support/identities.ts";
import { createScanner, type Scanner, signReport } from "../support/scanner.ts";
import { registerAgent } from "../support/scenario.ts";

const PLACE = "https://github.com/someone/agent/blob/main/.env";
interface KeyServer {
	respond: () => Response;
	requests: number;
}

/** A platform that reads the scanner's keys from a server, with its log. Each has a URL of its own, because isolates remember keys. */
function createPlatform(scanner: Scanner) {
	const server: KeyServer = { respond: () => Response.json({ public_keys: [scanner.entry] }), requests: 0 };
	const url = `https://keys.test/${crypto.randomUUID()}`;
	const logged: unknown[] = [];
	const clock: ManualClock = manualClock();
	const log: Deps["log"] = { info: (...line) => logged.push(line), error: (...line) => logged.push(line) };
	const fetchKeys: Deps["fetch"] = async (target) => {
		expect(target).toBe(url);
		server.requests += 1;
		return server.respond();
	};
	const config = { ...testDeps().config, secretScanningKeysUrl: url };
	const client = createClient({
		fetch: async (request) => {
			const own = testDeps({ config, clock, log, fetch: fetchKeys });
			const response = await createApp(() => own).fetch(request);
			await own.settled();
			return response;
		},
	});
	const signed = (body: string, by: Scanner = scanner) => signReport(by, body);
	const report = async (tokens: readonly object[]) => client.call(reportLeakedKeys, await signed(JSON.stringify(tokens)));
	return { client, clock, logged, report, scanner, server, signed };
}

const found = (token: string, change: object = {}) => ({
	token,
	type: "bounty_platform_api_key",
	url: PLACE,
	source: "content",
	...change,
});
const labelled = (token: string, label: string) => ({ token_raw: token, token_type: "bounty_platform_api_key", label });

describe("a report of leaked keys", () => {
	it("revokes the keys and operator tokens among the tokens at once, and says which they are", async () => {
		const { report, logged } = createPlatform(await createScanner());
		const [agent, fleet] = [await registerAgent(), await createFleet()];
		const [child, unknown] = [await fleet.mint(), `svc_sk_${"0".repeat(64)}`];
		const other = createClient({ key: (await agent.call(createKey)).api_key });
		await agent.call(whoAmI);
		const tokens = [unknown, agent.key, "ghp_something_else", fleet.token, agent.key];
		expect(await report(tokens.map((token) => found(token)))).toEqual([
			labelled(unknown, "false_positive"),
			labelled(agent.key, "true_positive"),
			labelled("ghp_something_else", "false_positive"),
			labelled(fleet.token, "true_positive"),
			labelled(agent.key, "true_positive"),
		]);
		expect((await agent.refused(whoAmI, "unauthorized")).message).toContain(PLACE);
		expect((await createClient({ key: fleet.token }).refused(mintChild, "UNAUTHORIZED")).message).toContain(PLACE);
		await createClient({ key: fleet.token }).refused(whoAmI, "unauthorized");
		await child.refused(whoAmI, "unauthorized");
		await other.call(whoAmI);
		await fleet.operator.call(whoAmI);
		const text = JSON.stringify([logged, (await admin.call(listAuditEntries, { query: { limit: 5 } })).data]);
		for (const key of [agent.key, fleet.token]) expect(text).not.toContain(key);
	});

	it("is in the audit log once for each credential, however often and however many at once report it", async () => {
		const { report } = createPlatform(await createScanner());
		const agent = await registerAgent();
		const answers = await Promise.all(Array.from({ length: 4 }, () => report([found(agent.key)])));
		for (const answer of answers) expect(answer).toEqual([labelled(agent.key, "true_positive")]);
		const key = await env.DB.prepare("select id from api_keys where agent_id = ?").bind(agent.agentId).first<{ id: string }>();
		const { data } = await admin.call(listAuditEntries, { query: { limit: 20 } });
		expect(data.filter(({ target }) => target === key?.id)).toMatchObject([{ actor: "secret-scanning", action: "api_key.revoke_leaked" }]);
	});

	it("does not show the owner a place that is not a URL, or one that contains the key", async () => {
		const { report } = createPlatform(await createScanner());
		for (const place of ["", null, "javascript:alert(1)", "https://a.example/ <b>", `https://a.example/${"x".repeat(600)}`]) {
			const agent = await registerAgent();
			await report([found(agent.key, { url: place })]);
			const { message } = await agent.refused(whoAmI, "unauthorized");
			expect(message).toMatch(/^This credential was found in public, and was revoked/);
		}
		const agent = await registerAgent();
		await report([found(agent.key, { url: `https://a.example/?key=${agent.key}` })]);
		expect((await agent.refused(whoAmI, "unauthorized")).message).not.toContain(agent.key);
	});

	it("is refused without the scanner's signature over exactly this body, and changes nothing", async () => {
		const platform = createPlatform(await createScanner());
		const { client, signed, scanner } = platform;
		const agent = await registerAgent();
		const body = JSON.stringify([found(agent.key)]);
		const good = await signed(body);
		const withHeaders = (headers: Readonly<Record<string, string>>) => ({ ...good, headers: { ...good.headers, ...headers } });
		const signature = good.headers["Github-Public-Key-Signature"];
		const forged = [
			{ rawBody: body },
			{ ...good, rawBody: `${body} ` },
			await signed(body, await createScanner(scanner.keyId)),
			await signed(body, await createScanner("another-key")),
			...["", "x", "AAAA", signature.slice(0, -4), `${signature}AAAA`, new Uint8Array(64).toBase64()].map((text) =>
				withHeaders({ "Github-Public-Key-Signature": text }),
			),
		];
		for (const input of forged) await client.refused(reportLeakedKeys, "UNAUTHORIZED", input);
		await agent.call(whoAmI);
		await client.call(reportLeakedKeys, good);
		await agent.refused(whoAmI, "unauthorized");
	});

	it("is refused when it is too large or no report", async () => {
		const { client, signed } = createPlatform(await createScanner());
		const many = JSON.stringify(Array.from({ length: MAX_REPORTED_TOKENS + 1 }, () => found("x")));
		for (const body of ["", "{", "{}", "[1]", '[{"token":1,"type":""}]', many]) {
			await client.refused(reportLeakedKeys, "INVALID_BODY", await signed(body));
		}
		await client.refused(reportLeakedKeys, "FILE_TOO_LARGE", await signed(" ".repeat(MAX_REPORT_BYTES + 1)));
		expect(await client.call(reportLeakedKeys, await signed("[]"))).toEqual([]);
	});

	it("finds nothing where no scanner is configured", async () => {
		await createClient().refused(reportLeakedKeys, "NOT_FOUND", { rawBody: "[]" });
	});
});

describe("the scanner's public keys", () => {
	it("are read once an hour, and at most once a minute for keys that are not known", async () => {
		const { client, clock, report, server, signed } = createPlatform(await createScanner());
		await report([]);
		await report([]);
		expect(server.requests).toBe(1);
		const stranger = await createScanner("unknown");
		for (let time = 0; time < 3; time += 1) await client.refused(reportLeakedKeys, "UNAUTHORIZED", await signed("[]", stranger));
		expect(server.requests).toBe(1);
		clock.advance(60_000);
		server.respond = () => Response.json({ public_keys: [stranger.entry] });
		expect(await client.call(reportLeakedKeys, await signed("[]", stranger))).toEqual([]);
		expect(server.requests).toBe(2);
	});

	it("serve on while their server fails, and without any the report is to be sent again", async () => {
		const { client, clock, server, signed } = createPlatform(await createScanner());
		for (const respond of [() => Response.json({}), () => new Response("no", { status: 500 }), () => new Response("{")]) {
			server.respond = respond;
			const { headers } = await client.refused(reportLeakedKeys, "NOT_READY", await signed("[]"));
			expect(headers.get("Retry-After")).toBe("60");
			clock.advance(60_000);
		}
		const fresh = createPlatform(await createScanner());
		await fresh.report([]);
		fresh.server.respond = () => new Response("no", { status: 500 });
		fresh.clock.advance(2 * 3_600_000);
		expect(await fresh.report([])).toEqual([]);
	});
});
