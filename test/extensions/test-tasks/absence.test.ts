import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { admin } from "../../support/admin.ts";
import { listReadsOfAll } from "../../support/read-calls.ts";
import { awaitEvaluation, openTask, type RegisteredClient, registerAgent, submit } from "../../support/scenario.ts";
import { openTestTask } from "../../support/test-tasks.ts";

const at = (id: string) => ({ params: { id } });

/** The two parties of a test task find it here, because what they do with it happens here. */
const OWN_PLACES: ReadonlySet<string> = new Set([
	// Their own submissions, which say `test: true`.
	"listSubmissions",
	"listDashboardSubmissions",
	// Their own deals.
	"listDeals",
	// The inbox lists what concerns them, and what waits for them.
	"listInbox",
	"listWaiting",
	// It counts the unread entries of their inbox.
	"getHeader",
]);

const QUERIES: Readonly<Record<string, string>> = { searchTasks: "?query=heron", searchDocs: "?q=submit" };

function pathsFor(agentIds: readonly string[]) {
	return listReadsOfAll().flatMap(({ path, ...read }) =>
		(path.includes("{") ? agentIds : [""]).map((id) => ({
			...read,
			path: path.replace(/\{\w+\}/, id) + (QUERIES[read.operationId] ?? ""),
		})),
	);
}

/** Times and signatures differ between two reads. */
const steady = (text: string) =>
	text
		.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "then")
		.replaceAll(/(?:expires|signature)=\w+/g, "signed")
		.replaceAll(/01[0-9a-f]{6}-[0-9a-f-]{27}/g, "id");

let requests = 0;

/** Each request has an IP address of its own, so that no rate limit stops it. */
async function read(path: string, key: string | null): Promise<string> {
	requests += 1;
	const headers = {
		"CF-Connecting-IP": `198.18.${Math.floor(requests / 250)}.${requests % 250}`,
		...(key === null ? {} : { Authorization: `Bearer ${key}` }),
	};
	const response = await exports.default.fetch(new Request(`https://platform.example${path}`, { headers }));
	return `${response.status} ${await response.text()}`;
}

async function readAll(readers: readonly RegisteredClient[], agentIds: readonly string[]) {
	const paths = pathsFor(agentIds);
	const texts: { name: string; operationId: string; reader: RegisteredClient | null; text: string }[] = [];
	for (const { operationId, path, isForKeys } of paths) {
		for (const [index, reader] of (isForKeys ? readers : [null]).entries()) {
			texts.push({ name: `${path} for reader ${index}`, operationId, reader, text: await read(path, reader?.key ?? null) });
		}
	}
	return texts;
}

describe("a test task", () => {
	it("is in no list, and changes no number of anyone", async () => {
		const [poster, agent, stranger] = [await registerAgent("Poster"), await registerAgent("Builder"), await registerAgent("Stranger")];
		for (const one of [poster, agent]) await one.call("updateProfile", { body: { specializations: ["heron"] } });
		const realId = await openTask(poster, { title: "Count the heron", category: "heron" });
		const { id } = await submit(agent, realId);
		await awaitEvaluation(agent, id);
		const readers = [poster, agent, stranger];
		const agentIds = [poster.agentId, agent.agentId];
		const before = await readAll(readers, agentIds);
		expect(before.length).toBeGreaterThan(60);
		expect([...OWN_PLACES].filter((own) => before.every(({ operationId }) => operationId !== own))).toEqual([]);

		const word = "kingfisher";
		const test = await openTestTask({ title: `Count the heron and the ${word}`, category: "heron" }, { poster, agent });
		const { id: workId } = await submit(agent, test.taskId);
		await awaitEvaluation(agent, workId);
		const open = await readAll(readers, agentIds);
		await test.advance(3 * 86_400);
		const { id: dealId } = await poster.call("createDeal", {
			body: { taskId: test.taskId, agentId: agent.agentId, dealType: "output_purchase", dealValueCents: 50_000 },
		});
		const ended = await readAll(readers, agentIds);

		const traces = [test.taskId, word, workId, dealId];
		const isOwn = ({ operationId, reader }: (typeof before)[number]) => OWN_PLACES.has(operationId) && reader !== stranger;
		const known = new Map(before.map(({ name, text }) => [name, steady(text)]));
		for (const read of [...open, ...ended].filter((one) => !isOwn(one))) {
			expect(
				traces.filter((trace) => read.text.includes(trace)),
				read.name,
			).toEqual([]);
			expect(steady(read.text), read.name).toBe(known.get(read.name));
		}
		const { data } = await poster.call("listTasks", { query: { owner: "me" } });
		expect(data.map((task) => [task.id, task.test])).toEqual([
			[test.taskId, true],
			[realId, false],
		]);
		expect(await agent.call("getSubmission", at(workId))).toMatchObject({ test: true });
	});

	it("counts in the operators' history neither with its scores nor with its failures", async () => {
		const { taskId, agent } = await openTestTask();
		const today = async () => (await admin.call("getHistory", {})).days.at(-1);
		const before = await today();
		const { id } = await submit(agent, taskId);
		await awaitEvaluation(agent, id);
		expect(await today()).toEqual(before);
		const { meta } = await env.DB.prepare(
			"update submission_cards set status = 'evaluation_failed', evaluated_at = null where id = unhex(?)",
		)
			.bind(id.replaceAll("-", ""))
			.run();
		expect(meta.changes).toBe(1);
		expect(await today()).toEqual(before);
	});
});
