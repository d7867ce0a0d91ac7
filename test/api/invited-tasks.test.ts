import { describe, expect, it } from "vitest";
import { admin } from "../support/admin.ts";
import { type Client, createClient } from "../support/client.ts";
import { loseMembers } from "../support/directory.ts";
import { addMembers, readTaskRow } from "../support/house.ts";
import { awaitEvaluation, createDraft, GOOD_FILES, hoursFromNow, openTask, registerAgent, submit } from "../support/scenario.ts";
import { readStream } from "../support/sse.ts";

const at = (id: string) => ({ params: { id } });
const nobody = createClient();

async function openInvited(poster: Client, change: Readonly<Record<string, unknown>> = {}) {
	const taskId = await openTask(poster, { access: "invited", ...change });
	const { invite_code: code = "" } = await poster.call("getTask", at(taskId));
	return { taskId, code, invitation: { ...at(taskId), body: { invite_code: code } } };
}

async function idsInLists(client: Client, category: string, word: string): Promise<{ listed: string[]; found: string[] }> {
	const { data: listed } = await client.call("listTasks", { query: { category } });
	const { data: found } = await client.call("searchTasks", { query: { query: word } });
	return { listed: listed.map(({ id }) => id), found: found.map(({ id }) => id) };
}

describe("an invite-only task", () => {
	it("is in the lists and searches of its owner and its members, and in no others", async () => {
		const word = `heron${crypto.randomUUID().slice(0, 8)}`;
		const [poster, agent, stranger] = [await registerAgent("Poster"), await registerAgent("Builder"), await registerAgent("Stranger")];
		const publicId = await openTask(poster, { category: word, title: `Watch the ${word}`, deadline: hoursFromNow(60) });
		const { taskId, invitation } = await openInvited(poster, { category: word, title: `Count the ${word}` });
		expect(await idsInLists(agent, word, word)).toEqual({ listed: [publicId], found: [publicId] });
		expect(await agent.call("joinTask", invitation)).toMatchObject({ id: taskId, status: "open" });
		// The invite-only task has the earlier deadline.
		expect(await idsInLists(agent, word, word)).toEqual({ listed: [taskId, publicId], found: [taskId, publicId] });
		expect(await idsInLists(poster, word, word)).toEqual({ listed: [taskId, publicId], found: [taskId, publicId] });
		expect(await idsInLists(stranger, word, word)).toEqual({ listed: [publicId], found: [publicId] });
		const { data } = await nobody.call("listPublicTasks");
		expect(data.filter(({ category }) => category === word).map(({ id }) => id)).toEqual([publicId]);
		const { data: own } = await poster.call("listTasks", { query: { owner: "me" } });
		expect(own.map(({ id }) => id)).toEqual([taskId, publicId]);
	});

	it("changes nothing in a stranger's search, whose cursors can neither be read nor made", async () => {
		const word = `ibis${crypto.randomUUID().slice(0, 8)}`;
		const [poster, stranger] = [await registerAgent(), await registerAgent()];
		for (const title of ["one", "two"]) await openTask(poster, { title: `${word} ${title}` });
		const firstPage = () => stranger.call("searchTasks", { query: { query: word, limit: 1 } });
		const before = await firstPage();
		await openInvited(poster, { title: `${word} three` });
		await openInvited(poster, { title: "Something else" });
		// The bookmark in the cursor differs with each read.
		expect(await firstPage()).toEqual({ ...before, next_cursor: expect.any(String) });
		const cursor = before.next_cursor ?? "";
		expect(Buffer.from(cursor, "base64url").toString("latin1")).not.toMatch(/^\[/);
		expect((await stranger.call("searchTasks", { query: { query: word, limit: 1, cursor } })).data).toHaveLength(1);
		const made = Buffer.from("[2,9007199254740991,9007199254740991]").toString("base64url");
		await stranger.refused("searchTasks", "VALIDATION_ERROR", { query: { query: word, cursor: made } });
	});

	it("keeps its place in its members' lists when its deadline moves, and their pages skip nothing", async () => {
		const word = `egret${crypto.randomUUID().slice(0, 8)}`;
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const first = await openTask(poster, { category: word, deadline: hoursFromNow(30) });
		const { taskId, invitation } = await openInvited(poster, { category: word, deadline: hoursFromNow(40) });
		const second = await openTask(poster, { category: word, deadline: hoursFromNow(50) });
		await agent.call("joinTask", invitation);
		const walk = async () => {
			const ids: string[] = [];
			let cursor: string | null = null;
			do {
				const page: { data: { id: string }[]; next_cursor: string | null } = await agent.call("listTasks", {
					query: { category: word, limit: 1, ...(cursor === null ? {} : { cursor }) },
				});
				ids.push(...page.data.map(({ id }) => id));
				cursor = page.next_cursor;
			} while (cursor !== null);
			return ids;
		};
		expect(await walk()).toEqual([first, taskId, second]);
		await poster.call("extendTask", { ...at(taskId), body: { deadline: hoursFromNow(60) } });
		expect(await walk()).toEqual([first, second, taskId]);
	});

	it("shows its code to its owner only, in a response that no cache stores", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const draft = await createDraft(poster, { access: "invited" });
		expect(draft.invite_code).toMatch(/^svc_invite_[0-9a-f]{32}$/);
		await poster.call("publishTask", at(draft.id));
		const response = await poster.send("getTask", at(draft.id));
		expect(await response.json()).toMatchObject({ access: "invited", invite_code: draft.invite_code });
		expect(response.headers.get("Cache-Control")).toBe("no-store");
		await agent.call("joinTask", { ...at(draft.id), body: { invite_code: draft.invite_code } });
		const seen = await agent.call("getTask", at(draft.id));
		expect(seen.access).toBe("invited");
		expect(seen.invite_code).toBeUndefined();
		expect(JSON.stringify(await readTaskRow(draft.id, "*"))).not.toContain(draft.invite_code ?? "-");
	});

	it("accepts submissions of its members, whose status needs their key", async () => {
		const [poster, agent, stranger] = [await registerAgent(), await registerAgent(), await registerAgent()];
		const { taskId, invitation } = await openInvited(poster);
		await stranger.refused("quickSubmit", "NOT_FOUND", { ...at(taskId), body: { files: GOOD_FILES } });
		await agent.call("joinTask", invitation);
		const { id, poll_url } = await submit(agent, taskId);
		expect(new URL(poll_url).pathname).toBe(`/api/v1/submissions/${id}`);
		await awaitEvaluation(agent, id);
		await nobody.refused("getSubmissionStatus", "NOT_FOUND", at(id));
		await stranger.refused("getSubmissionStatus", "NOT_FOUND", at(id));
		await createClient({ key: `svc_sk_${"0".repeat(64)}` }).refused("getSubmissionStatus", "NOT_FOUND", at(id));
		const member = await registerAgent();
		await member.call("joinTask", invitation);
		for (const reader of [agent, poster, member]) {
			expect(await reader.call("getSubmissionStatus", at(id))).toMatchObject({ id, status: "completed", position: 1 });
		}
		await stranger.refused("getSubmission", "NOT_FOUND", at(id));
		expect((await agent.call("getLeaderboard", at(taskId))).entries).toHaveLength(1);
		await nobody.refused("getPublicTask", "NOT_FOUND", at(taskId));
	});

	it("is announced to no one", async () => {
		const poster = await registerAgent();
		const stream = readStream(await poster.send("streamBounties"));
		await stream.count(1);
		await openInvited(poster, { title: "Unseen" });
		await openTask(poster, { title: "Seen" });
		const events = await stream.count(2);
		expect(events.map(({ event, data }) => [event, data["title"]])).toEqual([
			["connected", undefined],
			["bounty", "Seen"],
		]);
		await stream.close();
	});

	it("is a draft that becomes public or invited, and a copy gets a new code", async () => {
		const poster = await registerAgent();
		const draft = await createDraft(poster);
		expect(draft).toMatchObject({ access: "public", sealed: false });
		expect(draft.invite_code).toBeUndefined();
		const invited = await poster.call("updateTask", { ...at(draft.id), body: { access: "invited", sealed: true } });
		expect(invited).toMatchObject({ access: "invited", sealed: true, invite_code: expect.stringMatching(/^svc_invite_/) });
		// Publishing with the same visibility keeps the code.
		const again = await poster.call("updateTask", { ...at(draft.id), body: { access: "invited", title: "Parse it" } });
		expect(again.invite_code).toBe(invited.invite_code);
		const copy = await poster.call("cloneTask", { ...at(draft.id), body: {} });
		expect(copy).toMatchObject({ access: "invited", sealed: true });
		expect(copy.invite_code).not.toBe(invited.invite_code);
		const open = await poster.call("updateTask", { ...at(draft.id), body: { access: "public" } });
		expect([open.access, open.invite_code]).toEqual(["public", undefined]);
		await poster.call("publishTask", at(copy.id));
		await poster.refused("updateTask", "CONFLICT", { ...at(copy.id), body: { access: "public" } });
	});
});

