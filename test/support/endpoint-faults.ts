// Fails each call to D1 of an endpoint, before the call takes effect and after it did. The caller must not notice. Three files of
// test/api/ share this, so that they run in parallel.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { endpoints } from "./app.ts";
import { faultRun } from "./fault-run.ts";
import { createStage, type Failing, type Fault, type Stage } from "./fault-stage.ts";
import { outsideServices } from "./outside-services.ts";
import type { Changes } from "./table-counts.ts";
import { FULL, MAY_HAVE_RUN, NOT_RUN, OVERLOADED as OVERLOADED_ERRORS } from "./transient-errors.ts";
import { WRITE_CALLS } from "./write-calls.ts";

export const BEFORE: readonly Fault[] = [...NOT_RUN, ...MAY_HAVE_RUN].map((message) => ({ message, moment: "before" }));
export const AFTER: readonly Fault[] = MAY_HAVE_RUN.map((message) => ({ message, moment: "after" }));
const OVERLOADED: Fault = { message: OVERLOADED_ERRORS[0] ?? "", moment: "before" };

/** Waits that are shorter than this take no time: those before retries, and those before work that follows a response. */
const SHORT_MS = 1_000;

/** Opens the stage of one test file, in whose tests short waits end at once. */
export function openStage(): Stage {
	beforeEach(() => {
		const start = globalThis.setTimeout.bind(globalThis);
		vi.spyOn(globalThis, "setTimeout").mockImplementation((call: () => void, ms = 0) => start(call, ms < SHORT_MS ? 0 : ms));
	});
	afterEach(() => {
		vi.restoreAllMocks();
	});
	return createStage(outsideServices());
}

