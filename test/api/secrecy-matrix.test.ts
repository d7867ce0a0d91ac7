// Calls every operation with the ids of private things, as each kind of caller that must neither read nor change them. The table in
// test/support/secrecy.ts decides what a caller may read, not an earlier run.
import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { EndpointContract } from "../../src/http/endpoint.ts";
import { ADMIN_TOKEN, admin } from "../support/admin.ts";
import { endpoints } from "../support/app.ts";
import { type CallInput, type Client, createClient } from "../support/client.ts";
import { createFleet, signInHuman } from "../support/identities.ts";
import { awaitEvaluation, openTask, registerAgent, submit } from "../support/scenario.ts";
import { makePrivateScene, PATH, type PrivateScene, SECRETS, type Secret } from "../support/secrecy.ts";
import { snapshotStorage } from "../support/storage.ts";
import { validCall } from "../support/valid-call.ts";

let scene: PrivateScene;
let strangers: Readonly<Record<string, Client>>;

beforeAll(async () => {
	scene = await makePrivateScene();
	strangers = { ...scene.near, ...(await makeStrangers()) };
}, 120_000);

/** Returns a caller whose every URL has the query of a URL that was signed for someone else. */
function withQueryOf(signed: string): Client {
	return createClient({
		fetch: (request) => {
			const url = new URL(request.url);
			for (const [name, value] of new URL(signed).searchParams) url.searchParams.set(name, value);
			return exports.default.fetch(new Request(url, request));
		},
	});
}

/** Returns the signed URL of work on the agent's own task. */
async function signArtifactOf(agent: Client): Promise<string> {
	const { id } = await submit(agent, await openTask(agent));
	return (await awaitEvaluation(agent, id)).artifact?.url ?? "";
}

async function makeStrangers(): Promise<Record<string, Client>> {
	const [stranger, otherPoster, suspended, erased] = [
		await registerAgent(),
		await registerAgent(),
		await registerAgent(),
		await registerAgent(),
	];
	const fleet = await createFleet();
	const [person, careless, lured] = [await signInHuman(), await signInHuman(), await signInHuman()];
	const body = { reason: "A test." };
	await admin.call("suspendAgent", { params: { id: suspended.agentId }, body });
	await admin.call("eraseAgent", { params: { id: erased.agentId }, body });
	return {
		"no credential": createClient(),
		"an unknown key": createClient({ key: `svc_sk_${"0".repeat(64)}` }),
		"a stranger": stranger,
		"another poster": otherPoster,
		"a suspended agent": suspended,
		"an erased agent": erased,
		"another operator": fleet.operator,
		"an agent of another fleet": await fleet.mint(),
		"an operator token": createClient({ key: fleet.token }),
		"the admin token": createClient({ key: ADMIN_TOKEN }),
		"the query of another URL": withQueryOf(await signArtifactOf(otherPoster)),
		"a person": person,
		"a person without the CSRF token": careless.with({ "X-CSRF-Token": null }),
		"a person on another site": lured.with({ "Sec-Fetch-Site": "cross-site" }),
	};
}

/** Admins see everything, and `/mcp` has tools instead of ids: test/api/invited-strangers.test.ts. */
const contracts = endpoints.filter(({ auth, operationId }) => auth !== "admin" && operationId !== "callMcp");
const isRead = ({ method }: EndpointContract) => method === "get";
/** The paths of these endpoints name something in the own workspace of the caller. */
const isOwnWorkspace = ({ path }: EndpointContract) => /\/workspace\/(?:kv|files)/.test(path);
/** Profiles are public. */
const isProfile = ({ path }: EndpointContract) => path.includes("/agents/{id}");
const namesPrivateThing = (contract: EndpointContract) =>
	!isOwnWorkspace(contract) &&
	!isProfile(contract) &&
	(contract.path.includes("{id}") || contract.path.includes("{agentId}") || contract.operationId in BODIES);

/** These operations name a private thing in the query or in the body. */
const BODIES: Readonly<Record<string, (ids: PrivateScene["ids"]) => CallInput>> = {
	createDeal: ({ tasks, agents }) => ({ body: { taskId: tasks, agentId: agents, dealType: "output_purchase", dealValueCents: 100 } }),
	createReport: ({ submissions }) => ({ body: { submission_id: submissions, reason: "Spam" } }),
	revokeApiKey: ({ keyId }) => ({ query: { id: keyId ?? "" } }),
};

const privateWrites = contracts.filter((contract) => !isRead(contract) && namesPrivateThing(contract));
/** A guest competes, asks and reports, and may delete the question, which is its own. */
const WAYS_OF_GUESTS = ["joinTask", "quickSubmit", "createSubmission", "askQuestion", "deleteQuestion", "createReport"];
/** The poster may have work judged again and review it, and everything else about a submission is up to its agent. */
const isOthersWork = ({ path, operationId }: EndpointContract) =>
	path.includes("/submissions/{id}") && !["requestReEvaluation", "reviewSubmission"].includes(operationId);

/** These lists could show private things if they are asked for them. */
const QUERIES: Readonly<Record<string, CallInput>> = {
	searchTasks: { query: { query: "heronword" } },
	searchDocs: { query: { q: "heronword" } },
	listTasks: { query: { limit: "100" } },
	listPublicTasks: { query: { limit: "1000" } },
};

function inputOf(contract: EndpointContract, ids: PrivateScene["ids"]): CallInput {
	const kind = /\/([\w-]+)\/\{id\}/.exec(contract.path)?.[1] ?? "";
	const call = validCall(contract, ids[kind]);
	const isAboutFiles = isOwnWorkspace(contract) || contract.path.includes("/files/");
	const own = isAboutFiles ? { key: PATH, path: PATH } : {};
	const given = Object.entries({ ...ids, ...own }).filter(([name]) => name in (call.params ?? {}));
	return {
		...call,
		...QUERIES[contract.operationId],
		...BODIES[contract.operationId]?.(ids),
		params: { ...call.params, ...Object.fromEntries(given) },
	};
}

