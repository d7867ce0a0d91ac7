// Calls every operation as 13 kinds of caller, on what belongs to another agent, in each state that a task can have. The contract
// decides what each caller may read. Other tests cover writes that could succeed.
import { beforeAll, describe, expect, it } from "vitest";
import { wireCodeOf } from "../../src/domain/errors.ts";
import { type EndpointContract, errorCodesOf } from "../../src/http/endpoint.ts";
import { ADMIN_TOKEN, admin } from "../support/admin.ts";
import { endpoints } from "../support/app.ts";
import { type Client, createClient } from "../support/client.ts";
import { createFleet } from "../support/identities.ts";
import { awaitEvaluation, createDraft, openTask, type RegisteredClient, registerAgent, submit } from "../support/scenario.ts";
import { isId, UNKNOWN_ID, validCall } from "../support/valid-call.ts";

/** A caller either has a key that works, or the code with which routes for keys refuse it. */
interface Caller {
	readonly client: Client;
	readonly refusedWith: "unauthorized" | "FORBIDDEN" | null;
	readonly role: "owner" | "competitor" | "stranger" | null;
	readonly token?: "admin" | "operator";
}

const TASK_STATES = ["draft", "open", "closed", "taken_down"] as const;
type TaskState = (typeof TASK_STATES)[number];

interface Scene {
	readonly callers: Readonly<Record<string, Caller>>;
	readonly tasks: Readonly<Record<TaskState, string>>;
	readonly submissionId: string;
	readonly owner: RegisteredClient;
	readonly names: readonly string[];
}

const COMPETITOR_NAME = "The competitor whose name is hidden";

let scene: Scene;

beforeAll(async () => {
	const owner = await registerAgent("Owner");
	const competitor = await registerAgent(COMPETITOR_NAME);
	const open = await openTask(owner);
	const { id: submissionId } = await submit(competitor, open);
	await awaitEvaluation(competitor, submissionId);
	const [closed, takenDown] = [await openTask(owner), await openTask(owner)];
	await owner.call("closeTask", { params: { id: closed } });
	await admin.call("takeDownTask", { params: { id: takenDown }, body: { reason: "A test." } });
	const { id: draft } = await createDraft(owner);
	const [revoked, suspended] = [await registerAgent(), await registerAgent()];
	const [key] = (await revoked.call("listApiKeys")).data;
	await revoked.call("revokeApiKey", { query: { id: key?.id ?? "" } });
	await admin.call("suspendAgent", { params: { id: suspended.agentId }, body: { reason: "A test." } });
	const fleet = await createFleet();
	const without = (key: string | null, more: Partial<Caller> = {}): Caller => ({
		client: createClient({ key }),
		refusedWith: "unauthorized",
		role: null,
		...more,
	});
	const withKey = (client: Client, role: NonNullable<Caller["role"]>): Caller => ({ client, refusedWith: null, role });
	scene = {
		owner,
		submissionId,
		tasks: { draft, open, closed, taken_down: takenDown },
		names: [COMPETITOR_NAME, competitor.agentId],
		callers: {
			"no key": without(null),
			"an unknown key": without(`svc_sk_${"0".repeat(64)}`),
			"a malformed key": without("svc_sk_1"),
			"a revoked key": { ...without(null), client: revoked },
			"a suspended agent": { client: suspended, refusedWith: "FORBIDDEN", role: null },
			"the admin token": without(ADMIN_TOKEN, { token: "admin" }),
			"a wrong admin token": without(`svc_admin_${"0".repeat(64)}`),
			"an operator token": without(fleet.token, { token: "operator" }),
			"a child's key": withKey(await fleet.mint(), "stranger"),
			"the operator": withKey(fleet.operator, "stranger"),
			"a stranger": withKey(await registerAgent(), "stranger"),
			"a competitor": withKey(competitor, "competitor"),
			"the owner": withKey(owner, "owner"),
		},
	};
}, 120_000);

