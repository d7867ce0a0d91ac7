// Tests two parallel verbs of a task: one of them comes first, and each response agrees with what is stored.
import { describe, expect, it } from "vitest";
import { createDraft, GOOD_FILES, hoursFromNow, openTask, registerAgent } from "../support/scenario.ts";
import { countEvents, queryOne } from "../support/storage.ts";
import { queryTask } from "../support/task-object.ts";
import { HOUR_MS } from "../support/times.ts";
import { createWorld } from "../support/world.ts";

const [poster, ...agents] = await Promise.all(["Poster", "A", "B", "C", "D"].map((name) => registerAgent(name)));
if (poster === undefined) throw new Error("A poster was registered.");
const at = (id: string) => ({ params: { id } });
const ROUNDS = [0, 1, 2, 3, 4, 5];

const codeOf = async (response: Response) => (response.ok ? "ok" : (await response.json<{ error: { code: string } }>()).error.code);
const stored = async (id: string) => (await queryTask(id, "select status, deadline, closed_by from tasks"))[0];
const cardOf = (id: string) => queryOne<{ status: string }>("select status from task_cards where id = ?", id);

/** Starts both, and sends the one that is named first first. */
const inOrder = async (round: number, first: () => Promise<Response>, second: () => Promise<Response>) => {
	const isSwapped = round % 2 === 1;
	const responses = await Promise.all(isSwapped ? [second(), first()] : [first(), second()]);
	const codes = await Promise.all(responses.map(codeOf));
	return isSwapped ? codes.toReversed() : codes;
};

it.each(ROUNDS)("a close in parallel with submissions counts those before it, and refuses the others (%i)", async (round) => {
	const id = await openTask(poster);
	const close = () => poster.send("closeTask", at(id));
	const submissions = agents.map((agent) => () => agent.send("quickSubmit", { ...at(id), body: { files: GOOD_FILES } }));
	const codes = await Promise.all(
		[...submissions.slice(0, round), close, ...submissions.slice(round)].map(async (send) => codeOf(await send())),
	);
	const closed = codes.splice(Math.min(round, submissions.length), 1);
	expect(closed).toEqual(["ok"]);
	const taken = codes.filter((code) => code === "ok").length;
	expect(codes.filter((code) => code !== "ok")).toEqual(Array(codes.length - taken).fill("TASK_NOT_OPEN"));
	expect(await queryTask(id, "select count(*) as many from submissions")).toEqual([{ many: taken }]);
	expect(await stored(id)).toMatchObject({ status: "closed", closed_by: "owner" });
	const ended = () => queryTask(id, "select count(*) as many from submissions where status = 'completed' and evaluated");
	await expect.poll(ended, { timeout: 20_000 }).toEqual([{ many: taken }]);
	expect(await countEvents("task.closed", id)).toBe(1);
});

it.each(ROUNDS)("two closes: one closes, one finds it closed (%i)", async (round) => {
	const id = await openTask(poster);
	const close = () => poster.send("closeTask", at(id));
	expect((await inOrder(round, close, close)).toSorted()).toEqual(["INVALID_TRANSITION", "ok"]);
	await expect.poll(() => countEvents("task.closed", id)).toBe(1);
});

describe("an extension in parallel with the alarm of the deadline", () => {
	it.each(ROUNDS)("moves the deadline, or comes too late (%i)", async (round) => {
		const world = createWorld();
		const id = await world.openTask(poster, { deadline: new Date(world.clock.now() + 25 * HOUR_MS).toISOString() });
		world.clock.advance(25 * HOUR_MS - 1);
		const deadline = world.clock.now() + 50 * HOUR_MS;
		const extend = () => world.enter(poster).send("extendTask", { ...at(id), body: { deadline: new Date(deadline).toISOString() } });
		const ring = async () => {
			world.clock.advance(1);
			await world.ring(id);
		};
		const [response] = await Promise.all(round % 2 === 0 ? [extend(), ring()] : [ring().then(extend), null]);
		// An alarm that came too early has set itself again.
		await world.ring(id);
		const code = await codeOf(response);
		if (code === "ok") expect(await stored(id)).toEqual({ status: "open", deadline, closed_by: null });
		else expect([code, (await stored(id))?.["status"]]).toEqual(["INVALID_TRANSITION", "closed"]);
		expect(await cardOf(id)).toEqual({ status: code === "ok" ? "open" : "closed" });
		expect(await countEvents("task.closed", id)).toBe(code === "ok" ? 0 : 1);
	});
});

it.each(ROUNDS)("deleting a draft in parallel with publishing leaves it open or gone (%i)", async (round) => {
	const { id } = await createDraft(poster);
	const remove = () => poster.send("deleteTask", at(id));
	const publish = () => poster.send("publishTask", at(id));
	const codes = await inOrder(round, remove, publish);
	expect([
		["ok", "NOT_FOUND"],
		["INVALID_TRANSITION", "ok"],
	]).toContainEqual(codes);
	if (codes[1] === "ok") {
		expect(await poster.call("getTask", at(id))).toMatchObject({ status: "open" });
		expect(await cardOf(id)).toEqual({ status: "open" });
		await expect.poll(() => countEvents("task.opened", id)).toBe(1);
	} else {
		await poster.refused("getTask", "NOT_FOUND", at(id));
		expect(await cardOf(id)).toBeNull();
		await expect.poll(() => queryTask(id, "select name from sqlite_master where name not like '_cf_%'")).toEqual([]);
		expect(await countEvents("task.opened", id)).toBe(0);
	}
});

it.each(ROUNDS)("closing in parallel with an extension closes the task, with the deadline that the poster read (%i)", async (round) => {
	const before = hoursFromNow(30);
	const id = await openTask(poster, { deadline: before });
	const deadline = hoursFromNow(60);
	const close = () => poster.send("closeTask", at(id));
	const extend = () => poster.send("extendTask", { ...at(id), body: { deadline } });
	const [closed, extended] = await inOrder(round, close, extend);
	expect(closed).toBe("ok");
	expect(["ok", "INVALID_TRANSITION"]).toContain(extended);
	expect(await stored(id)).toMatchObject({ status: "closed", deadline: Date.parse(extended === "ok" ? deadline : before) });
});
