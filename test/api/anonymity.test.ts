// Before reveal only the owner learns who competes: this test searches every response that a stranger can get for the
// competitors.
import { beforeAll, expect, it } from "vitest";
import type { EndpointContract } from "../../src/http/endpoint.ts";
import { endpoints } from "../support/app.ts";
import { type Client, createClient } from "../support/client.ts";
import { awaitEvaluation, openTask, type RegisteredClient, registerAgent, submit } from "../support/scenario.ts";

const NAMES = { poster: "Zebulon the poster", first: "Quentin the competitor", second: "Wilhelmina the competitor" };

let poster: RegisteredClient;
let first: RegisteredClient;
let second: RegisteredClient;
let taskId: string;
let submissionIds: readonly string[];
let known: Readonly<Record<string, readonly string[]>>;

beforeAll(async () => {
	poster = await registerAgent(NAMES.poster);
	first = await registerAgent(NAMES.first);
	second = await registerAgent(NAMES.second);
	await first.call("updateProfile", { body: { bio: "Seventeen narwhals", specialization_tags: ["narwhals"] } });
	taskId = await openTask(poster, { title: "Anonymous contest", category: "narwhals" });
	const form = new FormData();
	form.set("field", "description");
	form.set("file", new File(["a,b"], "rows.csv"));
	const attachment = await poster.call("addAttachment", { params: { id: taskId }, rawBody: form });
	await Promise.all(
		[first, second].map((agent) => agent.call("askQuestion", { params: { id: taskId }, body: { text: "Which delimiter?" } })),
	);
	submissionIds = await Promise.all([first, second].map(async (agent) => (await submit(agent, taskId)).id));
	await Promise.all([awaitEvaluation(first, submissionIds[0] ?? ""), awaitEvaluation(second, submissionIds[1] ?? "")]);
	known = {
		// A stranger knows the task, may have seen submission ids on the leaderboard, and may try agent ids.
		id: [taskId, ...submissionIds, attachment.id, first.agentId],
		attachmentId: [attachment.id],
	};
});

/** These values identify an agent. Key prefixes are the first 16 characters of a key. */
function identityOf(agent: RegisteredClient, name: string): string[] {
	return [agent.agentId, name, agent.key.slice(0, 16), agent.key];
}

const QUERY = { query: "anonymous", q: "narwhals", sort: "score", category: "narwhals", limit: "50" };
const isStream = ({ path }: EndpointContract) => path.endsWith("/stream");
/** The test leaves these out, because the submitter is a competitor and no longer a stranger. */
const isLeftOut = ({ operationId }: EndpointContract) => ["quickSubmit", "createSubmission"].includes(operationId);

interface Answer {
	readonly call: string;
	readonly contract: EndpointContract;
	readonly text: string;
}

/** Returns every response of these endpoints with every id that a stranger may know, as text with its headers. */
async function* answersTo(client: Client, asked: readonly EndpointContract[]): AsyncGenerator<Answer> {
	for (const contract of asked.filter((each) => !isLeftOut(each))) {
		for (const params of paramsOf(contract)) {
			// The others ignore the header.
			for (const headers of contract.headers === undefined ? [{}] : [{}, { Accept: "text/csv" }]) {
				const query = Object.fromEntries(Object.entries(QUERY).filter(([name]) => name in (contract.query?.shape ?? {})));
				const body =
					contract.body === undefined ? {} : { body: { taskId, agentId: first.agentId, dealType: "agent_hire", dealValueCents: 1 } };
				const response = await client.send(contract, { params, query, headers, ...body });
				const call = `${contract.operationId} ${JSON.stringify(params)} ${response.status}`;
				yield { call, contract, text: `${JSON.stringify([...response.headers])}\n${await readAnswer(contract, response)}` };
			}
		}
	}
}

/** Returns the whole response, or the first state of a stream, because a stream does not end. */
async function readAnswer(contract: EndpointContract, response: Response): Promise<string> {
	if (!isStream(contract) || !response.ok || response.body === null) return response.text();
	const reader = response.body.getReader();
	let text = "";
	while (!STATES[contract.operationId]?.every((event) => text.includes(`event: ${event}\n`))) {
		const { value, done } = await reader.read();
		if (done) throw new Error(`${contract.operationId} ended after ${text}`);
		text += new TextDecoder().decode(value);
	}
	await reader.cancel();
	return text;
}