/** Replaces what differs in each response: ids, secrets, times and signatures. */
function comparable(text: string): string {
	return text
		.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<id>")
		.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
		.replace(/"(challenge|id)":"[\w-]{22,}"/g, '"$1":"<random>"')
		.replace(/whsec_[\w+/=]+/g, "<secret>")
		.replace(/("(?:access_token|refresh_token|device_code|user_code|client_id|client_id_issued_at)":)("[^"]*"|\d+)/g, "$1<own>")
		.replace(/[B-Z]{4}-[B-Z]{4}/g, "<code>")
		.replace(/(name="client_id" value=")[\w-]+/g, "$1<own>")
		.replace(/(signature|upload_token|sig)(=|":")[\w-]+/g, "$1$2<signature>")
		.replace(/(?:\b|svc_\w+_)[0-9a-f]{6,}/g, "<hex>");
}

/** Fails the first run of every statement, each time with the next kind of error. */
export function failingOnce(kinds: readonly Fault[], first: number): Failing {
	const failed = new Set<string>();
	return ({ sql }) => {
		if (failed.has(sql)) return null;
		failed.add(sql);
		return kinds[(first + failed.size) % kinds.length] ?? null;
	};
}

const { seed, playsOneOf } = faultRun;

/** Chooses which calls of an endpoint fail. The choice depends on the seed, so runs with several seeds play all calls. */
export function playedCalls(calls: number, index: number): number[] {
	return Array.from({ length: calls }, (_, call) => call).filter((call) => (call + index + seed) % playsOneOf === 0);
}

export function contractOf(name: string) {
	const contract = endpoints.find(({ operationId }) => operationId === name.split(" ")[0]);
	if (contract === undefined) throw new Error(`There is no operation ${name}.`);
	return contract;
}

/** Names the request of an endpoint, which a file plays on its stage. */
interface Part {
	readonly stage: Stage;
	readonly name: string;
}

type Faults = Parameters<Stage["play"]>[2];

async function prepare({ stage, name }: Part) {
	const ready = await WRITE_CALLS[name]?.(stage);
	if (ready === undefined) throw new Error(`${name} has no call.`);
	return ready;
}

/** Plays a write. A rebuild's entries in the audit log are left out, because each page has one, and so has each page that failed. */
export async function write(part: Part, faults: Faults = {}) {
	const { stage, name } = part;
	const played = await stage.play(contractOf(name), await prepare(part), faults);
	const { audit_log: _acts, ...others } = played.changes;
	return name.startsWith("rebuild") ? { ...played, changes: others } : played;
}

export const success = expect.toSatisfy((status: number) => status < 400);

/** Makes D1 respond to every write that the database is full. */
export const refuseWrites: Failing = ({ isWrite }) => (isWrite ? { message: FULL[0] ?? "", moment: "before" } : null);

/** Expects 507 and no change. */
export function expectFull({ status, text, changes }: Played): void {
	expect({ status, text, changes }).toEqual({
		status: 507,
		text: expect.stringMatching(/"code":"DATABASE_FULL"|"error":"temporarily_unavailable"/),
		changes: {},
	});
}

/** Operations that act on many things, one after the other. A fault ends the act in the middle, and its repetition is a new act. */
const DONE_IN_STEPS = new Set([
	...["rebuildDirectory", "rebuildSearch", "verifyObjects", "restoreTaskCopy", "restoreWorkspaceCopy"],
	...["suspendAgent", "restoreAgent", "eraseAgent"],
]);
/**
 * The operations to play. Those of DONE_IN_STEPS come first, because a rebuild calls every task, and the other operations create more
 * tasks.
 */
const NAMES = [...DONE_IN_STEPS, ...Object.keys(WRITE_CALLS).filter((name) => !DONE_IN_STEPS.has(name))];

/** One file plays the writes of each group. Both take about as long. */
type Group = "competition" | "others";

const groupOf = (name: string): Group => (/^\/api\/v1\/(tasks|submissions)\//.test(contractOf(name).path) ? "competition" : "others");

/** Tests the writes of one group. */
export function describeWrites(stage: Stage, group: Group): void {
	const writes = NAMES.map((name, index) => ({ name, index })).filter(({ name }) => groupOf(name) === group);
	it.each(writes)(
		"$name loses and doubles nothing when calls to D1 and to tasks fail once, and changes nothing when D1 stays overloaded",
		async ({ name, index }) => {
			const part = { stage, name };
			const clean = await write(part);
			const seen = seenOf(clean);
			expect(seen).toEqual({ ...seen, status: success });
			for (const kinds of [BEFORE, AFTER]) expect(seenOf(await write(part, { failing: failingOnce(kinds, index) }))).toEqual(seen);
			for (const call of playedCalls(clean.storageCalls, index)) await expectRepeatable(part, call, seen);
			for (const call of playedCalls(clean.taskCalls, index)) await expectLossless(part, call, seen);
			const awaited = clean.calls.filter(({ isAfterResponse }) => !isAfterResponse);
			const firstWrite = awaited.find(({ isWrite }) => isWrite)?.sql;
			await expectUnchanged(part, seen, { start: firstWrite, isEnough: true });
			if (awaited[0]?.sql !== firstWrite) await expectUnchanged(part, seen, { start: awaited[0]?.sql, isEnough: false });
		},
	);
}

/** The platform forgets a deletion that has no work left outside, so a repeated request finds nothing. */
const FINDS_NOTHING_AGAIN = new Set(["deleteAttachment", "deleteQuestion"]);

/** Loses a call of the Worker to a task's object, or its response. The Worker then calls once more. */
async function expectLossless(part: Part, call: number, seen: Seen): Promise<void> {
	expect(seenOf(await write(part, { lost: { call, way: "call" } }))).toEqual(seen);
	if (FINDS_NOTHING_AGAIN.has(part.name)) return;
	const { status, text } = await write(part, { lost: { call, way: "response" } });
	expect({ status, text: comparable(text) }).toEqual({ status: seen.status, text: seen.text });
}

interface Overload {
	/** D1 becomes overloaded at this statement. */
	readonly start: string | undefined;
	/** True if the request may succeed without the part that D1 refuses, such as a role, as long as nothing else changes. */
	readonly isEnough: boolean;
}

async function expectUnchanged(part: Part, seen: Seen, { start, isEnough }: Overload): Promise<void> {
	if (start === undefined) return;
	const { name } = part;
	const refused = await write(part, { failing: overloadedFrom(start) });
	if (/Mcp$/.test(name) && refused.text.includes("OVERLOADED")) {
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

export type Played = Awaited<ReturnType<Stage["play"]>>;

export type Seen = ReturnType<typeof seenOf>;

export const seenOf = ({ status, text, changes }: Played) => ({ status, text: comparable(text), changes });

/** Expects 503 with Retry-After and no change. */
export function expectOverloaded({ status, headers, text, changes }: Played): void {
	expect({ status, retryAfter: headers.get("Retry-After"), text, changes }).toEqual({
		status: 503,
		retryAfter: "2",
		text: expect.stringMatching(/"code":"OVERLOADED"|"error":"temporarily_unavailable"/),
		changes: {},
	});
}

/**
 * Fails a call to the bucket or an object, and expects that the request can be repeated. If the response did not wait for the call, expects
 * that everything is as if it had succeeded at once.
 */
async function expectRepeatable(part: Part, failingStorageCall: number, seen: Seen): Promise<void> {
	const { stage, name } = part;
	const ready = await prepare(part);
	const failed = await stage.play(contractOf(name), ready, { failingStorageCall });
	// The webhook exists without having passed its test, because only this response contains its secret.
	if (contractOf(name).operationId === "createWebhook")
		return expect(failed).toMatchObject({ status: 201, text: expect.stringContaining('"verified":false') });
	// An MCP client gets the error in a result.
	if (failed.status < 400 && !failed.text.includes("OVERLOADED")) return expect(seenOf(failed)).toEqual(seen);
	if (/Mcp$/.test(name)) return expect(seenOf(await stage.play(contractOf(name), ready))).toEqual(seen);
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
