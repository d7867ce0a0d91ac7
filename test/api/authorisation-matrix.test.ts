// Calls every operation as each kind of caller on each kind of task. The contract, the callers' parts in the tasks and the table of
// test/support/secrecy.ts decide each cell: the code that a caller gets, what it may read, and that a refused write changes nothing.
import { beforeAll, describe, expect, it } from "vitest";
import { wireCodeOf } from "../../src/domain/errors.ts";
import { type EndpointContract, errorCodesOf } from "../../src/http/endpoint.ts";
import { endpoints } from "../support/app.ts";
import { type Caller, makeOutsiders, refusalOf } from "../support/callers.ts";
import { type CallInput, isThere } from "../support/client.ts";
import { registerWithTier, signInHuman } from "../support/identities.ts";
import { loadLateModules } from "../support/late-modules.ts";
import { CONTEST_NAMES, CONTEST_WORD, makeContest, makePrivateScene, PATH, SECRETS } from "../support/secrecy.ts";
import { readFirstState } from "../support/sse.ts";
import { snapshotStorage } from "../support/storage.ts";
import { isId, validCall } from "../support/valid-call.ts";

type Ids = Readonly<Record<string, string>>;
type Part = "owner" | "competitor" | "operator";

interface Kind {
	/** The keys are the text before `{id}` in a path, or the name of a parameter. */
	readonly ids: Ids;
	/** Callers that have no part in the task are strangers. */
	readonly parts: Readonly<Record<string, Part>>;
	readonly submitter: string;
	/** Strangers may read the task. */
	readonly isPublic: boolean;
	readonly isOpen: boolean;
	readonly secrets: Readonly<Record<string, string>>;
	/** Everyone else may read no secret. */
	readonly may: Readonly<Record<string, readonly string[]>>;
	/** The public profile of the agent shows these secrets, but must not lead to its work. */
	readonly profile: readonly string[];
	/** Lists and searches are asked for this word. */
	readonly query: Readonly<Record<string, string>>;
	/** With "operations" all credentials call all operations. Otherwise callers whose credentials work read all, or what is about the task. */
	readonly asks: "operations" | "reads" | "task";
}

const ALL_KINDS = ["invited", "draft", "open", "open, with another submission", "closed", "taken down"] as const;
const KINDS = ALL_KINDS.filter((kind) => kind !== "taken down" || isThere("takeDownTask"));
let kinds: Readonly<Record<(typeof ALL_KINDS)[number], Kind>>;
let callers: Readonly<Record<string, Caller>>;

const mapValues = <In, Out>(record: Readonly<Record<string, In>>, map: (value: In) => Out): Record<string, Out> =>
	Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));

beforeAll(async () => {
	await loadLateModules();
	const { insiders, near, ids, others } = await makePrivateScene();
	const { poster, first, second, identities, ...contest } = await makeContest();
	const withKey = (client: Caller["client"]): Caller => ({ client, credential: "works" });
	const parties = { "the other poster": poster, "the first competitor": first, "the second competitor": second };
	callers = {
		...(await makeOutsiders()),
		...mapValues(near, withKey),
		...mapValues(insiders, ({ client }) => withKey(client)),
		...mapValues(parties, withKey),
	};
	const invited: Kind = {
		ids,
		parts: { "the poster": "owner", "the submitter": "competitor", "a guest": "competitor", "the operator": "operator" },
		submitter: "the submitter",
		...{ isPublic: false, isOpen: true, asks: "operations" },
		secrets: SECRETS,
		may: mapValues(insiders, ({ may }) => may),
		profile: ["name"],
		query: { query: "heronword", q: "heronword", limit: "100" },
	};
	const secrets = Object.entries(identities).flatMap(([who, texts]) => texts.map((text, index) => [`${who} ${index}`, text] as const));
	const namesOf = (...who: readonly string[]) => secrets.map(([name]) => name).filter((name) => who.includes(name.split(" ")[0] ?? ""));
	const working = Object.fromEntries(Object.entries(callers).filter(([, { credential }]) => credential.startsWith("works")));
	const open: Kind = {
		ids: contest.ids,
		parts: { "the other poster": "owner", "the first competitor": "competitor", "the second competitor": "competitor" },
		submitter: "the first competitor",
		...{ isPublic: true, isOpen: true, asks: "reads" },
		secrets: Object.fromEntries(secrets),
		may: {
			// Callers with a key see whose task it is.
			...mapValues(working, () => ["poster 0"]),
			"a person": ["poster 0"],
			"the other poster": namesOf("poster", "first", "second"),
			"the first competitor": ["poster 0", ...namesOf("first")],
			"the second competitor": ["poster 0", ...namesOf("second")],
		},
		profile: namesOf("first"),
		query: { query: "anonymous", q: CONTEST_WORD, sort: "score", category: CONTEST_WORD, limit: "50" },
	};
	const other = { ...open, ids: { ...contest.ids, submissions: contest.secondSubmission }, submitter: "the second competitor" } as const;
	// The page of a closed task names its poster.
	const hidden = Object.fromEntries(secrets.filter(([name]) => !["poster 0", "poster 3"].includes(name)));
	const ended = { ...open, secrets: hidden, parts: { "the other poster": "owner" }, isOpen: false, asks: "task" } as const;
	kinds = {
		invited,
		draft: { ...invited, ids: { ...ids, ...others }, parts: { "the poster": "owner" }, asks: "task" },
		open,
		"open, with another submission": { ...other, asks: "task" },
		closed: { ...ended, ids: { ...contest.ids, tasks: contest.closed } },
		"taken down": { ...ended, ids: { ...contest.ids, tasks: contest.takenDown }, isPublic: false },
	};
});

