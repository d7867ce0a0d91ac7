// Fails each call to D1 of each endpoint, before the call takes effect and after it did. The caller must not notice.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { errorCodesOf } from "../../src/http/endpoint.ts";
import { endpoints } from "../support/app.ts";
import { newIsolate } from "../support/deps.ts";
import { faultRun } from "../support/fault-run.ts";
import { createStage, type Failing, type Fault } from "../support/fault-stage.ts";
import { outsideServices } from "../support/outside-services.ts";
import { readyRead, setScene } from "../support/read-calls.ts";
import type { Changes } from "../support/table-counts.ts";
import { FULL, MAY_HAVE_RUN, NOT_RUN, OVERLOADED as OVERLOADED_ERRORS } from "../support/transient-errors.ts";
import { WRITE_CALLS } from "../support/write-calls.ts";

const stage = createStage(outsideServices());
const contracts = endpoints;
const BEFORE: readonly Fault[] = [...NOT_RUN, ...MAY_HAVE_RUN].map((message) => ({ message, moment: "before" }));
const AFTER: readonly Fault[] = MAY_HAVE_RUN.map((message) => ({ message, moment: "after" }));
const OVERLOADED: Fault = { message: OVERLOADED_ERRORS[0] ?? "", moment: "before" };

/** Waits before retries, and before work that follows a response, take no time. */
const SHORT_MS = 1_000;

beforeEach(() => {
	const start = globalThis.setTimeout.bind(globalThis);
	vi.spyOn(globalThis, "setTimeout").mockImplementation((call: () => void, ms = 0) => start(call, ms < SHORT_MS ? 0 : ms));
});

afterEach(() => {
	vi.restoreAllMocks();
});

/** Removes from a response what differs each time: ids, secrets, times and signatures. */
function comparable(text: string): string {
	return text
		.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<id>")
		.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
		.replace(/whsec_[\w+/=]+/g, "<secret>")
		.replace(/(signature|upload_token|sig)(=|":")[\w-]+/g, "$1$2<signature>")
		.replace(/(?:\b|svc_\w+_)[0-9a-f]{6,}/g, "<hex>");
}

/** Fails the first run of every statement, each time with the next kind of error. */
function failingOnce(kinds: readonly Fault[], first: number): Failing {
	const failed = new Set<string>();
	return ({ sql }) => {
		if (failed.has(sql)) return null;
		failed.add(sql);
		return kinds[(first + failed.size) % kinds.length] ?? null;
	};
}

const { seed, playsOneOf } = faultRun;

/** Chooses calls of an endpoint to fail. The seed moves the choice, so runs with several seeds play all calls. */
function playedCalls(calls: number, index: number): number[] {
	return Array.from({ length: calls }, (_, call) => call).filter((call) => (call + index + seed) % playsOneOf === 0);
}

function contractOf(name: string) {
	const contract = contracts.find(({ operationId }) => operationId === name.split(" ")[0]);
	if (contract === undefined) throw new Error(`There is no operation ${name}.`);
	return contract;
}

async function prepare(name: string) {
	const ready = await WRITE_CALLS[name]?.(stage);
	if (ready === undefined) throw new Error(`${name} has no call.`);
	return ready;
}

/** Each page of a rebuild is an act, and a page that failed is another one. */
async function write(name: string, faults: Parameters<typeof stage.play>[2] = {}) {
	const played = await stage.play(contractOf(name), await prepare(name), faults);
	const { audit_log: _acts, ...others } = played.changes;
	return name.startsWith("rebuild") ? { ...played, changes: others } : played;
}

/** The tests' deployment has no OAuth and no security contact. */
const NOT_CONFIGURED = ["getMcpResourceMetadata", "getSecurityContact"];

const success = expect.toSatisfy((status: number) => status < 400);

/** D1 responds to every write that the database is full. */
const refuseWrites: Failing = ({ isWrite }) => (isWrite ? { message: FULL[0] ?? "", moment: "before" } : null);

/** Expects 507 and no change. */
function expectFull({ status, text, changes }: Played): void {
	expect({ status, text, changes }).toEqual({ status: 507, text: expect.stringContaining('"code":"DATABASE_FULL"'), changes: {} });
}

/** Operators act on many things, one after the other. A fault ends the act in the middle, and its repetition is a new act. */
const DONE_IN_STEPS = new Set(["rebuildDirectory", "rebuildSearch", "suspendAgent", "restoreAgent", "eraseAgent"]);
/** These come first, because a rebuild calls every task and the other endpoints make more of them. */
const NAMES = [...DONE_IN_STEPS, ...Object.keys(WRITE_CALLS).filter((name) => !DONE_IN_STEPS.has(name))];

