import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { DeviceRequestBook } from "../../../src/extensions/oauth/object/device-request.ts";
import { createClient } from "../../support/client.ts";
import { signInHuman } from "../../support/identities.ts";
import {
	type Browser,
	browserOf,
	expectRefused,
	ORIGIN,
	openKeySession,
	postForm,
	readTokens,
	refresh,
	registerProgram,
	request,
} from "../../support/programs.ts";
import { registerAgent } from "../../support/scenario.ts";

const CLI = "bounty-cli";

afterEach(() => {
	vi.useRealTimers();
});

const codes = z.strictObject({
	device_code: z.string(),
	user_code: z.string().regex(/^[B-Z]{4}-[B-Z]{4}$/),
	verification_uri: z.literal(`${ORIGIN}/device`),
	verification_uri_complete: z.string(),
	expires_in: z.literal(900),
	interval: z.literal(5),
});

const begin = async (client_id = CLI, scope = "act") =>
	codes.parse(await (await postForm("/oauth/device_authorization", { client_id, scope })).json());

const poll = (device_code: string, client_id = CLI) =>
	postForm("/oauth/token", { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code, client_id });

const decide = (by: Browser, user_code: string, decision = "allow") =>
	postForm("/device", { user_code, csrf_token: by.csrfToken, decision }, { Cookie: by.cookie });

const openPage = (by: Browser | null, code?: string, address?: string) =>
	request(
		`/device${code === undefined ? "" : `?user_code=${code}`}`,
		{ headers: { Accept: "text/html", Cookie: by?.cookie ?? "" } },
		address,
	);