const isRead = ({ method }: EndpointContract) => method === "get";
/** Profiles are public. */
const PROFILES = ["getAgent", "getPublicAgent", "getAgentPage"];
/** The paths of these endpoints name something in the own workspace of the caller. */
const isOwnWorkspace = ({ path }: EndpointContract) => /\/workspace\/(?:kv|files)/.test(path);
const kindOf = ({ path }: EndpointContract) => /\/([\w-]+)\/\{id\}/.exec(path)?.[1] ?? "";

/** These operations name a private thing in the query or in the body. */
const BODIES: Readonly<Record<string, (ids: Ids) => CallInput>> = {
	createDeal: ({ tasks, agents }) => ({ body: { taskId: tasks, agentId: agents, dealType: "output_purchase", dealValueCents: 100 } }),
	createReport: ({ submissions }) => ({ body: { submission_id: submissions, reason: "Spam" } }),
	revokeApiKey: ({ keyId }) => ({ query: { id: keyId ?? "" } }),
};

function inputOf(contract: EndpointContract, { ids, query }: Kind): CallInput {
	const call = validCall(contract, ids[kindOf(contract)]);
	const isAboutFiles = isOwnWorkspace(contract) || contract.path.includes("/files/");
	const own = isAboutFiles ? { key: PATH, path: PATH } : {};
	const given = Object.entries({ ...ids, ...own }).filter(([name]) => name in (call.params ?? {}));
	const asked = Object.entries({ ...query, task_id: ids["tasks"] ?? "" }).filter(([name]) => name in (contract.query?.shape ?? {}));
	return {
		...call,
		query: { ...call.query, ...Object.fromEntries(asked) },
		...BODIES[contract.operationId]?.(ids),
		params: { ...call.params, ...Object.fromEntries(given) },
	};
}

/** An agent that takes part in a task may do these. It may delete its own question. */
const WAYS_OF_COMPETITORS = [
	...["joinTask", "quickSubmit", "createSubmission", "checkSubmission", "askQuestion", "deleteQuestion", "createReport"],
];
/** The poster may have work judged again and review it, and everything else about a submission is up to its agent. */
const WAYS_OF_POSTERS = ["requestReEvaluation", "reviewSubmission"];

/** The common battery demands 403 of these for anyone but the owner. With a second id, an unknown one is 404 first. */
function isOwnersOnly({ params, errors }: EndpointContract): boolean {
	return errors.includes("FORBIDDEN") && Object.values(params?.shape ?? {}).filter(isId).length === 1;
}