describe.each(NAMES.map((name, index) => ({ name, index })))("$name", ({ name, index }) => {
	it("loses and doubles nothing when calls to D1 and to tasks fail once, and changes nothing when D1 stays overloaded", async () => {
		const clean = await write(name);
		const seen = seenOf(clean);
		expect(seen).toEqual({ ...seen, status: success });
		for (const kinds of [BEFORE, AFTER]) expect(seenOf(await write(name, { failing: failingOnce(kinds, index) }))).toEqual(seen);
		for (const call of playedCalls(clean.storageCalls, index)) await expectRepeatable(name, call, seen);
		for (const call of playedCalls(clean.taskCalls, index)) await expectLossless(name, call, seen);
		const awaited = clean.calls.filter(({ isAfterResponse }) => !isAfterResponse);
		const firstWrite = awaited.find(({ isWrite }) => isWrite)?.sql;
		await expectUnchanged(name, seen, { start: firstWrite, isEnough: true });
		if (awaited[0]?.sql !== firstWrite) await expectUnchanged(name, seen, { start: awaited[0]?.sql, isEnough: false });
	});
});

/** The platform forgets a deletion that has no work left outside, so its repetition finds nothing. */
const FINDS_NOTHING_AGAIN = new Set(["deleteAttachment", "deleteQuestion"]);

/** Loses a call of the Worker to a task's object, or its response. The Worker then calls once more. */
async function expectLossless(name: string, call: number, seen: Seen): Promise<void> {
	expect(seenOf(await write(name, { lost: { call, way: "call" } }))).toEqual(seen);
	if (FINDS_NOTHING_AGAIN.has(name)) return;
	const { status, text } = await write(name, { lost: { call, way: "response" } });
	expect({ status, text: comparable(text) }).toEqual({ status: seen.status, text: seen.text });
}

interface Overload {
	/** D1 becomes overloaded at this statement. */
	readonly start: string | undefined;
	/** True if the request may succeed without what D1 refuses, such as a role, as long as nothing else changes. */
	readonly isEnough: boolean;
}

async function expectUnchanged(name: string, seen: Seen, { start, isEnough }: Overload): Promise<void> {
	if (start === undefined) return;
	const refused = await write(name, { failing: overloadedFrom(start) });
	if (name === "callMcp" && refused.text.includes("OVERLOADED")) {
		expect(seenOf(refused)).toEqual({ status: 200, text: expect.stringMatching(/OVERLOADED: .*call again in 2 seconds/), changes: {} });
	} else if (DONE_IN_STEPS.has(name)) expectOverloaded({ ...refused, changes: {} });
	else if (isEnough && refused.status < 400) expect(seenOf(refused)).toEqual(seen);
	else expectOverloaded(refused);
}

/** Overloads D1 from the first run of a statement on. */
function overloadedFrom(start: string): Failing {
	let isOverloaded = false;
	return ({ sql }) => {
		isOverloaded ||= sql === start;
		return isOverloaded ? OVERLOADED : null;
	};
}

type Played = Awaited<ReturnType<typeof stage.play>>;

type Seen = ReturnType<typeof seenOf>;

const seenOf = ({ status, text, changes }: Played) => ({ status, text: comparable(text), changes });

/** Expects 503 with Retry-After and no change. */
function expectOverloaded({ status, headers, text, changes }: Played): void {
	expect({ status, retryAfter: headers.get("Retry-After"), text, changes }).toEqual({
		status: 503,
		retryAfter: "2",
		text: expect.stringContaining('"code":"OVERLOADED"'),
		changes: {},
	});
}

/**
 * Fails a call to the bucket or an object. The request can be repeated, unless its response did not wait for the call; then
 * everything is as if it had succeeded at once.
 */
async function expectRepeatable(name: string, failingStorageCall: number, seen: Seen): Promise<void> {
	const ready = await prepare(name);
	const failed = await stage.play(contractOf(name), ready, { failingStorageCall });
	// The webhook exists without having passed its test, because only this response contains its secret.
	if (contractOf(name).operationId === "createWebhook")
		return expect(failed).toMatchObject({ status: 201, text: expect.stringContaining('"verified":false') });
	// An MCP client gets the error in a result.
	if (failed.status < 400 && !failed.text.includes("OVERLOADED")) return expect(seenOf(failed)).toEqual(seen);
	if (name === "callMcp") return expect(seenOf(await stage.play(contractOf(name), ready))).toEqual(seen);
	if (name !== "postExternalScore" || !failed.text.includes("EVAL_WRITE_FAILED")) expectOverloaded({ ...failed, changes: {} });
	const repeated = await stage.play(contractOf(name), ready);
	const changes = sumOf(failed.changes, repeated.changes);
	expect({ ...seenOf(repeated), changes: DONE_IN_STEPS.has(name) ? seen.changes : changes }).toEqual(seen);
}