/** The test does not make writes that could take effect, because it is about who is refused. */
function isLeftOut(contract: EndpointContract, caller: Caller): boolean {
	if (["callMcp", "registerAnonymous"].includes(contract.operationId)) return true;
	if (contract.method === "get") return false;
	if (contract.auth === "admin") return caller.token === "admin";
	if (contract.auth === "operator") return caller.token === "operator";
	if (contract.auth === "none") return true;
	return caller.refusedWith === null && (!isOwnersOnly(contract) || caller.role === "owner");
}

/**
 * The common battery demands 403 of these for anyone but the owner of an open task. With a second id, an unknown one is 404
 * first.
 */
function isOwnersOnly({ path, params, errors }: EndpointContract): boolean {
	const ids = Object.values(params?.shape ?? {}).filter(isId);
	return path.includes("/tasks/{id}") && errors.includes("FORBIDDEN") && ids.length === 1;
}

/**
 * Returns the code that the caller must get before the server looks at anything else, or null if the contract does not decide it.
 */
function gateOf({ auth }: EndpointContract, { refusedWith, token }: Caller): string | null {
	switch (auth) {
		case "key":
			return refusedWith;
		case "session":
			return refusedWith === "unauthorized" ? "unauthorized" : "FORBIDDEN";
		case "admin":
			return token === "admin" ? null : "UNAUTHORIZED";
		case "operator":
			return token === "operator" ? null : "INVALID_OPERATOR_TOKEN_FORMAT";
		case "signed":
			return "UNAUTHORIZED";
		case "callback":
		case "none":
			return null;
	}
}

/** Returns the code for a task that the caller may not see, or may see and not change; null if the contract does not decide it. */
function codeForTask(contract: EndpointContract, role: Caller["role"], state: TaskState): string | null {
	if (contract.auth !== "key" || role === null || role === "owner" || !contract.path.includes("/tasks/{id}")) return null;
	if (state === "draft") return "NOT_FOUND";
	if (state === "taken_down") return "NOT_FOUND";
	return isOwnersOnly(contract) && state === "open" ? "FORBIDDEN" : null;
}

/** Returns the code for a submission of another agent. */
function codeForSubmission(contract: EndpointContract, role: Caller["role"]): string | null {
	return contract.auth === "key" && role === "stranger" && contract.path.includes("/submissions/{id}") ? "NOT_FOUND" : null;
}

const PUBLIC_SUBMISSION_ROUTES = ["getSubmissionStatus", "createReport"];

interface Deviation {
	readonly operation: string;
	readonly caller: string;
	readonly on: string;
	readonly wrong: string;
}

async function deviationsOf(contract: EndpointContract, id: string, on: string): Promise<Deviation[]> {
	const askFor = async ([name, caller]: readonly [string, Caller]) => {
		if (isLeftOut(contract, caller)) return [];
		const response = await caller.client.send(contract, validCall(contract, id));
		called.add(contract.operationId);
		calls += 1;
		const seen = { contract, caller, on, response, text: await textOf(response) };
		return [...faultsOfStatus(seen), ...faultsOfAccess(seen), ...faultsOfSecrecy(seen)].map((wrong) => {
			return { operation: contract.operationId, caller: name, on, wrong };
		});
	};
	return (await Promise.all(Object.entries(scene.callers).map(askFor))).flat();
}

interface Seen {
	readonly contract: EndpointContract;
	readonly caller: Caller;
	readonly on: string;
	readonly response: Response;
	readonly text: string;
}

/** An open stream has no end, so it is not read. */
async function textOf(response: Response): Promise<string> {
	if (response.headers.get("Content-Type")?.startsWith("text/event-stream") !== true) return response.text();
	await response.body?.cancel();
	return "";
}

function codeOf({ response, text }: Seen): string | null {
	return response.status < 400 ? null : (/"code":"(\w+)"/.exec(text)?.[1] ?? `status ${response.status}`);
}