/** Returns the code for a caller whose credential works, "refused" if any refusal will do, or null if it may succeed. */
function codeOnKind(contract: EndpointContract, kind: Kind, name: string): string | null {
	const part = kind.parts[name];
	if (contract.path.includes("/tasks/{id}")) return codeOnTask(contract, kind, part);
	if (contract.path.includes("/submissions/{id}")) return kind.submitter === name ? null : codeOnSubmission(contract, kind, part);
	if (kind.asks !== "operations" || PROFILES.includes(contract.operationId)) return null;
	if (contract.operationId === "createDeal" && part === "competitor") return "FORBIDDEN";
	const isNaming = contract.path.includes("{id}") || contract.operationId in BODIES;
	return isNaming && !isPartyTo(contract, kind, name) ? "NOT_FOUND" : null;
}

/** Dry runs and everything else that a path names are the poster's. */
function isPartyTo(contract: EndpointContract, { parts, submitter }: Kind, name: string): boolean {
	const part = parts[name];
	const parties: Readonly<Record<string, boolean>> = {
		revokeApiKey: submitter === name,
		createDeal: part === "owner",
		createReport: part === "owner" || part === "competitor",
		deals: part === "owner" || name === "a guest",
		webhooks: submitter === name,
		"operator-tokens": part === "operator",
	};
	return parties[contract.operationId] ?? parties[kindOf(contract)] ?? part === "owner";
}

function codeOnTask(contract: EndpointContract, { isPublic, isOpen }: Kind, part: Part | undefined): string | null {
	// None of these is a test task, so none has a clock.
	if (contract.operationId === "advanceClock") return "NOT_FOUND";
	if (part === "owner") return null;
	if (!isPublic && (part === undefined || part === "operator")) return "NOT_FOUND";
	if (isOpen && isOwnersOnly(contract) && contract.operationId !== "deleteQuestion") return "FORBIDDEN";
	return isRead(contract) || WAYS_OF_COMPETITORS.includes(contract.operationId) || part === undefined ? null : "refused";
}

function codeOnSubmission(contract: EndpointContract, { isOpen }: Kind, part: Part | undefined): string | null {
	if (!isOpen) return null;
	if (part !== "owner") return "NOT_FOUND";
	return isRead(contract) || WAYS_OF_POSTERS.includes(contract.operationId) ? null : "FORBIDDEN";
}

/** A reader without a key sees public tasks, and the state of a submission whose id it knows. */
function codeForAnyone(contract: EndpointContract, { isPublic, asks }: Kind): string | null {
	const isAboutTask = /\/(?:tasks|submissions)\/\{id\}/.test(contract.path);
	return isAboutTask && !isPublic && (asks === "operations" || contract.path.includes("/tasks/")) ? "refused" : null;
}

/** These writes need no key and take effect, and `/mcp` has tools instead of ids: test/api/invited-strangers.test.ts. */
const OPEN_WRITES = endpoints.filter((contract) => !isRead(contract) && contract.auth === "none").map(({ operationId }) => operationId);

interface Cell {
	readonly contract: EndpointContract;
	readonly kind: Kind;
	readonly name: string;
	readonly caller: Caller;
	readonly expected: string | null;
}

/** Returns the code that the cell must have, "refused" if any refusal will do, or null if the caller may succeed. */
function expectedOf(contract: EndpointContract, kind: Kind, { name, caller }: { name: string; caller: Caller }): string | null {
	const refusal = refusalOf(contract, caller.credential);
	if (refusal !== null) return refusal;
	// The token in the body is not the one of the task.
	if (contract.auth === "callback") return "refused";
	if (contract.auth === "key") return codeOnKind(contract, kind, name);
	// The status of a submission needs no key, but an invite-only task honours a key.
	const isParty = kind.parts[name] === "owner" || kind.parts[name] === "competitor";
	if (contract.operationId === "getSubmissionStatus" && isParty && caller.credential === "works") return null;
	return contract.auth === "none" ? codeForAnyone(contract, kind) : null;
}

/** Writes that could take effect are left out, because this is about who is refused. Forms of other sites come with cookies. */
function isAsked({ contract, kind, name, caller, expected }: Cell): boolean {
	if (!isRead(contract) && (expected === null || OPEN_WRITES.includes(contract.operationId))) return false;
	if (caller.credential === "is a form of another site") return !isRead(contract) && ["key", "session"].includes(contract.auth);
	if (kind.asks === "operations") return true;
	const isAboutTask = /\/(?:tasks|submissions)\/\{id\}/.test(contract.path);
	if (!isAboutTask && (kind.asks === "task" || !isRead(contract))) return false;
	return caller.credential.startsWith("works") || (name === "no credential" && contract.auth === "none");
}

