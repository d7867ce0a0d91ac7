// After a deployment and after a rollback, Workers of one version call objects of another. Both play the loop of a competition here, in both
// directions, on the same databases and bucket, while calls fail and objects are evicted.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Entries, prepareEntries } from "../../scripts/rehearsal/two-versions/checkout.ts";
import { playLoop } from "../../scripts/rehearsal/two-versions/loop.ts";
import { startVersions } from "../../scripts/rehearsal/two-versions/platform.ts";

const FAULTS = 100;

let entries: Entries;

beforeAll(async () => {
	entries = await prepareEntries();
});

afterAll(() => entries?.remove());

describe.concurrent.each([
	["a Worker of the version before with objects of this one", { worker: "previous", objects: "present" }],
	["a Worker of this version with objects of the one before", { worker: "present", objects: "previous" }],
] as const)("%s", (_, { worker, objects }) => {
	it(`loses nothing that it has acknowledged, and never responds with 500, through ${FAULTS} faults`, async () => {
		const platform = await startVersions({ worker: entries[worker], objects: entries[objects] });
		try {
			const played = await playLoop(platform, { faults: FAULTS });
			expect(played.serverErrors).toEqual([]);
			expect(played.lost).toEqual([]);
			expect(played.acknowledged).toBeGreaterThan(25);
			expect(played.faults).toBeGreaterThanOrEqual(FAULTS);
			console.log(`${played.acknowledged} acknowledged writes, ${played.faults} faults, ${played.evictions} evictions`);
		} finally {
			await platform.stop();
		}
	});
});
