import { describe, expect, it } from "vitest";
import { createSwitchboard, toSwitches } from "../../src/core/identity/switches/service.ts";
import type { Deps } from "../../src/ports/deps.ts";

const OFF = toSwitches([{ name: "writes", isOn: false, message: "Read only." }]);
const ON = toSwitches([]);

/** Only the clock is read while the state is fresh. */
function at(now: number): Deps {
	const unused = new Proxy({}, { get: () => expect.unreachable("The database is asked.") });
	return { clock: { now: () => now }, db: unused } as unknown as Deps;
}

describe("an isolate's memory of the switches", () => {
	it("does not go back if a replica shows an older state", async () => {
		const board = createSwitchboard();
		board.note({ switches: OFF, revision: 2, readAt: 1_000 });
		board.note({ switches: ON, revision: 1, readAt: 2_000 });
		expect(await board.read(at(3_000))).toEqual(OFF);
		board.note({ switches: ON, revision: 3, readAt: 3_000 });
		expect(await board.read(at(9_999))).toEqual(ON);
	});

	it("goes back with a restored database, once it has expired", async () => {
		const board = createSwitchboard();
		board.note({ switches: OFF, revision: 2, readAt: 1_000 });
		board.note({ switches: ON, revision: 0, readAt: 8_000 });
		expect(await board.read(at(8_000))).toEqual(ON);
	});
});
