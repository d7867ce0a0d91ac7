// Calls every route of the project with every credential that must not open it.
import { beforeAll, describe, expect, it } from "vitest";
import { type AuthKind, type EndpointContract, errorCodesOf } from "../../src/http/endpoint.ts";
import { endpoints } from "../support/app.ts";
import { type CallInput, type Client, createClient } from "../support/client.ts";
import { makeForeignIds } from "../support/common-fixtures.ts";
import { browser, createFleet, registerWithTier, signInHuman } from "../support/identities.ts";
import { registerAgent } from "../support/scenario.ts";
import { snapshotStorage } from "../support/storage.ts";
import { validCall } from "../support/valid-call.ts";

const contracts = endpoints;
const withAuth = (...kinds: AuthKind[]) => contracts.filter(({ auth }) => kinds.includes(auth));
const isWrite = ({ method }: EndpointContract) => method !== "get";

async function codeOf(client: Client, contract: EndpointContract, input: CallInput): Promise<string> {
	const response = await client.send(contract, input);
	const text = await response.text();
	return response.status < 400 ? `status ${response.status}` : (/"code":"(\w+)"/.exec(text)?.[1] ?? text.slice(0, 100));
}

/** Lists the responses of each contract to a client, by operation, so that one comparison shows every offence. */
async function answersTo(client: Client, list: readonly EndpointContract[], id?: string): Promise<Record<string, string>> {
	const ask = async (contract: EndpointContract) => [contract.operationId, await codeOf(client, contract, validCall(contract, id))];
	return Object.fromEntries(await Promise.all(list.map(ask)));
}

const all = (list: readonly EndpointContract[], code: string) => Object.fromEntries(list.map(({ operationId }) => [operationId, code]));

interface Credentials {
	readonly [name: string]: Client;
}

let useless: Credentials;
let revokedOperator: Client;

beforeAll(async () => {
	const fleet = await createFleet();
	const dead = await createFleet();
	const orphan = await dead.mint();
	await dead.operator.call("revokeOperatorToken", { params: { id: dead.tokenId } });
	const revoked = await registerAgent();
	const [key] = (await revoked.call("listApiKeys")).data;
	await revoked.call("revokeApiKey", { query: { id: key?.id ?? "" } });
	const human = await signInHuman();
	const leaver = await signInHuman();
	await leaver.call("signOut");
	revokedOperator = createClient({ key: dead.token });
	useless = {
		"no credential": createClient(),
		"a malformed key": createClient({ key: "svc_sk_123" }),
		"an unknown key": createClient({ key: `svc_sk_${"0".repeat(64)}` }),
		"a revoked key": revoked,
		"a key whose operator token is revoked": orphan,
		"an operator token": createClient({ key: fleet.token }),
		"a session's token as a key": createClient({ key: human.token }),
		"another scheme": browser({ Authorization: `Basic ${btoa("user:password")}` }),
		"an unknown session": browser({ Cookie: `__Host-session=svc_ses_${"0".repeat(64)}` }),
		"a session that has ended": leaver,
		"a session from another site": human.with({ "Sec-Fetch-Site": "cross-site" }),
	};
}, 60_000);

