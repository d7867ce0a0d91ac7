// Tests that of parallel requests with one Idempotency-Key one makes the thing, and each of the others says that it repeats a response.
import { expect, it } from "vitest";
import { endpoints } from "../support/app.ts";
import { createStage } from "../support/fault-stage.ts";
import { outsideServices } from "../support/outside-services.ts";
import { REPEATABLE_CALLS } from "../support/write-calls.ts";

it.each(Object.entries(REPEATABLE_CALLS))("%s", async (name, prepare) => {
	const stage = createStage(outsideServices());
	const { key, ...input } = await prepare(stage);
	const client = stage.enter(key);
	const contract = endpoints.find(({ operationId }) => operationId === name);
	if (contract === undefined) throw new Error(`There is no operation ${name}.`);
	const call = { ...input, headers: { ...input.headers, "Idempotency-Key": "parallel" } };
	const responses = await Promise.all(Array.from({ length: 8 }, () => client.send(contract, call)));
	expect(responses.map(({ status }) => status)).toEqual(responses.map(() => contract.response.status));
	const replayed = responses.filter(({ headers }) => headers.get("Idempotency-Replayed") === "true");
	expect(replayed).toHaveLength(7);
	const bodies = await Promise.all(responses.map(async (response) => Object(await response.json())));
	expect(new Set(bodies.map(({ id, agent_id, now }) => id ?? agent_id ?? now)).size).toBe(1);
});