function cellsOf(kind: Kind, list: readonly EndpointContract[]): Cell[] {
	const cells = list.flatMap((contract) =>
		Object.entries(callers).map(([name, caller]) => ({
			contract,
			kind,
			name,
			caller,
			expected: expectedOf(contract, kind, { name, caller }),
		})),
	);
	return cells.filter(isAsked);
}

interface Seen {
	readonly cell: Cell;
	readonly code: string | null;
	readonly shown: readonly string[];
	readonly faults: readonly string[];
}

async function look(cell: Cell): Promise<Seen[]> {
	const { contract, kind, caller } = cell;
	const input = inputOf(contract, kind);
	const isCsv = isRead(contract) && contract.headers !== undefined;
	const looks = [input, ...(isCsv ? [{ ...input, headers: { ...input.headers, Accept: "text/csv" } }] : [])];
	return Promise.all(
		looks.map(async (one) => {
			const response = await caller.client.send(contract, one);
			const text = await readFirstState(contract, response);
			const code = response.status < 400 ? null : (/"code":"(\w+)"/.exec(text)?.[1] ?? `status ${response.status}`);
			const shown = shownIn(cell, `${[...response.headers].join("\n")}\n${text}`, JSON.stringify(one));
			return { cell, code, shown, faults: [...faultsOfContract(cell, response, code), ...faultsOfCell(cell, code, shown)] };
		}),
	);
}

/** The caller knows the texts that it has sent. The poster's name is public in one field of two endpoints, and on the task's page. */
function shownIn({ contract, kind }: Cell, text: string, sent: string): string[] {
	const field = `"poster_name":"${CONTEST_NAMES.poster}"`;
	const named = { getPublicTask: field, getTask: field, getTaskPage: `<bdi>${CONTEST_NAMES.poster}</bdi>` };
	const allowed = Object.entries(named).find(([operationId]) => operationId === contract.operationId)?.[1];
	const rest = (allowed === undefined ? text : text.replace(allowed, "")).toLowerCase();
	const isShown = (secret: string) => !sent.includes(secret) && rest.includes(secret.toLowerCase());
	const shown = Object.entries(kind.secrets).flatMap(([name, secret]) => (isShown(secret) ? [name] : []));
	const work = PROFILES.includes(contract.operationId) ? [kind.ids["tasks"] ?? "", kind.ids["submissions"] ?? ""] : [];
	return [...shown, ...(work.some(isShown) ? ["the work of a profile"] : [])];
}

function faultsOfContract({ contract }: Cell, response: Response, code: string | null): string[] {
	const successes: readonly number[] = [contract.response.status, ...(contract.response.others ?? []).map(({ status }) => status)];
	const codes: readonly string[] = errorCodesOf(contract).map(wireCodeOf);
	// The test's runtime follows redirects.
	const isDeclared = code === null ? response.redirected || successes.includes(response.status) : codes.includes(code);
	const isPrivate = contract.auth === "none" || /no-store|private/.test(response.headers.get("Cache-Control") ?? "");
	return [
		...(response.status >= 500 ? [`status ${response.status}`] : []),
		...(isDeclared || (code !== null && !contract.path.startsWith("/api/")) ? [] : [`${code ?? response.status} is not declared`]),
		...(isPrivate ? [] : ["it may be cached"]),
	];
}

function faultsOfCell({ contract, kind, name, expected }: Cell, code: string | null, shown: readonly string[]): string[] {
	const may: readonly string[] = [...(kind.may[name] ?? []), ...(PROFILES.includes(contract.operationId) ? kind.profile : [])];
	const leaks = contract.auth === "admin" && name === "the admin token" ? [] : shown.filter((each) => !may.includes(each));
	const isExpected = expected === null || code === expected || (expected === "refused" && code !== null);
	return [...(isExpected ? [] : [`${code ?? "a success"} instead of ${expected}`]), ...leaks.map((each) => `it shows ${each}`)];
}

