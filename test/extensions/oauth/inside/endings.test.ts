// The streams and signed URLs of a program end with its token or its grant.
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../../../src/db/client.ts";
import { createApp } from "../../../support/app.ts";
import { createClient, randomAddress } from "../../../support/client.ts";
import { newIsolate, testDeps } from "../../../support/deps.ts";
import { signInHuman } from "../../../support/identities.ts";
import { interceptD1 } from "../../../support/intercepted-d1.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { addPasskey, signInWith } from "../../../support/passkeys.ts";
import { browserOf, connect, connectPerson, openKeySession, postForm, readTokens, refresh } from "../../../support/programs.ts";
import { registerAgent } from "../../../support/scenario.ts";
import { readStream } from "../../../support/sse.ts";

const CHECK_MS = 15_000;
const HOUR_MS = 3_600_000;

/** Opens a stream in an isolate of its own, whose clock the test moves. */
async function openStream(key: string) {
	const clock = manualClock();
	const deps = testDeps({ clock, endedCredentials: newIsolate().endedCredentials, log: { info: () => {}, error: () => {} } });
	const app = createApp(() => deps);
	const stream = readStream(await createClient({ key, fetch: (sent) => app.fetch(sent) }).send("streamBounties"));
	await stream.count(1);
	await deps.settled();
	const check = async (waitMs = 100) => {
		clock.advance(CHECK_MS);
		await new Promise((resolve) => setTimeout(resolve, waitMs));
	};
	const hasEnded = () => Promise.race([stream.ended.then(() => true), new Promise((resolve) => setTimeout(() => resolve(false), 200))]);
	return { check, hasEnded };
}

describe("a stream of a program", () => {
	it("ends within 30 seconds after its access token is given back, and streams of the grant's other tokens stay", async () => {
		const { program } = await connectPerson();
		const next = await readTokens(await refresh(program.clientId, program.tokens.refresh_token));
		const [own, other] = [await openStream(program.tokens.access_token), await openStream(next.access_token)];
		for (const { check, hasEnded } of [own, other]) {
			await check();
			expect(await hasEnded()).toBe(false);
		}
		await postForm("/oauth/revoke", { token: program.tokens.access_token, client_id: program.clientId });
		for (const { check } of [own, other]) await check();
		for (const { check } of [own, other]) await check();
		expect([await own.hasEnded(), await other.hasEnded()]).toEqual([true, false]);
	});

	it("ends when its access token expires", async () => {
		const { program } = await connectPerson();
		const { check, hasEnded } = await openStream(program.tokens.access_token);
		for (let passed = 0; passed < HOUR_MS - CHECK_MS; passed += CHECK_MS) await check(20);
		await check();
		await check();
		expect(await hasEnded()).toBe(true);
	}, 60_000);
});

describe("a signed URL of a program", () => {
	it("ends with its grant, and those of the person stay", async () => {
		const person = await signInHuman();
		const by = await browserOf(person);
		const program = await connect(by);
		const put = async (url: string) => {
			const headers = { "CF-Connecting-IP": randomAddress(), "Content-Type": "application/octet-stream" };
			return (await exports.default.fetch(new Request(url, { method: "PUT", body: "x", headers }))).status;
		};
		const body = { path: "notes.bin" };
		const [first, second] = [
			await program.call("createWorkspaceUploadUrl", { body }),
			await program.call("createWorkspaceUploadUrl", { body }),
		];
		const own = await person.call("createWorkspaceUploadUrl", { body });
		expect(await put(first.upload_url)).toBe(200);
		const [grant] = (await person.call("listGrants")).data;
		await person.call("endGrant", { params: { id: grant?.id ?? "" } });
		expect(await put(second.upload_url)).toBe(401);
		expect(await put(own.upload_url)).toBe(200);
	});
});

describe("a revocation that the directory did not hear of", () => {
	it("is an error, and takes effect when it is repeated", async () => {
		const { program } = await connectPerson();
		await program.call("whoAmI");
		const d1 = interceptD1((run, statements) => {
			if (statements.some((sql) => /delete from access_tokens/i.test(sql))) throw new Error("D1_ERROR: no such luck");
			return run();
		});
		const app = createApp(() => testDeps({ db: openDatabase(d1, "first-primary"), log: { info: () => {}, error: () => {} } }));
		const body = new URLSearchParams({ token: program.tokens.access_token, client_id: program.clientId }).toString();
		const headers = { "Content-Type": "application/x-www-form-urlencoded", "CF-Connecting-IP": randomAddress() };
		const failed = await app.fetch(new Request("https://bounty.test/oauth/revoke", { method: "POST", headers, body }));
		expect(failed.status).toBeGreaterThanOrEqual(500);
		expect((await postForm("/oauth/revoke", { token: program.tokens.access_token, client_id: program.clientId })).status).toBe(200);
		await program.refused("whoAmI", "unauthorized");
	});
});

describe("a program that a passkey's session has connected", () => {
	it("stays when its person revokes the key that made the passkey, and one that the key has connected ends", async () => {
		const agent = await registerAgent();
		const { authenticator } = await addPasskey(agent);
		const person = await signInWith(authenticator);
		const kept = await connect(await browserOf(person));
		const stolen = await connect(await openKeySession(agent.key));
		const [{ id } = { id: "" }] = (await person.call("listApiKeys")).data;
		await person.call("revokeApiKey", { query: { id } });
		await kept.call("whoAmI");
		await readTokens(await refresh(kept.clientId, kept.tokens.refresh_token));
		await stolen.refused("whoAmI", "unauthorized");
	});

	it("ends when the key is revoked otherwise", async () => {
		const agent = await registerAgent();
		const { authenticator } = await addPasskey(agent);
		const program = await connect(await browserOf(await signInWith(authenticator)));
		const other = createClient({ key: (await agent.call("createApiKey")).api_key });
		const [{ id } = { id: "" }] = (await agent.call("listApiKeys")).data.filter(({ name }) => name === "first key");
		await other.call("revokeApiKey", { query: { id } });
		await program.refused("whoAmI", "unauthorized");
	});
});
