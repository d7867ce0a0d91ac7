// Lists programs as users of the SDK would write them. The test writes them into a folder that has the package and nothing of the
// project.

/** Runs the loop of an agent and a poster, with files of every kind. Its arguments are the platform's URL and an IP address. */
export const LOOP = `
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { mkdirSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { BountyApiError, BountyCheckError, BountyClient, verifyReceipt, verifyWebhook } from "@bounty-platform/sdk/node";

const [baseUrl, address] = process.argv.slice(2);
const connect = (apiKey) => new BountyClient({
	baseUrl,
	apiKey,
	fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, "CF-Connecting-IP": address } }),
});
const nobody = connect();
const poster = connect((await nobody.registerAnonymous({ display_name: "Poster" })).api_key);
const agent = connect((await nobody.registerAnonymous({ display_name: "Agent" })).api_key);

const deliveries = [];
const receiver = createServer(async (request, response) => {
	const chunks = [];
	for await (const chunk of request) chunks.push(chunk);
	deliveries.push([request.headers, Buffer.concat(chunks)]);
	response.writeHead(204).end();
}).listen(0, "127.0.0.1");
await once(receiver, "listening");
const webhook = await poster.createWebhook({ url: "http://127.0.0.1:" + receiver.address().port, events: ["submission.completed"] });
for (const scheme of ["standard", "svc"]) {
	const event = await verifyWebhook(deliveries[0][0], deliveries[0][1], { secret: webhook.secret, scheme });
	assert.equal(event.event, "webhook.test");
}
receiver.close();
receiver.closeAllConnections();
await poster.deleteWebhook(webhook.id);

const draft = await poster.createTask({
	title: "Greeting " + address,
	category: "sdk",
	budget_cents: 10_000,
	deadline: new Date(Date.now() + 3 * 86_400_000).toISOString(),
	criteria: [{ name: "Greets", description: "prints hello", weight: 100 }],
});
assert.equal((await poster.lintTask(draft.id)).ok ?? true, true);
const { id: dryRunId } = await poster.startDryRun(draft.id, { files: { "main.js": "console.log('hello') // prints" }, expected: { Greets: 90 } });
assert.equal((await poster.waitForDryRun(dryRunId, { pollMs: 200, timeoutMs: 60_000 })).status, "completed");
await poster.publishTask(draft.id);

const found = [];
for await (const task of agent.listTasks({ category: "sdk", limit: 1 })) found.push(task.id);
assert.ok(found.includes(draft.id));
await assert.rejects(agent.submit(draft.id, { "../up": "x" }), BountyCheckError);
await assert.rejects(agent.closeTask(draft.id), (error) => error instanceof BountyApiError && error.code === "FORBIDDEN" && error.requestId !== undefined);

const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
const readme = ["What I Built", "How To Run", "Architecture", "What Works", "Known Limitations", "Tradeoffs"].map((name) => "# " + name + "\\nIt prints hello. Ümläute.\\n").join("");
mkdirSync("work/data", { recursive: true });
writeFileSync("work/SUBMISSION.md", readme);
writeFileSync("work/main.js", "console.log('hello') // prints");
writeFileSync("work/data/bytes.bin", bytes);

const bytesOf = async (response) => new Uint8Array(await (await response).arrayBuffer());
const small = await agent.submit(draft.id, "work");
const states = [];
const ended = await small.wait({ timeoutMs: 60_000, onProgress: ({ status }) => states.push(status) });
assert.equal(ended.status, "completed");
assert.equal(states.at(-1), "completed");
assert.deepEqual(await bytesOf(agent.readSubmissionFile(small.id, "data/bytes.bin")), bytes);

const noise = crypto.getRandomValues(new Uint8Array(65_536));
const large = { "SUBMISSION.md": readme, "main.js": "console.log('hello') // prints" };
for (let n = 0; n < 100; n += 1) large["data/" + n + ".bin"] = noise;
const phases = new Set();
const zipped = await agent.submit(draft.id, large, { onProgress: ({ phase }) => phases.add(phase) });
assert.ok(phases.has("packing") && phases.has("uploading"));
assert.equal((await zipped.wait({ timeoutMs: 60_000 })).status, "completed");
assert.deepEqual(await bytesOf(agent.readSubmissionFile(zipped.id, "data/29.bin")), noise);
assert.equal((await agent.listSubmissionFiles(zipped.id, { limit: 10 }).toArray()).length, 102);

const [evaluation] = await agent.listEvaluations(zipped.id).toArray();
const jwks = await nobody.getReceiptKeys();
assert.equal((await verifyReceipt(evaluation, jwks, { task: await agent.getTask(draft.id) })).claims.submission_id, zipped.id);
await assert.rejects(verifyReceipt({ ...evaluation, final_score: 0 }, jwks));

await agent.putWorkspaceEntry("runs/latest", { value: { best: 1 } });
const { headers, data } = await agent.request("getWorkspaceEntry", { path: { key: "runs/latest" } });
assert.deepEqual(data.value, { best: 1 });
const ifSame = { headers: { "If-Match": headers.get("ETag") } };
await agent.putWorkspaceEntry("runs/latest", { value: 2 }, ifSame);
await assert.rejects(agent.putWorkspaceEntry("runs/latest", { value: 3 }, ifSame), { code: "PRECONDITION_FAILED" });
await agent.putWorkspaceFile("notes/bytes.bin", bytes, { contentType: "image/png" });
const big = new Uint8Array(5_000_000).fill(7);
await agent.putWorkspaceFile("models/big.bin", big);
assert.deepEqual(await bytesOf(agent.readWorkspaceFile("notes/bytes.bin")), bytes);
assert.equal((await bytesOf(agent.readWorkspaceFile("models/big.bin"))).length, big.length);
assert.equal((await (await agent.readWorkspaceFile("notes/bytes.bin", { metadata: "1" })).json()).content_type, "image/png");
assert.ok((await nobody.getDocsPage("concepts/tasks", { format: "json" })).title.length > 0);

assert.equal((await agent.getLeaderboard(draft.id)).me?.rank, 1);
const closing = poster.closeTask(draft.id);
const events = [];
for await (const { type } of agent.streamLeaderboard(draft.id)) events.push(type);
await closing;
assert.equal(events.at(-1), "terminal");
const lines = await (await poster.exportTask(draft.id, { format: "jsonl" })).text();
const rows = lines.trim().split("\\n").map((line) => JSON.parse(line).submission_id);
assert.deepEqual(new Set(rows), new Set([small.id, zipped.id]));
assert.ok((await (await poster.exportTask(draft.id)).text()).startsWith("submission_id,"));
const [received] = await poster.listTaskSubmissions(draft.id).toArray();
const deal = await poster.createDeal({ taskId: draft.id, agentId: received.agent_id, dealType: "output_purchase", dealValueCents: 10_000 });
assert.equal((await agent.acceptDeal(deal.id)).status, "accepted");
console.log("done", process.version);
`;

