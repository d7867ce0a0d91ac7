// Each endpoint, while D1 fails at each of its calls, before the call takes effect and after it did. The caller does not notice.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { endpoints } from "../../src/compose/endpoints.ts";
import { forgetKnownAgent } from "../../src/features/api-keys/service.ts";
import { createSwitchboard } from "../../src/features/switches/service.ts";
import { createStage, type Failing, type Fault } from "../support/fault-stage.ts";
import { outsideServices } from "../support/outside-services.ts";
import { readyRead, setScene } from "../support/read-calls.ts";
import { MAY_HAVE_RUN, NOT_RUN } from "../support/transient-errors.ts";
import { WRITE_CALLS } from "../support/write-calls.ts";

const stage = createStage(outsideServices());
const contracts = endpoints.map(({ contract }) => contract);
const BEFORE: readonly Fault[] = [...NOT_RUN, ...MAY_HAVE_RUN].map((message) => ({ message, moment: "before" }));
const AFTER: readonly Fault[] = MAY_HAVE_RUN.map((message) => ({ message, moment: "after" }));
const OVERLOADED: Fault = { message: NOT_RUN[0] ?? "", moment: "before" };

/** Waits before retries, and before work that follows a response, take no time. */
const SHORT_MS = 1_000;

beforeEach(() => {
	const start = globalThis.setTimeout.bind(globalThis);
	vi.spyOn(globalThis, "setTimeout").mockImplementation((call: () => void, ms = 0) => start(call, ms < SHORT_MS ? 0 : ms));
});

afterEach(() => {
	vi.restoreAllMocks();
});

/** A response without what is different each time: ids, secrets, times and signatures. */
function comparable(text: string): string {
	return text
		.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<id>")
		.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
		.replace(/whsec_[\w+/=]+/g, "<secret>")
		.replace(/(signature|upload_token|sig)(=|":")[\w-]+/g, "$1$2<signature>")
		.replace(/(?:\b|svc_\w+_)[0-9a-f]{6,}/g, "<hex>");
}

/** The first run of every call to D1 fails, with an error of the next kind each time. */
function failingOnce(kinds: readonly Fault[], first: number): Failing {
	const failed = new Set<string>();
	return ({ sql }) => {
		if (failed.has(sql)) return null;
		failed.add(sql);
		return kinds[(first + failed.size) % kinds.length] ?? null;
	};
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

async function write(name: string, failing: Failing = () => null) {
	return stage.play(contractOf(name), await prepare(name), { failing });
}

/** The tests' deployment has no OAuth and no security contact. */
const NOT_CONFIGURED = ["getMcpResourceMetadata", "getSecurityContact"];

const success = expect.toSatisfy((status: number) => status < 400);

describe.each(Object.keys(WRITE_CALLS).map((name, index) => ({ name, index })))("$name", ({ name, index }) => {
	it("loses and doubles nothing when calls to D1 fail once, and changes nothing when D1 stays overloaded", async () => {
		const clean = await write(name);
		const { calls, storageCalls } = clean;
		const seen = seenOf(clean);
		expect(seen).toEqual({ ...seen, status: success });
		for (const kinds of [BEFORE, AFTER]) expect(seenOf(await write(name, failingOnce(kinds, index)))).toEqual(seen);

		for (let call = 0; call < storageCalls; call += 1) await expectRepeatable(name, call, seen);

		const awaited = calls.filter(({ isAfterResponse }) => !isAfterResponse);
		const firstWrite = (awaited.find(({ isWrite }) => isWrite) ?? awaited[0])?.sql;
		if (firstWrite === undefined) return;
		let isOverloaded = false;
		const refused = await write(name, ({ sql }) => {
			isOverloaded ||= sql === firstWrite;
			return isOverloaded ? OVERLOADED : null;
		});
		if (name === "callMcp") {
			expect(seenOf(refused)).toEqual({ status: 200, text: expect.stringMatching(/OVERLOADED: .*call again in 2 seconds/), changes: {} });
		} else expectOverloaded(refused);
	});
});

type Played = Awaited<ReturnType<typeof stage.play>>;

const seenOf = ({ status, text, changes }: Played) => ({ status, text: comparable(text), changes });

/** 503 with Retry-After, and nothing has changed. */
function expectOverloaded({ status, headers, text, changes }: Played): void {
	expect({ status, retryAfter: headers.get("Retry-After"), text, changes }).toEqual({
		status: 503,
		retryAfter: "2",
		text: expect.stringContaining('"code":"OVERLOADED"'),
		changes: {},
	});
}

/** A call to the bucket or an object fails. The request can be repeated, unless its response did not wait for the call. */
async function expectRepeatable(name: string, failingStorageCall: number, seen: object): Promise<void> {
	const ready = await prepare(name);
	const failed = await stage.play(contractOf(name), ready, { failingStorageCall });
	// The webhook exists without having passed its test, because its secret is in this response only.
	if (name === "createWebhook") return expect(failed).toMatchObject({ status: 201, text: expect.stringContaining('"verified":false') });
	if (failed.status < 400) return expect(seenOf(failed)).toEqual(seen);
	expectOverloaded(failed);
	expect(seenOf(await stage.play(contractOf(name), ready))).toEqual(seen);
}

it.each([...BEFORE, ...AFTER])("publishes a task once although D1 fails with $message $moment the effect", async (fault) => {
	const seen = seenOf(await write("publishTask"));
	expect(seenOf(await write("publishTask", failingOnce([fault], 0)))).toEqual(seen);
});

describe("reads", async () => {
	const scene = await setScene(stage);
	const reading = contracts.filter(({ method, operationId }) => method === "get" && WRITE_CALLS[operationId] === undefined);

	it.each(reading.map((contract, index) => ({ ...contract, index })))("$operationId", async ({ index, ...contract }) => {
		const read = async (faults: Parameters<typeof stage.play>[2]) => {
			// So that the look-ups of keys and switches are among the calls.
			forgetKnownAgent(scene.poster.agentId);
			return stage.play(contract, await readyRead(scene, contract), { ...faults, replaced: { switchboard: createSwitchboard() } });
		};
		const clean = await read({});
		const seen = seenOf(clean);
		expect(seen).toEqual({ ...seen, status: NOT_CONFIGURED.includes(contract.operationId) ? 404 : success, changes: {} });
		expect(seenOf(await read({ failing: failingOnce([...BEFORE, ...AFTER], index) }))).toEqual(seen);
		// It says which part fails: test/api/operations.test.ts.
		if (contract.operationId === "getReadiness") return;
		for (let call = 0; call < clean.storageCalls; call += 1) {
			const failed = await read({ failingStorageCall: call });
			// An isolate remembers reports.
			if (failed.status < 400) expect(seenOf(failed)).toEqual(seen);
			else expectOverloaded(failed);
		}
	});
});

/** Only deployments keep the history that it needs: test/objects/operating.test.ts. */
const DEPLOYED_ONLY = ["rewindTask"];

it("plays every endpoint that may write", () => {
	const played = new Set(Object.keys(WRITE_CALLS).map((name) => contractOf(name).operationId));
	const writing = contracts.filter(({ method }) => method !== "get").map(({ operationId }) => operationId);
	expect(writing.filter((operationId) => !played.has(operationId))).toEqual(DEPLOYED_ONLY);
});
