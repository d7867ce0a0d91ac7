// Each endpoint, while D1 fails at each of its calls, before the call takes effect and after it did. The caller does not notice.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { endpoints } from "../../src/compose/endpoints.ts";
import { forgetKnownAgent } from "../../src/features/api-keys/service.ts";
import { createSwitchboard } from "../../src/features/switches/service.ts";
import { createStage, type Failing, type Fault } from "../support/fault-stage.ts";
import { readyRead, setScene } from "../support/read-calls.ts";
import { MAY_HAVE_RUN, NOT_RUN } from "../support/transient-errors.ts";
import { outsideServices, WRITE_CALLS } from "../support/write-calls.ts";

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

async function write(name: string, failing?: Failing) {
	const ready = await WRITE_CALLS[name]?.(stage);
	if (ready === undefined) throw new Error(`${name} has no call.`);
	const { status, text, changes, ...played } = await stage.play(contractOf(name), ready, failing);
	return { ...played, seen: { status, text: comparable(text), changes } };
}

/** The tests' deployment has no OAuth and no security contact. */
const NOT_CONFIGURED = ["getMcpResourceMetadata", "getSecurityContact"];

const success = expect.toSatisfy((status: number) => status < 400);

describe.each(Object.keys(WRITE_CALLS).map((name, index) => ({ name, index })))("$name", ({ name, index }) => {
	it("loses and doubles nothing when calls to D1 fail once, and changes nothing when D1 stays overloaded", async () => {
		const { seen, calls } = await write(name);
		expect(seen).toEqual({ ...seen, status: success });
		for (const kinds of [BEFORE, AFTER]) expect((await write(name, failingOnce(kinds, index))).seen).toEqual(seen);

		const awaited = calls.filter(({ isAfterResponse }) => !isAfterResponse);
		const firstWrite = (awaited.find(({ isWrite }) => isWrite) ?? awaited[0])?.sql;
		if (firstWrite === undefined) return;
		let isOverloaded = false;
		const refused = await write(name, ({ sql }) => {
			isOverloaded ||= sql === firstWrite;
			return isOverloaded ? OVERLOADED : null;
		});
		if (name === "callMcp") {
			expect(refused.seen).toEqual({ status: 200, text: expect.stringMatching(/OVERLOADED: .*call again in 2 seconds/), changes: {} });
			return;
		}
		expect(refused.seen).toEqual({ status: 503, text: expect.stringContaining('"code":"OVERLOADED"'), changes: {} });
		expect(refused.headers.get("Retry-After")).toBe("2");
	});
});

it.each([...BEFORE, ...AFTER])("publishes a task once although D1 fails with $message $moment the effect", async (fault) => {
	const { seen } = await write("publishTask");
	expect((await write("publishTask", failingOnce([fault], 0))).seen).toEqual(seen);
});

describe("reads", async () => {
	const scene = await setScene(stage);
	const reading = contracts.filter(({ method, operationId }) => method === "get" && WRITE_CALLS[operationId] === undefined);

	it.each(reading.map((contract, index) => ({ ...contract, index })))("$operationId", async ({ index, ...contract }) => {
		const read = async (failing?: Failing) => {
			// So that the look-ups of keys and switches are among the calls.
			forgetKnownAgent(scene.poster.agentId);
			const ready = await readyRead(scene, contract);
			const { status, text, changes } = await stage.play(contract, ready, failing, { switchboard: createSwitchboard() });
			return { status, text: comparable(text), changes };
		};
		const seen = await read();
		const isConfigured = !NOT_CONFIGURED.includes(contract.operationId);
		expect(seen).toEqual({ status: isConfigured ? success : 404, text: seen.text, changes: {} });
		expect(await read(failingOnce([...BEFORE, ...AFTER], index))).toEqual(seen);
	});
});

it("plays every endpoint that may write", () => {
	const played = new Set(Object.keys(WRITE_CALLS).map((name) => contractOf(name).operationId));
	const writing = contracts.filter(({ method }) => method !== "get").map(({ operationId }) => operationId);
	expect(writing.filter((operationId) => !played.has(operationId))).toEqual([]);
});
