import { describe, expect, it } from "vitest";
import type { Placement } from "../../src/config/jurisdiction.ts";
import { createSwitchboard, toSwitches } from "../../src/core/identity/switches/service.ts";
import type { Deps } from "../../src/ports/deps.ts";

const OFF = toSwitches([{ name: "writes", isOn: false, message: "Read only." }]);
const ON = toSwitches([]);

const ANYWHERE: Placement = { jurisdiction: null, problem: null };

/** Only the clock and the configuration are read while the state is fresh. */
function at(now: number, placement: Placement = ANYWHERE, isInMaintenance = false): Deps {
	const unused = new Proxy({}, { get: () => expect.unreachable("The database is asked.") });
	const invalidSettings = placement.problem === null ? [] : [{ name: "JURISDICTION", problem: placement.problem, closes: "writes" }];
	return { config: { placement, invalidSettings, isInMaintenance }, clock: { now: () => now }, db: unused } as unknown as Deps;
}

describe("an isolate's memory of the switches", () => {
	it("does not go back if a replica shows an older state", async () => {
		const board = createSwitchboard();
		board.note({ switches: OFF, placement: null, revision: 2, readAt: 1_000 });
		board.note({ switches: ON, placement: null, revision: 1, readAt: 2_000 });
		expect(await board.read(at(3_000))).toEqual(OFF);
		board.note({ switches: ON, placement: null, revision: 3, readAt: 3_000 });
		expect(await board.read(at(9_999))).toEqual(ON);
	});

	it.each([
		["the jurisdiction of the first write", { jurisdiction: "eu", problem: null }, "eu", true],
		["no jurisdiction, as the first write", ANYWHERE, "none", true],
		["a jurisdiction before the first write", { jurisdiction: "eu", problem: null }, null, true],
		["another jurisdiction than the first write", { jurisdiction: "us", problem: null }, "eu", false],
		["a jurisdiction after a first write without one", { jurisdiction: "eu", problem: null }, "none", false],
		["no jurisdiction after a first write in one", ANYWHERE, "eu", false],
		["an invalid jurisdiction", { jurisdiction: null, problem: "must be one of eu" }, null, false],
	] as const)("with %s, says whether writes are on", async (_, placement, recorded, isOn) => {
		const board = createSwitchboard();
		board.note({ switches: ON, placement: recorded, revision: 1, readAt: 1_000 });
		const { writes, registration } = await board.read(at(1_000, placement));
		expect([writes.on, registration.on]).toEqual([isOn, true]);
	});

	it("has writes and judging off during maintenance, although no switch is off", async () => {
		const board = createSwitchboard();
		board.note({ switches: ON, placement: null, revision: 1, readAt: 1_000 });
		const { writes, judging, submissions } = await board.read(at(1_000, ANYWHERE, true));
		expect([writes.on, judging.on, submissions.on]).toEqual([false, false, true]);
		expect((await board.read(at(1_000))).writes.on).toBe(true);
	});

	it("goes back with a restored database, once it has expired", async () => {
		const board = createSwitchboard();
		board.note({ switches: OFF, placement: null, revision: 2, readAt: 1_000 });
		board.note({ switches: ON, placement: null, revision: 0, readAt: 8_000 });
		expect(await board.read(at(8_000))).toEqual(ON);
	});
});