describe("routes for keys and sessions", () => {
	const protectedRoutes = withAuth("key", "session");

	it("are more than half of all routes", () => {
		expect(protectedRoutes.length).toBeGreaterThan(contracts.length / 2);
		for (const contract of protectedRoutes) expect(errorCodesOf(contract)).toContain("unauthorized");
	});

	it("refuse every credential that is not a key or a session", async () => {
		for (const [name, client] of Object.entries(useless)) {
			expect({ name, answers: await answersTo(client, protectedRoutes) }).toEqual({ name, answers: all(protectedRoutes, "unauthorized") });
		}
	}, 120_000);

	it("refuse a session's write without its CSRF token", async () => {
		const human = await signInHuman();
		const writes = protectedRoutes.filter(isWrite);
		for (const token of [null, "0".repeat(64)]) {
			expect(await answersTo(human.with({ "X-CSRF-Token": token }), writes)).toEqual(all(writes, "FORBIDDEN"));
		}
	});

	it("refuse each form that another site can post with a person's cookies", async () => {
		const human = await signInHuman();
		const writes = protectedRoutes.filter(isWrite);
		const before = await snapshotStorage();
		for (const origin of [
			{ Origin: "https://evil.test" },
			{ Origin: "null" },
			{ Origin: "https://evil.test", "Sec-Fetch-Site": "same-site" },
		]) {
			for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
				const form = human.with({ ...origin, "Content-Type": type, "X-CSRF-Token": null });
				// A platform in development refuses the foreign origin first.
				expect(await answersTo(form, writes)).toEqual(all(writes, "FORBIDDEN"));
			}
		}
		expect(await snapshotStorage()).toEqual(before);
	}, 60_000);

	it("give no access to what belongs to another tenant", async () => {
		const foreign = await makeForeignIds();
		const owner = await registerWithTier("verified");
		const { id: tokenId } = await owner.call("createOperatorToken");
		const { id: webhookId } = await owner.call("createWebhook", {
			body: { url: "https://receiver.invalid/hook", events: ["task.closed"] },
		});
		const byKind: Readonly<Record<string, string | undefined>> = { ...foreign, "operator-tokens": tokenId, webhooks: webhookId };
		const strangers = [await registerAgent(), await (await createFleet()).mint(), await signInHuman()];
		// Profiles are public, so a stranger may read them.
		const isPublic = ({ operationId }: EndpointContract) => operationId === "getAgent";
		const routes = protectedRoutes.filter((each) => each.path.includes("{id}") && each.rawBody === undefined && !isPublic(each));
		for (const contract of routes) {
			const kind = /\/([\w-]+)\/\{id\}/.exec(contract.path)?.[1] ?? "";
			const id = byKind[kind];
			if (id === undefined) throw new Error(`Make a foreign ${kind} for ${contract.operationId}.`);
			for (const stranger of strangers) {
				const code = await codeOf(stranger, contract, validCall(contract, id));
				expect({ operation: contract.operationId, code }).toEqual({ operation: contract.operationId, code: "NOT_FOUND" });
			}
		}
	});

	it("that depend on a tier refuse agents of other tiers", async () => {
		const gated = protectedRoutes.filter(({ errors }) => errors.includes("TIER_FORBIDDEN"));
		expect(gated.map(({ operationId }) => operationId)).toEqual(["createOperatorToken"]);
		for (const tier of ["anonymous", "operator_child", "staked", "dev"]) {
			expect(await answersTo(await registerWithTier(tier), gated)).toEqual(all(gated, "TIER_FORBIDDEN"));
		}
	});
});

describe("routes for sessions", () => {
	const routes = withAuth("session");

	it("refuse every key, even a verified one", async () => {
		expect(routes.map(({ operationId }) => operationId)).toEqual(["getSession", "signOut", "claimAgent"]);
		for (const client of [await registerAgent(), await registerWithTier("verified"), await (await createFleet()).mint()]) {
			expect(await answersTo(client, routes)).toEqual(all(routes, "FORBIDDEN"));
		}
	});
});

describe("routes for operator tokens", () => {
	const routes = withAuth("operator");

	it("accept only operator tokens", async () => {
		const others: Credentials = { ...useless, "a key": await registerAgent(), "a session": await signInHuman() };
		for (const [name, client] of Object.entries(others)) {
			if (name === "an operator token") continue;
			expect({ name, answers: await answersTo(client, routes) }).toEqual({ name, answers: all(routes, "INVALID_OPERATOR_TOKEN_FORMAT") });
		}
		const unknown = createClient({ key: `svc_op_${"0".repeat(32)}` });
		for (const client of [unknown, revokedOperator]) expect(await answersTo(client, routes)).toEqual(all(routes, "UNAUTHORIZED"));
	});
});

describe("public routes", () => {
	const routes = withAuth("none", "signed", "callback").filter(({ operationId }) => operationId !== "registerAnonymous");

	it("respond alike with any credential", async () => {
		const expected = await answersTo(createClient(), routes);
		for (const [name, client] of Object.entries(useless)) {
			expect({ name, answers: await answersTo(client, routes) }).toEqual({ name, answers: expected });
		}
	});
});
