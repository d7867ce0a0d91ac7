// Provides one caller of each kind, and how each credential is refused before the server looks at anything else.
import { exports } from "cloudflare:workers";
import type { EndpointContract } from "../../src/http/endpoint.ts";
import { ADMIN_TOKEN, admin } from "./admin.ts";
import { type Client, createClient, isThere } from "./client.ts";
import { browser, createFleet, signInHuman } from "./identities.ts";
import { awaitEvaluation, openTask, registerAgent, submit } from "./scenario.ts";

/** Says whether a credential works. Some fail for all requests, others only for writes or where a session is required. */
export type Credential =
	| "works"
	| "works as a session"
	| "unauthorized"
	| "suspended"
	| "lacks its CSRF token"
	| "is a form of another site"
	| "is an operator token"
	| "is an unknown operator token"
	| "is the admin token";

export interface Caller {
	readonly client: Client;
	readonly credential: Credential;
}

const isRead = ({ method }: EndpointContract) => method === "get";

/** Returns the code with which a credential is refused, or null if the request gets past the credential. */
export function refusalOf(contract: EndpointContract, credential: Credential): string | null {
	// A platform in development refuses each write from a foreign origin first.
	if (credential === "is a form of another site") return "FORBIDDEN";
	switch (contract.auth) {
		case "key":
			return refusalOfKey(contract, credential);
		case "session":
			return credential === "works" ? "FORBIDDEN" : refusalOfKey(contract, credential);
		case "admin":
			return credential === "is the admin token" ? null : "UNAUTHORIZED";
		case "operator":
			if (credential === "is an unknown operator token") return "UNAUTHORIZED";
			return credential === "is an operator token" ? null : "INVALID_OPERATOR_TOKEN_FORMAT";
		case "signed":
			return "UNAUTHORIZED";
		case "callback":
		case "none":
			return null;
	}
}

function refusalOfKey(contract: EndpointContract, credential: Credential): string | null {
	switch (credential) {
		case "works":
		case "works as a session":
			return null;
		case "lacks its CSRF token":
			return isRead(contract) ? null : "FORBIDDEN";
		case "suspended":
			return "FORBIDDEN";
		default:
			return "unauthorized";
	}
}

/** Returns a caller that adds to each URL the query of a URL that was signed for someone else. */
function withQueryOf(signed: string): Client {
	return createClient({
		fetch: (request) => {
			const url = new URL(request.url);
			for (const [name, value] of new URL(signed).searchParams) url.searchParams.set(name, value);
			return exports.default.fetch(new Request(url, request));
		},
	});
}

/** Returns the signed URL of a submission to the agent's own task. */
async function signArtifactOf(agent: Client): Promise<string> {
	const { id } = await submit(agent, await openTask(agent));
	return (await awaitEvaluation(agent, id)).artifact?.url ?? "";
}

/** Makes an agent that operators have then suspended or erased. */
async function makeCallerAfter(operation: "suspendAgent" | "eraseAgent", credential: Credential): Promise<Caller> {
	const client = await registerAgent();
	await admin.call(operation, { params: { id: client.agentId }, body: { reason: "A test." } });
	return { client, credential };
}

/** Makes callers whose credential never existed, or no longer works. */
async function makeRefused(): Promise<Record<string, Caller>> {
	const revoked = await registerAgent();
	const [key] = (await revoked.call("listApiKeys")).data;
	await revoked.call("revokeApiKey", { query: { id: key?.id ?? "" } });
	const dead = await createFleet();
	const orphan = await dead.mint();
	await dead.operator.call("revokeOperatorToken", { params: { id: dead.tokenId } });
	const withKey = (key: string | null, credential: Credential = "unauthorized"): Caller => ({ client: createClient({ key }), credential });
	return {
		"no credential": withKey(null),
		"a malformed key": withKey("svc_sk_123"),
		"an unknown key": withKey(`svc_sk_${"0".repeat(64)}`),
		"a revoked key": { client: revoked, credential: "unauthorized" },
		"a key whose operator token is revoked": { client: orphan, credential: "unauthorized" },
		...(isThere("suspendAgent") ? { "a suspended agent": await makeCallerAfter("suspendAgent", "suspended") } : {}),
		...(isThere("eraseAgent") ? { "an erased agent": await makeCallerAfter("eraseAgent", "unauthorized") } : {}),
		"an operator token": withKey((await createFleet()).token, "is an operator token"),
		"a revoked operator token": withKey(dead.token, "is an unknown operator token"),
		"an unknown operator token": withKey(`svc_op_${"0".repeat(32)}`, "is an unknown operator token"),
		"the admin token": withKey(ADMIN_TOKEN, "is the admin token"),
		"a wrong admin token": withKey(`svc_admin_${"0".repeat(64)}`),
		"the query of another URL": { client: withQueryOf(await signArtifactOf(await registerAgent())), credential: "unauthorized" },
		"another scheme": { client: browser({ Authorization: `Basic ${btoa("user:password")}` }), credential: "unauthorized" },
	};
}

/** Headers of forms that a browser posts to another site without asking it first. */
const FORMS = {
	"a form of another site": { Origin: "https://evil.test", "Content-Type": "text/plain" },
	"a form without an origin": { Origin: "null", "Content-Type": "application/x-www-form-urlencoded" },
	"a form of a sibling site": {
		...{ Origin: "https://evil.test", "Sec-Fetch-Site": "same-site" },
		"Content-Type": "multipart/form-data; boundary=x",
	},
} as const;

/** Makes people whose requests come from another site, lack a CSRF token, or belong to a session that is unknown or has ended. */
async function makePeople(): Promise<Record<string, Caller>> {
	const [person, leaver] = [await signInHuman(), await signInHuman()];
	await leaver.call("signOut");
	const forms = Object.entries(FORMS).map(([name, headers]) => {
		const client = person.with({ ...headers, "X-CSRF-Token": null });
		return [name, { client, credential: "is a form of another site" } as const];
	});
	return {
		"a session's token as a key": { client: createClient({ key: person.token }), credential: "unauthorized" },
		"an unknown session": { client: browser({ Cookie: `__Host-session=svc_ses_${"0".repeat(64)}` }), credential: "unauthorized" },
		"a session that has ended": { client: leaver, credential: "unauthorized" },
		"a session from another site": { client: person.with({ "Sec-Fetch-Site": "cross-site" }), credential: "unauthorized" },
		"a session without its CSRF token": { client: person.with({ "X-CSRF-Token": null }), credential: "lacks its CSRF token" },
		"a session with a wrong CSRF token": { client: person.with({ "X-CSRF-Token": "0".repeat(64) }), credential: "lacks its CSRF token" },
		...Object.fromEntries(forms),
	};
}

/** Makes callers whose credentials work, and who have no part in anything. */
async function makeStrangers(): Promise<Record<string, Caller>> {
	const [fleet, otherPoster] = [await createFleet(), await registerAgent()];
	await openTask(otherPoster);
	const clients = {
		"a stranger": await registerAgent(),
		"another poster": otherPoster,
		"another operator": fleet.operator,
		"an agent of another fleet": await fleet.mint(),
	};
	const withKeys = Object.entries(clients).map(([name, client]) => [name, { client, credential: "works" } as const]);
	return Object.fromEntries(withKeys);
}

/** Returns callers that have no part in anything that a test makes. */
export async function makeOutsiders(): Promise<Readonly<Record<string, Caller>>> {
	return { ...(await makeRefused()), ...(await makePeople()), ...(await makeStrangers()) };
}