describe("joining", () => {
	it("is possible once, and a wrong code gets the same response as an unknown task", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const { taskId, code, invitation } = await openInvited(poster);
		const publicId = await openTask(poster);
		const draft = await createDraft(poster, { access: "invited" });
		const unknown = { ...at(crypto.randomUUID()), body: { invite_code: code } };
		const wrong = { invite_code: `svc_invite_${"0".repeat(32)}` };
		const { message } = await agent.refused("joinTask", "NOT_FOUND", unknown);
		for (const input of [
			{ ...at(taskId), body: wrong },
			{ ...at(publicId), body: { invite_code: code } },
			{ ...at(draft.id), body: { invite_code: draft.invite_code } },
		]) {
			expect((await agent.refused("joinTask", "NOT_FOUND", input)).message).toBe(message);
		}
		const both = await Promise.all([agent.call("joinTask", invitation), agent.call("joinTask", invitation)]);
		expect(both[0]).toEqual(both[1]);
		await poster.call("joinTask", invitation);
		const { data } = await poster.call("listCompetitors", at(taskId));
		expect(data).toEqual([{ agent_id: agent.agentId, joined_at: expect.any(String), submissions: 0 }]);
	});

	it("needs the current code, and members stay when it changes", async () => {
		const [poster, early, late] = [await registerAgent(), await registerAgent(), await registerAgent()];
		const { taskId, code, invitation } = await openInvited(poster);
		await early.call("joinTask", invitation);
		const { invite_code } = await poster.call("replaceInviteCode", at(taskId));
		expect(invite_code).not.toBe(code);
		expect((await poster.call("getTask", at(taskId))).invite_code).toBe(invite_code);
		await late.refused("joinTask", "NOT_FOUND", invitation);
		await late.call("joinTask", { ...at(taskId), body: { invite_code } });
		await early.call("getTask", at(taskId));
		await early.refused("replaceInviteCode", "FORBIDDEN", at(taskId));
		await poster.refused("replaceInviteCode", "CONFLICT", at(await openTask(poster)));
	});
});

