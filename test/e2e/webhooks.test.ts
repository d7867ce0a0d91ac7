// Tests deliveries over real sockets: receivers in this process, and the whole platform.
import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WEBHOOK_EVENTS } from "../../src/domain/events.ts";
import { type HttpCaller, openTask, registerCaller, until } from "../support/http.ts";
import { type LocalReceiver, type ReceivedDelivery, startReceiver } from "../support/receiver.ts";
import { type RunningServer, startServer } from "../support/server.ts";

let server: RunningServer;
const receivers: LocalReceiver[] = [];
beforeAll(async () => {
	server = await startServer();
});
afterAll(async () => {
	await Promise.all(receivers.map((receiver) => receiver.close()));
	await server.close();
});

async function receive(...options: Parameters<typeof startReceiver>): Promise<LocalReceiver> {
	const receiver = await startReceiver(...options);
	receivers.push(receiver);
	return receiver;
}

interface Created {
	readonly id: string;
	readonly secret: string;
}

interface Logged {
	readonly data: {
		id: string;
		event: string;
		status: string;
		attempts: { response_code: number | null; response_body: string; error: string | null }[];
	}[];
}

const subscribe = (agent: HttpCaller, url: string, events: readonly string[]) =>
	agent.call<Created>("POST", "/api/v1/webhooks", { url, events });

/** Returns the log without tests of the receiver. */
async function readLog(agent: HttpCaller, id: string): Promise<Logged> {
	const { data } = await agent.call<Logged>("GET", `/api/v1/webhooks/${id}/deliveries`);
	return { data: data.filter(({ event }) => event !== "webhook.test") };
}

function header({ headers }: ReceivedDelivery, name: string): string {
	const value = headers[name];
	return typeof value === "string" ? value : "";
}

/** Verifies as every Standard Webhooks library does. Throws unless the signature is valid and recent. */
function verify(secret: string, call: ReceivedDelivery): unknown {
	return new Webhook(secret).verify(call.body, {
		"webhook-id": header(call, "webhook-id"),
		"webhook-timestamp": header(call, "webhook-timestamp"),
		"webhook-signature": header(call, "webhook-signature"),
	});
}

const plainSignature = (secret: string, body: string) => createHmac("sha256", secret).update(body).digest("hex");

/** Submits something that is not a zip. */
async function submitRubbish(agent: HttpCaller, taskId: string): Promise<void> {
	const { id, upload_url } = await agent.call<{ id: string; upload_url: string }>("POST", `/api/v1/tasks/${taskId}/submissions`);
	await fetch(upload_url, { method: "PUT", headers: { "Content-Type": "application/zip" }, body: "rubbish" });
	await expect(agent.call("POST", `/api/v1/submissions/${id}/complete`)).rejects.toThrow("400");
}

it("a webhook gets what happens to a task, signed twice, from its opening to its deal", async () => {
	const [poster, agent, clumsy] = await Promise.all([registerCaller(server), registerCaller(server), registerCaller(server)]);
	await agent.call("PUT", "/api/v1/agent/profile", { specialization_tags: ["GENERAL"] });
	const [receiver, agentsReceiver] = [await receive(), await receive()];
	const { id, secret } = await subscribe(poster, receiver.url, WEBHOOK_EVENTS);
	const { secret: agentsSecret } = await subscribe(agent, agentsReceiver.url, WEBHOOK_EVENTS);
	const taskId = await openTask(poster);
	await agent.call("POST", `/api/v1/tasks/${taskId}/quick-submit`, { files: { "SUBMISSION.md": "# What I Built\nA parser" } });
	await submitRubbish(clumsy, taskId);
	await until(() => receiver.received.length >= 7, "the scores");
	await poster.call("POST", `/api/v1/tasks/${taskId}/close`);
	await poster.call("POST", "/api/v1/deals", { taskId, agentId: agent.agentId, dealType: "output_purchase", dealValueCents: 900 });
	await until(() => receiver.received.length >= 10 && agentsReceiver.received.length >= 7, "the deal");

	const eventsAt = ({ received }: LocalReceiver) => received.map((call) => header(call, "x-svc-event")).toSorted();
	const ends = ["deal.created", "evaluation.completed", "submission.completed", "submission.created", "task.closed", "task.status_changed"];
	expect(eventsAt(receiver)).toEqual([...ends, "submission.created", "submission.failed", "task.opened", "task.status_changed"].toSorted());
	expect(eventsAt(agentsReceiver)).toEqual([...ends, "task.matched"].toSorted());
	const isNamedHere = (body: string) => body.includes(clumsy.agentId);
	expect(agentsReceiver.received.filter(({ body }) => isNamedHere(body))).toEqual([]);
	const signed = [
		...receiver.received.map((call) => [secret, call] as const),
		...agentsReceiver.received.map((call) => [agentsSecret, call] as const),
	];
	for (const [known, call] of signed) {
		expect(verify(known, call)).toMatchObject({ event: header(call, "x-svc-event"), id: header(call, "webhook-id"), task_id: taskId });
		expect(header(call, "x-svc-signature")).toBe(plainSignature(known, call.body));
		expect(header(call, "content-type")).toBe("application/json");
		expect(() => verify(known, { ...call, body: call.body.replace("task", "tusk") })).toThrow();
	}
	const ids = receiver.received.map((call) => header(call, "x-svc-delivery"));
	// The receiver has a delivery before the log says so, because the sender records the response afterwards.
	await expect
		.poll(async () => (await readLog(poster, id)).data.map((delivery) => `${delivery.id} ${delivery.status}`).toSorted())
		.toEqual(ids.map((id) => `${id} delivered`).toSorted());
});

it("a webhook's secrets are encrypted at rest", async () => {
	const agent = await registerCaller(server);
	const { secret } = await subscribe(agent, "https://receiver.example.com/", ["task.opened"]);
	const rows = await server.query("select * from webhooks");
	expect(JSON.stringify(rows)).not.toContain(secret);
	expect(JSON.stringify(rows)).not.toContain(secret.slice("whsec_".length));
});

it("a slow receiver does not delay others", async () => {
	const agent = await registerCaller(server);
	const slow = await receive((response) => setTimeout(() => response.end(), 6_000));
	const quick = await receive();
	const { id } = await subscribe(agent, slow.url, ["task.opened"]);
	await subscribe(agent, quick.url, ["task.opened"]);
	for (let task = 0; task < 3; task += 1) await openTask(agent);
	// The slow receiver has not responded to any of its three deliveries when the quick one has had all of its own.
	await until(() => quick.received.length === 3, "the quick one's deliveries", 5_000);
	const statuses = async () => (await readLog(agent, id)).data.map(({ status }) => status);
	expect(await statuses()).toEqual(["pending", "pending", "pending"]);
	await until(async () => (await statuses()).every((status) => status === "delivered"), "the slow one's answers");
});