/** Compiles if the declarations are complete, in a project without anything of this one. */
export const TYPED = `
import { BountyClient, type Schemas, verifyWebhook } from "@bounty-platform/sdk";
import { readFolder } from "@bounty-platform/sdk/node";

const client = new BountyClient({ baseUrl: "https://bounties.example" });
export async function titles(): Promise<string[]> {
	const all: string[] = [];
	for await (const task of client.listTasks({ status: ["open"] })) all.push(task.title);
	const task: Schemas["TaskDetail"] = await client.getTask("id");
	const handle = await client.submit(task.id, await readFolder("."));
	const score: number | undefined = (await handle.wait()).scores?.final_score;
	const event = await verifyWebhook(new Headers(), "", "whsec_");
	if (event.event === "deal.updated") all.push(event.deal_id);
	// @ts-expect-error There is no such status.
	client.listTasks({ status: ["opened"] });
	// @ts-expect-error A budget is a number.
	await client.createTask({ title: "t", budget_cents: "1", deadline: "" });
	return [...all, String(score)];
}
`;

/** Does everything that a page or a Worker can do without files. \`BASE_URL\` is replaced when it is bundled. */
export const PORTABLE = `
import { BountyClient, verifyReceipt } from "@bounty-platform/sdk";

export async function run(): Promise<string> {
	const { api_key: apiKey } = await new BountyClient({ baseUrl: BASE_URL }).registerAnonymous();
	const client = new BountyClient({ baseUrl: BASE_URL, apiKey });
	const draft = await client.createTask({
		title: "Portable",
		budget_cents: 10_000,
		deadline: new Date(Date.now() + 3 * 86_400_000).toISOString(),
		criteria: [{ name: "Greets", description: "prints hello", weight: 100 }],
	});
	await client.publishTask(draft.id);
	const work = { "SUBMISSION.md": "# What I Built\\nhello", "main.js": "console.log('hello') // prints", "bytes.bin": new Uint8Array([0, 255, 128]) };
	const handle = await client.submit(draft.id, work, { method: "zip" });
	const { status } = await handle.wait({ timeoutMs: 60_000 });
	const bytes = new Uint8Array(await (await client.readSubmissionFile(handle.id, "bytes.bin")).arrayBuffer());
	const [evaluation] = await client.listEvaluations(handle.id).toArray();
	const { recomputed } = await verifyReceipt(evaluation, await client.getReceiptKeys());
	return [status, bytes.join("-"), recomputed.join("-")].join(" ");
}

declare const BASE_URL: string;
`;
