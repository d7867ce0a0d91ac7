// Fails the calls of the writes to one task or one submission.
import { expect, it } from "vitest";
import { AFTER, BEFORE, describeWrites, failingOnce, openStage, seenOf, write } from "../support/endpoint-faults.ts";

const stage = openStage();

describeWrites(stage, "competition");

it.each([...BEFORE, ...AFTER])("publishes a task once although D1 fails with $message $moment the effect", async (fault) => {
	const part = { stage, name: "publishTask" };
	const seen = seenOf(await write(part));
	expect(seenOf(await write(part, { failing: failingOnce([fault], 0) }))).toEqual(seen);
});