function sumOf(one: Changes, other: Changes): Changes {
	const names = new Set([...Object.keys(one), ...Object.keys(other)]);
	const sums = [...names].map((table) => {
		const [a, b] = [one[table], other[table]];
		return [table, { rows: (a?.rows ?? 0) + (b?.rows ?? 0), sum: (a?.sum ?? 0) + (b?.sum ?? 0) }] as const;
	});
	return Object.fromEntries(sums.filter(([, { rows, sum }]) => rows !== 0 || sum !== 0));
}

const WRITING_GETS = NAMES.filter((name) => contractOf(name).method === "get");

it.each(WRITING_GETS)("contract says for %s, a GET that writes, if it can meet a full database", async (name) => {
	const full = await write(name, { failing: refuseWrites });
	if (errorCodesOf(contractOf(name)).includes("DATABASE_FULL")) expectFull(full);
	else expect(seenOf(full)).toEqual(seenOf(await write(name)));
});

it.each([...BEFORE, ...AFTER])("publishes a task once although D1 fails with $message $moment the effect", async (fault) => {
	const seen = seenOf(await write("publishTask"));
	expect(seenOf(await write("publishTask", { failing: failingOnce([fault], 0) }))).toEqual(seen);
});

/** The response has begun when it reads the second task, so a fault ends the body before its last line. */
const BREAKS_OFF = new Set(["exportAgent"]);
/** An operator sees the other tasks when the object of one does not respond. */
const LEAVES_OUT = new Set(["listJobs", "getMetrics"]);
/** An operator who reads what the platform has about agents leaves an entry in the audit log, even if the read fails. */
const AUDITED = new Set(["listReports", "exportAgent", "searchDirectory"]);

function expectReadable(operationId: string, failed: Played, seen: Seen): void {
	if (LEAVES_OUT.has(operationId)) expect(failed.status).toBe(200);
	// An isolate remembers reports, so the fault may not be noticed.
	else if (failed.status < 400) expect(seenOf(failed)).toEqual(seen);
	else if (AUDITED.has(operationId)) {
		expect([{}, seen.changes]).toContainEqual(failed.changes);
		expectOverloaded({ ...failed, changes: {} });
	} else expectOverloaded(failed);
}

describe("reads", async () => {
	const scene = await setScene(stage);
	const reading = contracts.filter(({ method, operationId }) => method === "get" && WRITE_CALLS[operationId] === undefined);

	it.each(reading.map((contract, index) => ({ ...contract, index })))("$operationId", async ({ index, ...contract }) => {
		const read = async (faults: Parameters<typeof stage.play>[2]) => {
			// The isolate must forget keys and switches, so that their look-ups are among the calls.
			return stage.play(contract, await readyRead(scene, contract), { ...faults, replaced: newIsolate(scene.poster.agentId) });
		};
		const clean = await read({});
		const seen = seenOf(clean);
		const changes = AUDITED.has(contract.operationId) ? { audit_log: { rows: 1, sum: expect.any(Number) } } : {};
		expect(seen).toEqual({ ...seen, status: NOT_CONFIGURED.includes(contract.operationId) ? 404 : success, changes });
		expect(seenOf(await read({ failing: failingOnce([...BEFORE, ...AFTER], index) }))).toEqual(seen);
		const full = await read({ failing: refuseWrites });
		if (errorCodesOf(contract).includes("DATABASE_FULL")) expectFull(full);
		else expect(seenOf(full)).toEqual(seen);
		// Its response names the part that fails, which test/api/operations.test.ts covers.
		if (contract.operationId === "getReadiness") return;
		for (const call of playedCalls(clean.storageCalls, index)) {
			const failed = await read({ failingStorageCall: call }).catch((error: unknown) => {
				if (BREAKS_OFF.has(contract.operationId) && String(error).includes("queued for too long")) return null;
				throw error;
			});
			if (failed === null) continue;
			expectReadable(contract.operationId, failed, seen);
		}
	});
});

/** Only deployments have the history that it needs. test/objects/operating.test.ts covers it. */
const DEPLOYED_ONLY = ["rewindTask"];

it("plays every endpoint that may write", () => {
	const played = new Set(Object.keys(WRITE_CALLS).map((name) => contractOf(name).operationId));
	const writing = contracts.filter(({ method }) => method !== "get").map(({ operationId }) => operationId);
	expect(writing.filter((operationId) => !played.has(operationId))).toEqual(DEPLOYED_ONLY);
});