describe("a competitor", () => {
	it("joins as one of 2,000 at most, also in parallel, and can join again", async () => {
		const poster = await registerAgent();
		const { taskId, invitation } = await openInvited(poster);
		const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => registerAgent()));
		await first?.call("joinTask", invitation);
		await addMembers(taskId, 1_998);
		const statuses = (await Promise.all(others.map((one) => one.send("joinTask", invitation)))).map(({ status }) => status);
		expect(statuses.toSorted()).toEqual([200, 409, 409, 409]);
		await first?.call("joinTask", invitation);
		await poster.call("joinTask", invitation);
	});

	it("that has submitted can join again after the task was taken down, as it still sees the task", async () => {
		const [poster, agent, member] = [await registerAgent(), await registerAgent(), await registerAgent()];
		const { taskId, invitation } = await openInvited(poster);
		await Promise.all([agent, member].map((one) => one.call("joinTask", invitation)));
		await submit(agent, taskId);
		await admin.call("takeDownTask", { ...at(taskId), body: { reason: "It is spam." } });
		await agent.call("getTask", at(taskId));
		expect((await agent.call("joinTask", invitation)).id).toBe(taskId);
		await member.refused("getTask", "NOT_FOUND", at(taskId));
		await member.refused("joinTask", "NOT_FOUND", invitation);
	});

	it("without a submission can be removed, and comes back with the same code", async () => {
		const word = `stork${crypto.randomUUID().slice(0, 8)}`;
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const { taskId, invitation } = await openInvited(poster, { category: word, title: word });
		const removal = { params: { id: taskId, agentId: agent.agentId } };
		await poster.refused("removeCompetitor", "NOT_FOUND", removal);
		await agent.call("joinTask", invitation);
		await agent.refused("removeCompetitor", "FORBIDDEN", removal);
		expect(await poster.call("removeCompetitor", removal)).toEqual({ id: agent.agentId, deleted: true });
		await agent.refused("getTask", "NOT_FOUND", at(taskId));
		expect(await idsInLists(agent, word, word)).toEqual({ listed: [], found: [] });
		await agent.call("joinTask", invitation);
		await submit(agent, taskId);
		expect(await idsInLists(agent, word, word)).toEqual({ listed: [taskId], found: [taskId] });
		await poster.refused("removeCompetitor", "CONFLICT", removal);
	});

	it("is either removed or has submitted when both happen in parallel", async () => {
		const poster = await registerAgent();
		const { taskId, invitation } = await openInvited(poster);
		const agents = await Promise.all(Array.from({ length: 6 }, () => registerAgent()));
		await Promise.all(agents.map((agent) => agent.call("joinTask", invitation)));
		await Promise.all(
			agents.map(async (agent) => {
				const removal = { params: { id: taskId, agentId: agent.agentId } };
				const [registered, removed] = await Promise.all([
					agent.send("createSubmission", at(taskId)),
					poster.send("removeCompetitor", removal),
				]);
				expect([
					[201, 409],
					[404, 200],
				]).toContainEqual([registered.status, removed.status]);
			}),
		);
		const { data } = await poster.call("listCompetitors", at(taskId));
		expect(data.every(({ submissions }) => submissions === 1)).toBe(true);
	});

	it("of a public task is an agent that has submitted", async () => {
		const [poster, agent, other] = [await registerAgent(), await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		expect((await poster.call("listCompetitors", at(taskId))).data).toEqual([]);
		for (const client of [agent, other, agent]) await client.call("createSubmission", at(taskId));
		const first = await poster.call("listCompetitors", { ...at(taskId), query: { limit: 1 } });
		const { next_cursor: cursor } = first.pagination;
		const rest = await poster.call("listCompetitors", { ...at(taskId), query: { cursor: cursor ?? "" } });
		const counts = [...first.data, ...rest.data].map(({ agent_id, submissions }) => [agent_id, submissions]);
		expect(counts).toEqual(
			[
				[agent.agentId, 2],
				[other.agentId, 1],
			].toSorted(),
		);
		await agent.refused("listCompetitors", "FORBIDDEN", at(taskId));
		await poster.refused("removeCompetitor", "CONFLICT", { params: { id: taskId, agentId: agent.agentId } });
	});
});

async function rebuildAll(contract: "rebuildDirectory" | "rebuildSearch"): Promise<void> {
	const body = { reason: "The directory was restored." };
	let { last } = await admin.call(contract, { body });
	while (last !== null) ({ last } = await admin.call(contract, { body: { ...body, after: last } }));
}

describe("the rebuilt directory and search index", () => {
	it("contain the members of an invite-only task", async () => {
		const word = `ibis${crypto.randomUUID().slice(0, 8)}`;
		const [poster, agent, stranger] = [await registerAgent(), await registerAgent(), await registerAgent()];
		const { taskId, invitation } = await openInvited(poster, { category: word, title: word });
		await agent.call("joinTask", invitation);
		await loseMembers();
		expect((await idsInLists(agent, word, word)).listed).toEqual([]);
		await rebuildAll("rebuildDirectory");
		await rebuildAll("rebuildSearch");
		expect(await idsInLists(agent, word, word)).toEqual({ listed: [taskId], found: [taskId] });
		expect(await idsInLists(stranger, word, word)).toEqual({ listed: [], found: [] });
	});
});
