// For operators: lists deliveries that have not succeeded, and exports or erases the deliveries of one agent.
import { callInChunks } from "../../../domain/chunks.ts";
import { AppError } from "../../../domain/errors.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { LoggedDelivery, UnsuccessfulDelivery, UnsuccessfulQuery, WebhookSenderPort } from "../../../ports/webhook-sender.ts";
import * as store from "./store.ts";
import { targetOf } from "./webhook.ts";

const CALLS_AT_ONCE = 50;
const ROWS_PER_CALL = 100;

export type DeliveryProblem = UnsuccessfulDelivery & { readonly webhookId: string };

/**
 * Lists deliveries that have been waiting for a while or failed, newest first. Each webhook's object stores its deliveries, and D1 says
 * which of these objects to read.
 */
export async function listDeliveryProblems(deps: Deps, query: UnsuccessfulQuery): Promise<DeliveryProblem[]> {
	const problems = await callEach(deps, await store.selectTroubled(deps), async (sender, webhookId) =>
		(await sender.listUnsuccessful(query)).map((delivery) => ({ ...delivery, webhookId })),
	);
	return problems
		.flat()
		.toSorted((a, b) => (a.id < b.id ? 1 : -1))
		.slice(0, query.limit);
}

/** Finds a delivery that {@link listDeliveryProblems} could list. Returns null if there is none with this id. */
export async function findDeliveryProblem(deps: Deps, deliveryId: string): Promise<DeliveryProblem | null> {
	const problems = await callEach(deps, await store.selectTroubled(deps), async (sender, webhookId) => {
		const delivery = await sender.findUnsuccessful(deliveryId);
		return delivery === null ? null : { ...delivery, webhookId };
	});
	return problems.find((delivery) => delivery !== null) ?? null;
}

/**
 * Makes a waiting delivery due now, or repeats a failed one. Returns the id of the delivery that will be attempted.
 *
 * @throws AppError `NOT_FOUND` if the webhook does not exist. `CONFLICT` if it is inactive, or if the delivery is being attempted or has
 * ended.
 */
export async function retryDelivery(deps: Deps, { id, webhookId, state }: DeliveryProblem): Promise<string> {
	const webhook = await store.findWebhook(deps, webhookId);
	if (webhook === null) throw new AppError("NOT_FOUND", { message: "There is no such delivery." });
	if (!webhook.active) throw new AppError("CONFLICT", { message: "The webhook is inactive, so nothing is sent to it." });
	const target = targetOf(webhook);
	const repeatedId = deps.ids.next();
	const outcome = await deps.hubs.callSender(webhookId, (sender) =>
		state === "failed" ? sender.replay({ id: repeatedId, deliveryId: id }, target) : sender.hasten(id),
	);
	if (outcome === "queued") return repeatedId;
	if (outcome === "due") return id;
	if (outcome === "running") throw new AppError("CONFLICT", { message: "The delivery is being attempted at the moment." });
	throw new AppError("CONFLICT", { message: "The delivery has already ended." });
}

/**
 * Reads at most `limit` deliveries to an agent's webhooks, newest first within each webhook. Their bodies can be up to 2 MB long, so only
 * one page of them is certain to fit into memory.
 */
export async function* readDeliveriesOf(deps: Deps, agentId: string, limit: number): AsyncGenerator<readonly DeliveryOf[], void> {
	let left = limit;
	for (const webhookId of await store.selectIdsOf(deps, agentId)) {
		for (let before: string | null | undefined = null; before !== undefined && left > 0; ) {
			const query = { before, limit: Math.min(ROWS_PER_CALL, left) };
			// If bodies are long, a page can have fewer deliveries than its limit without being the last one.
			const page: LoggedDelivery[] = await deps.hubs.callSender(webhookId, (sender) => sender.listDeliveries(query));
			left -= page.length;
			yield page.map((delivery) => ({ ...delivery, webhookId }));
			before = page.at(-1)?.id;
		}
	}
}

type DeliveryOf = LoggedDelivery & { readonly webhookId: string };

/** Erases the deliveries to an agent's webhooks, and the deliveries about the agent to other agents' webhooks. Safe to repeat. */
export async function eraseDeliveries(deps: Deps, agentId: string): Promise<void> {
	await callEach(deps, await store.selectIdsOf(deps, agentId), (sender) => sender.erase());
	await callEach(deps, await store.selectIdsAbout(deps, agentId), (sender) => sender.eraseAbout(agentId));
}

async function callEach<Result>(
	deps: Deps,
	webhookIds: readonly string[],
	ask: (sender: WebhookSenderPort, webhookId: string) => Promise<Result>,
): Promise<Result[]> {
	return callInChunks(webhookIds, CALLS_AT_ONCE, (id) => deps.hubs.callSender(id, (sender) => ask(sender, id)));
}