describe("a device", () => {
	it("gets tokens once its person has entered the code", async () => {
		const person = await signInHuman("Grace");
		const by = await browserOf(person);
		const { device_code, user_code } = await begin();
		await expectRefused(await poll(device_code), "authorization_pending");
		const html = await (await openPage(by, user_code.toLowerCase().replace("-", " "))).text();
		for (const shown of ["Bounty command line", "Grace", user_code]) expect(html).toContain(shown);
		const decided = await decide(by, user_code);
		expect([decided.status, decided.headers.get("X-Frame-Options")]).toEqual([200, "DENY"]);
		const tokens = await readTokens(await poll(device_code));
		expect(await createClient({ key: tokens.access_token }).call("whoAmI")).toMatchObject({ agent_id: person.agentId });
		expect((await person.call("listGrants")).data).toMatchObject([{ client_name: "Bounty command line", scope: "act" }]);
		await readTokens(await refresh(CLI, tokens.refresh_token));
		await expectRefused(await poll(device_code), "invalid_grant");
	});

	it("may poll for a minute, and is told to slow down if it polls sooner", async () => {
		const { device_code } = await begin();
		const start = Date.now();
		vi.useFakeTimers({ toFake: ["Date"], now: start });
		for (let second = 5; second <= 60; second += 5) {
			vi.setSystemTime(start + second * 1_000);
			await expectRefused(await poll(device_code), "authorization_pending");
		}
		vi.setSystemTime(Date.now() + 1_000);
		await expectRefused(await poll(device_code), "slow_down");
	});

	it("learns that its person refuses, or that the code has expired", async () => {
		const by = await browserOf(await signInHuman());
		const refused = await begin();
		expect((await decide(by, refused.user_code, "deny")).status).toBe(200);
		await expectRefused(await poll(refused.device_code), "access_denied");
		const late = await begin();
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 15 * 60_000 + 1 });
		await expectRefused(await poll(late.device_code), "expired_token");
		expect((await decide(by, late.user_code)).status).toBe(400);
		await expectRefused(await poll("made up"), "expired_token");
	});

	it("may be any registered client, and only the one that began", async () => {
		const by = await browserOf(await signInHuman());
		const { clientId } = await registerProgram({ grant_types: ["urn:ietf:params:oauth:grant-type:device_code"] });
		const { device_code, user_code } = await begin(clientId, "read");
		await expectRefused(await poll(device_code), "invalid_grant");
		await decide(by, user_code);
		const tokens = await readTokens(await poll(device_code, clientId));
		expect(tokens.scope).toBe("read");
		await expectRefused(await postForm("/oauth/device_authorization", { client_id: "unknown" }), "invalid_client", 401);
	});

	it("authenticates with its secret, by the header or in the form, whenever it asks", async () => {
		const by = await browserOf(await signInHuman());
		const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
		const { clientId, clientSecret = "" } = await registerProgram({
			...{ token_endpoint_auth_method: "client_secret_basic", grant_types: [grant_type] },
		});
		const basic = { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` };
		await expectRefused(await postForm("/oauth/device_authorization", { client_id: clientId }), "invalid_client", 401);
		const { device_code, user_code } = codes.parse(await (await postForm("/oauth/device_authorization", { scope: "read" }, basic)).json());
		await decide(by, user_code);
		await expectRefused(await poll(device_code, clientId), "invalid_client", 401);
		const wrong = { Authorization: `Basic ${btoa(`${clientId}:wrong`)}` };
		await expectRefused(await postForm("/oauth/token", { grant_type, device_code }, wrong), "invalid_client", 401);
		await readTokens(await postForm("/oauth/token", { grant_type, device_code }, basic));
	});

	it("is decided once, and takes an approval once, however many ask at the same time", async () => {
		const people = await Promise.all([1, 2, 3, 4].map(async () => browserOf(await signInHuman())));
		const { device_code, user_code } = await begin();
		const decided = await Promise.all(people.map((by) => decide(by, user_code)));
		expect(decided.filter(({ status }) => status === 200)).toHaveLength(1);
		const polls = await Promise.all(Array.from({ length: 10 }, () => poll(device_code)));
		expect(polls.filter(({ status }) => status === 200)).toHaveLength(1);
	});

	it("gets tokens if the object missed the approval, and the person allows again", async () => {
		const person = await signInHuman();
		const by = await browserOf(person);
		const { device_code, user_code } = await begin();
		const missed = vi.spyOn(DeviceRequestBook.prototype, "decide").mockImplementationOnce(() => {
			throw new Error("The object is not available.");
		});
		expect((await decide(by, user_code)).status).toBe(500);
		missed.mockRestore();
		await expectRefused(await poll(device_code), "authorization_pending");
		expect((await decide(await browserOf(await signInHuman()), user_code)).status).toBe(409);
		expect((await decide(by, user_code)).status).toBe(200);
		await readTokens(await poll(device_code));
		expect((await person.call("listGrants")).data).toHaveLength(1);
	});

	it("gets nothing if the agent is claimed between the approval and its poll", async () => {
		const agent = await registerAgent();
		const { device_code, user_code } = await begin();
		expect((await decide(await openKeySession(agent.key), user_code)).status).toBe(200);
		await (await signInHuman()).call("claimAgent", { body: { api_key: agent.key } });
		await expectRefused(await poll(device_code), "access_denied");
	});
});

describe("the page of the code", () => {
	it("shows the code to compare, and of a program that is not ours the host and that it chose its name", async () => {
		const by = await browserOf(await signInHuman());
		const show = async (clientId: string) => {
			const { user_code } = await begin(clientId);
			const html = await (await openPage(by, user_code)).text();
			expect(html).toContain(`must show <b>${user_code}</b>`);
			return html;
		};
		expect(await show(CLI)).not.toContain("chose its own name");
		const grant_types = ["urn:ietf:params:oauth:grant-type:device_code"];
		const { clientId } = await registerProgram({ client_name: "BOUNTY  Command-Line", grant_types });
		const html = await show(clientId);
		for (const shown of ["chose its own name", "<b>client.example</b>", "Connect client.example: BOUNTY"]) expect(html).toContain(shown);
	});

	it("asks to sign in, and comes back with the code", async () => {
		expect(await (await openPage(null, "WDJB-MJHT")).text()).toContain("return_to=%2Fdevice%3Fuser_code%3DWDJB-MJHT");
	});

	it("refuses forged forms", async () => {
		const by = await browserOf(await signInHuman());
		const { device_code, user_code } = await begin();
		expect((await decide({ ...by, csrfToken: "" }, user_code)).status).toBe(403);
		expect((await decide({ ...by, cookie: "" }, user_code)).status).toBe(403);
		await expectRefused(await poll(device_code), "authorization_pending");
	});

	it("takes ten wrong codes of a network in ten minutes, also in parallel, and counts no right one", async () => {
		const by = await browserOf(await signInHuman());
		const network = "198.51.100.";
		const { user_code } = await begin();
		expect((await openPage(by, user_code, `${network}200`)).status).toBe(200);
		const tries = await Promise.all(Array.from({ length: 15 }, (_, index) => openPage(by, "BCDF-GHJK", `${network}${index + 1}`)));
		expect(tries.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(10);
		const limited = tries.find(({ status }) => status === 429);
		expect(limited?.headers.get("Retry-After")).toBe("600");
		expect((await openPage(by, user_code, `${network}201`)).status).toBe(429);
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 * 60_000 + 1 });
		expect((await openPage(by, user_code, `${network}202`)).status).toBe(200);
	});
});