/** A stream begins with one of these events. */
const STATES: Readonly<Record<string, readonly string[]>> = {
	streamBounties: ["connected"],
	streamSubmission: ["submission"],
	streamLeaderboard: ["leaderboard"],
	streamTask: ["task"],
	streamPublicTask: ["task", "leaderboard"],
	streamInbox: ["connected"],
};

function paramsOf(contract: EndpointContract): Record<string, string>[] {
	const names = Object.keys(contract.params?.shape ?? {});
	return names.reduce<Record<string, string>[]>(
		(all, name) => all.flatMap((params) => (known[name] ?? ["x"]).map((value) => ({ ...params, [name]: value }))),
		[{}],
	);
}

/** A profile names the agent whose id the caller already has, but must not lead to its work. */
const PROFILES = ["getAgent", "getPublicAgent", "getAgentPage"];

function expectNoWork(call: string, text: string): void {
	const told = [taskId, ...submissionIds].filter((id) => !call.includes(id) && text.includes(id));
	expect({ call, told }).toEqual({ call, told: [] });
}

async function expectSilence(client: Client, secrets: readonly string[]): Promise<number> {
	let answers = 0;
	for await (const { call, contract, text } of answersTo(client, endpoints)) {
		if (PROFILES.includes(contract.operationId)) {
			expectNoWork(call, text);
			continue;
		}
		// The caller's own input tells it nothing new. The poster's name is public in one field of one endpoint, and on its page.
		const named = { getPublicTask: `"poster_name":"${NAMES.poster}"`, getTaskPage: `<bdi>${NAMES.poster}</bdi>` }[contract.operationId];
		const shown = named === undefined ? text : text.replace(named, "");
		const told = secrets.filter((secret) => !call.includes(secret) && shown.toLowerCase().includes(secret.toLowerCase()));
		expect({ call, told }).toEqual({ call, told: [] });
		answers += 1;
	}
	return answers;
}

it("shows a stranger with a key nothing about the competitors, nor the poster's name or key", async () => {
	const stranger = await registerAgent("Stranger");
	const [, ...posterSecrets] = identityOf(poster, NAMES.poster);
	const secrets = [...identityOf(first, NAMES.first), ...identityOf(second, NAMES.second), ...posterSecrets, "Seventeen narwhals"];
	expect(await expectSilence(stranger, secrets)).toBeGreaterThan(100);
}, 120_000);

it("shows a competitor nothing about another one", async () => {
	await expectSilence(second, identityOf(first, NAMES.first));
}, 120_000);

it("shows a caller without a key no agent", async () => {
	const secrets = [poster, first, second].flatMap((agent, index) => identityOf(agent, Object.values(NAMES)[index] ?? ""));
	await expectSilence(createClient(), secrets);
}, 120_000);

it("shows a caller without a key no submission's id, in bodies, headers and cursors", async () => {
	const calls = new Set<string>();
	const publicReading = endpoints.filter(({ tags }) => tags.includes("Public reading"));
	for await (const { call, text } of answersTo(createClient(), publicReading)) {
		calls.add(call);
		const [, body = ""] = text.split(/\n(.*)/s);
		const told = submissionIds.filter((id) => !call.includes(id) && text.includes(id));
		expect({ call, told, company: /company/i.test(body) }).toEqual({ call, told: [], company: false });
	}
	// Ten endpoints take an id, each known id, and five are feeds, lists and the sitemap.
	expect(calls.size).toBe(10 * (known["id"]?.length ?? 0) + 5);
	const { next_cursor } = await createClient().call("getPublicLeaderboard", { params: { id: taskId }, query: { limit: 1 } });
	const bytes = Uint8Array.fromBase64(next_cursor ?? "", { alphabet: "base64url" });
	expect(bytes.byteLength).toBeGreaterThan(28);
	const forms = [new TextDecoder().decode(bytes), bytes.toHex()];
	const told = [...submissionIds, first.agentId, second.agentId].flatMap((id) => [id, id.replaceAll("-", "")]);
	expect(told.filter((id) => forms.some((form) => form.includes(id)))).toEqual([]);
}, 60_000);

it("shows everything to the owner, and names on the leaderboard after the close", async () => {
	const received = await poster.call("listTaskSubmissions", { params: { id: taskId } });
	expect(received.data.map(({ agent_id }) => agent_id).toSorted()).toEqual([first.agentId, second.agentId].toSorted());
	await poster.call("closeTask", { params: { id: taskId } });
	const board = await createClient({ key: (await registerAgent("Late stranger")).key }).call("getLeaderboard", { params: { id: taskId } });
	expect(board.entries.map(({ agentName }) => agentName).toSorted()).toEqual([NAMES.first, NAMES.second]);
});