/** Reads a response, or the first events of a stream. */
async function textOf(response: Response): Promise<string> {
	if (response.headers.get("Content-Type")?.startsWith("text/event-stream") !== true) return response.text();
	const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
	let text = "";
	while (reader !== undefined && !text.includes("data:")) {
		const { done, value } = await reader.read();
		if (done) break;
		text += value;
	}
	await reader?.cancel();
	return text;
}

const shownIn = (text: string) =>
	Object.entries(SECRETS).flatMap(([name, secret]) => (text.toLowerCase().includes(secret.toLowerCase()) ? [name] : []));

interface Reading {
	readonly status: number;
	readonly shown: readonly string[];
}

async function ask(client: Client, contract: EndpointContract, ids: PrivateScene["ids"]): Promise<Reading> {
	const response = await client.send(contract, inputOf(contract, ids));
	const head = [...response.headers].join("\n");
	const text = await textOf(response);
	return { status: response.status, shown: shownIn(`${head}\n${text}`) };
}

const CHUNK = 8;

/** Asks each operation, and those about tasks and submissions a second time, about the draft and the submission without files. */
async function askAll(client: Client, list: readonly EndpointContract[]): Promise<readonly (readonly [EndpointContract, Reading])[]> {
	const about = list.flatMap((contract) => {
		const isAboutMore = /\/(?:tasks|submissions)\/\{id\}/.test(contract.path);
		return [scene.ids, ...(isAboutMore ? [{ ...scene.ids, ...scene.others }] : [])].map((ids) => [contract, ids] as const);
	});
	const readings: (readonly [EndpointContract, Reading])[] = [];
	for (let start = 0; start < about.length; start += CHUNK) {
		const chunk = about.slice(start, start + CHUNK).map(async ([contract, ids]) => [contract, await ask(client, contract, ids)] as const);
		readings.push(...(await Promise.all(chunk)));
	}
	return readings;
}

/** Returns a line for each response that a stranger must not get. */
function faultsOf(readings: readonly (readonly [EndpointContract, Reading])[], may: readonly Secret[]): string[] {
	return readings.flatMap(([contract, { status, shown }]) => {
		const allowed: readonly string[] = isProfile(contract) ? [...may, "name"] : may;
		const leaks = shown.filter((name) => !allowed.includes(name)).map((name) => `${contract.operationId} shows the ${name}`);
		return status >= 500 ? [...leaks, `${contract.operationId} is ${status}`] : leaks;
	});
}

/** Returns everything that is stored, without the marks of commits and the counts of a fleet, whose reservations are given back. */
async function storedThings(): Promise<object> {
	const { commit_marks: _marks, operator_usage: _usage, operator_child_usage: _childUsage, ...things } = await snapshotStorage();
	return things;
}

describe("private things", () => {
	it("can be read by those that they belong to, so that this test can see them", async () => {
		for (const [name, { client, may }] of Object.entries(scene.insiders)) {
			const readings = await askAll(client, contracts.filter(isRead));
			expect({ name, faults: faultsOf(readings, may) }).toEqual({ name, faults: [] });
			const shown = new Set(readings.flatMap(([contract, reading]) => (isProfile(contract) ? [] : reading.shown)));
			expect({ name, shown: [...shown].toSorted() }).toEqual({ name, shown: [...may].toSorted() });
		}
	}, 120_000);

	it("are read by no one else", async () => {
		for (const [name, client] of Object.entries(strangers)) {
			const readings = await askAll(client, contracts.filter(isRead));
			expect({ name, faults: faultsOf(readings, []) }).toEqual({ name, faults: [] });
			const found = readings.filter(([contract, { status }]) => namesPrivateThing(contract) && status < 400);
			expect({ name, found: found.map(([{ operationId }]) => operationId) }).toEqual({ name, found: [] });
		}
	}, 240_000);

	it("are changed by no one else", async () => {
		expect(privateWrites.length).toBeGreaterThan(45);
		const before = await storedThings();
		for (const [name, client] of Object.entries(strangers)) {
			const readings = await askAll(client, privateWrites);
			expect({ name, faults: faultsOf(readings, []) }).toEqual({ name, faults: [] });
			const accepted = readings.filter(([, { status }]) => status < 400).map(([{ operationId }]) => operationId);
			expect({ name, accepted }).toEqual({ name, accepted: [] });
		}
		expect(await storedThings()).toEqual(before);
	}, 240_000);

	it("are changed by insiders only in the ways that they have", async () => {
		const { insiders } = scene;
		const before = await storedThings();
		const attempts = [
			[
				"a guest",
				insiders["a guest"].client,
				(contract: EndpointContract) => !WAYS_OF_GUESTS.includes(contract.operationId),
				["checkSubmission"],
			],
			["the operator", insiders["the operator"].client, ({ operationId }: EndpointContract) => operationId !== "revokeOperatorToken", []],
			["the poster", insiders["the poster"].client, (contract: EndpointContract) => isOthersWork(contract), []],
		] as const;
		for (const [name, client, isForbidden, harmless] of attempts) {
			const readings = await askAll(client, privateWrites.filter(isForbidden));
			const accepted = new Set(readings.filter(([, { status }]) => status < 400).map(([{ operationId }]) => operationId));
			expect({ name, accepted: [...accepted] }).toEqual({ name, accepted: harmless });
		}
		expect(await storedThings()).toEqual(before);
	}, 120_000);
});
