import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { openDatabase } from "../../src/db/client.ts";
import { prepareRead } from "../../src/db/prepared.ts";
import { agents } from "../../src/db/schema/agents.ts";
import { registerAgent } from "../support/scenario.ts";

let builds = 0;
const readAgent = prepareRead((query) => {
	builds += 1;
	return query
		.select({ id: agents.id, name: agents.displayName, createdAt: agents.createdAt })
		.from(agents)
		.where(eq(agents.id, sql.placeholder("id")));
});

it("gives each request the rows of its own values, in one call, and builds the query once", async () => {
	const [one, other] = await Promise.all([registerAgent("One"), registerAgent("Other")]);
	const [first, second] = [openDatabase(env.DB, "first-primary"), openDatabase(env.DB, "first-primary")];
	const [[ofFirst, nobody], [ofSecond]] = await Promise.all([
		first.read(readAgent({ id: one.agentId }), readAgent({ id: "nobody" })),
		second.read(readAgent({ id: other.agentId })),
	]);
	expect(ofFirst).toEqual([{ id: one.agentId, name: "One", createdAt: expect.any(Number) }]);
	expect(nobody).toEqual([]);
	expect(ofSecond).toMatchObject([{ id: other.agentId, name: "Other" }]);
	expect([first.use.calls, second.use.calls, builds]).toEqual([1, 1, 1]);
	expect(first.use.rowsRead).toBeGreaterThan(0);
});

it("does not run with a value missing", () => {
	expect(() => readAgent({ agentId: "x" })).toThrow(/placeholder/);
});
