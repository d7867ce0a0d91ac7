// Fails the calls of the writes that test/api/endpoint-faults-competition.test.ts leaves out.
import { expect, it } from "vitest";
import { errorCodesOf } from "../../src/http/endpoint.ts";
import { endpoints } from "../support/app.ts";
import { contractOf, describeWrites, expectFull, openStage, refuseWrites, seenOf, write } from "../support/endpoint-faults.ts";
import { WRITE_CALLS } from "../support/write-calls.ts";

const stage = openStage();

describeWrites(stage, "others");

const WRITING_GETS = Object.keys(WRITE_CALLS).filter((name) => contractOf(name).method === "get");

it.each(WRITING_GETS)("contract says for %s, a GET that writes, if it can meet a full database", async (name) => {
	const full = await write({ stage, name }, { failing: refuseWrites });
	if (errorCodesOf(contractOf(name)).includes("DATABASE_FULL")) expectFull(full);
	else expect(seenOf(full)).toEqual(seenOf(await write({ stage, name })));
});

/** Only deployments have the history that it needs. test/extensions/operating/inside/rewinding.test.ts covers it. */
const DEPLOYED_ONLY = ["rewindTask"];

it("plays every endpoint that may write", () => {
	const played = new Set(Object.keys(WRITE_CALLS).map((name) => contractOf(name).operationId));
	const writing = endpoints.filter(({ method }) => method !== "get").map(({ operationId }) => operationId);
	const unplayed = writing.filter((operationId) => !played.has(operationId));
	expect(unplayed, "Add a request that succeeds to test/support/write-calls.ts").toEqual(DEPLOYED_ONLY);
});