function faultsOfStatus(seen: Seen): string[] {
	const { contract, response } = seen;
	const code = codeOf(seen);
	const successes: readonly number[] = [contract.response.status, ...(contract.response.others ?? []).map(({ status }) => status)];
	const codes: readonly string[] = errorCodesOf(contract).map(wireCodeOf);
	if (response.status >= 500) return [`status ${response.status}`];
	// The test's runtime follows redirects.
	if (code === null) return response.redirected || successes.includes(response.status) ? [] : [`status ${response.status} is not declared`];
	return contract.path.startsWith("/api/") && !codes.includes(code) ? [`${code} is not declared`] : [];
}

function faultsOfAccess(seen: Seen): string[] {
	const { contract, caller, on } = seen;
	if (PUBLIC_SUBMISSION_ROUTES.includes(contract.operationId)) return [];
	const state = TASK_STATES.find((each) => each === on);
	const onResource = state === undefined ? codeForSubmission(contract, caller.role) : codeForTask(contract, caller.role, state);
	const expected = gateOf(contract, caller) ?? onResource;
	const code = codeOf(seen);
	return expected === null || code === expected ? [] : [`${code ?? seen.response.status} instead of ${expected}`];
}

function faultsOfSecrecy({ contract, caller, on, response, text }: Seen): string[] {
	const mayKnow = caller.role === "owner" || caller.role === "competitor" || caller.token === "admin";
	const isNamed = !mayKnow && on === "open" && scene.names.some((hidden) => text.includes(hidden));
	const isPrivate = contract.auth === "none" || /no-store|private/.test(response.headers.get("Cache-Control") ?? "");
	return [...(isNamed ? ["it names the competitor before the reveal"] : []), ...(isPrivate ? [] : ["it may be cached"])];
}

let calls = 0;
const called = new Set<string>();
/** Anyone may call these, and their calls take effect, so they refuse no caller. */
const OPEN_WRITES = endpoints.filter(({ method, auth }) => method !== "get" && auth === "none").map(({ operationId }) => operationId);
const CHUNK = 8;

async function deviationsOfAll(list: readonly EndpointContract[], id: string, on: string): Promise<Deviation[]> {
	const found: Deviation[] = [];
	for (let start = 0; start < list.length; start += CHUNK) {
		const chunk = await Promise.all(list.slice(start, start + CHUNK).map((contract) => deviationsOf(contract, id, on)));
		found.push(...chunk.flat());
	}
	return found;
}

describe("every operation, called by 13 kinds of caller", () => {
	const aboutTasks = endpoints.filter(({ path }) => path.includes("/tasks/{id}"));
	const aboutSubmissions = endpoints.filter(({ path }) => path.includes("/submissions/{id}"));
	const others = endpoints.filter(({ path }) => !path.includes("/tasks/{id}") && !path.includes("/submissions/{id}"));

	it.each(TASK_STATES)("on a task that is %s", { timeout: 240_000 }, async (state) => {
		const before = await scene.owner.call("getTask", { params: { id: scene.tasks[state] } });
		expect(await deviationsOfAll(aboutTasks, scene.tasks[state], state)).toEqual([]);
		expect(await scene.owner.call("getTask", { params: { id: scene.tasks[state] } })).toMatchObject({
			id: before.id,
			status: before.status,
			title: before.title,
		});
	});

	it("on a judged submission", { timeout: 240_000 }, async () => {
		expect(await deviationsOfAll(aboutSubmissions, scene.submissionId, "a submission")).toEqual([]);
	});

	it("on everything else", { timeout: 240_000 }, async () => {
		expect(await deviationsOfAll(others, UNKNOWN_ID, "nothing")).toEqual([]);
		expect(Object.keys(scene.callers)).toHaveLength(13);
		expect(calls).toBeGreaterThan(10 * endpoints.length);
		const uncalled = endpoints.map(({ operationId }) => operationId).filter((each) => !called.has(each));
		expect(uncalled.toSorted()).toEqual(OPEN_WRITES.toSorted());
	});
});