const CHUNK = 100;
const seenOn: Record<string, readonly Seen[]> = {};

async function lookAtAll(cells: readonly Cell[]): Promise<Seen[]> {
	const seen: Seen[] = [];
	for (let start = 0; start < cells.length; start += CHUNK) {
		seen.push(...(await Promise.all(cells.slice(start, start + CHUNK).map(look))).flat());
	}
	return seen;
}

function deviationsOf(seen: readonly Seen[]): object[] {
	return seen.flatMap(({ cell, faults }) => faults.map((wrong) => ({ operation: cell.contract.operationId, caller: cell.name, wrong })));
}

/** Returns everything that is stored, without the marks of commits and the counts of a fleet, whose reservations are given back. */
async function storedThings(): Promise<object> {
	const { commit_marks: _marks, operator_usage: _usage, operator_child_usage: _childUsage, ...things } = await snapshotStorage();
	return things;
}

describe.each(KINDS)("every operation, called by each kind of caller on a task that is %s,", (which) => {
	// A session has a limit of its own.
	beforeAll(async () => {
		callers = { ...callers, "a person": { client: await signInHuman(), credential: "works as a session" } };
	});

	it("shows what the caller may read", { timeout: 240_000 }, async () => {
		const seen = await lookAtAll(cellsOf(kinds[which], endpoints.filter(isRead)));
		expect(JSON.stringify(deviationsOf(seen))).toBe("[]");
		seenOn[which] = seen;
	});

	it("changes nothing that is not the caller's", { timeout: 240_000 }, async () => {
		const before = await storedThings();
		const seen = await lookAtAll(
			cellsOf(
				kinds[which],
				endpoints.filter((contract) => !isRead(contract)),
			),
		);
		expect(JSON.stringify(deviationsOf(seen)), "If competitors or posters may do this, add it to WAYS_OF_… above").toBe("[]");
		expect(await storedThings()).toEqual(before);
		seenOn[`${which}, writes`] = seen;
	});
});

describe("the matrix", () => {
	it("has every operation but the open writes", () => {
		const called = new Set(Object.values(seenOn).flatMap((seen) => seen.map(({ cell }) => cell.contract.operationId)));
		const uncalled = endpoints.map(({ operationId }) => operationId).filter((each) => !called.has(each));
		expect(uncalled.toSorted()).toEqual(OPEN_WRITES.toSorted());
	});

	it("shows each private text to those that it belongs to, so that it would notice it elsewhere", () => {
		const seen = [...(seenOn["invited"] ?? []), ...(seenOn["draft"] ?? [])];
		for (const [name, secrets] of Object.entries(kinds.invited.may)) {
			const own = seen.filter(({ cell }) => cell.name === name && !PROFILES.includes(cell.contract.operationId));
			expect({ name, shown: [...new Set(own.flatMap(({ shown }) => shown))].toSorted() }).toEqual({ name, shown: [...secrets].toSorted() });
		}
	});

	it("has public operations that treat all credentials alike", () => {
		const codes = new Map<string, Set<string | null>>();
		for (const { cell, code } of [...(seenOn["invited"] ?? []), ...(seenOn["invited, writes"] ?? [])]) {
			const { auth, operationId } = cell.contract;
			if (auth !== "none") continue;
			codes.set(operationId, (codes.get(operationId) ?? new Set()).add(code));
		}
		expect(codes.size).toBe(endpoints.filter((contract) => isRead(contract) && contract.auth === "none").length);
		// The status of a submission to an invite-only task is for its parties.
		expect([...codes].filter(([, { size }]) => size !== 1).map(([name]) => name)).toEqual(["getSubmissionStatus"]);
	});

	it("has one operation that depends on the tier, and it refuses all others", async () => {
		const gated = endpoints.filter(({ errors }) => errors.includes("TIER_FORBIDDEN"));
		expect(gated.map(({ operationId }) => operationId)).toEqual(["createOperatorToken"]);
		for (const tier of ["anonymous", "operator_child", "staked", "dev"]) {
			await (await registerWithTier(tier)).refused("createOperatorToken", "TIER_FORBIDDEN");
		}
	});
});
