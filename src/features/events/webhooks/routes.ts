import { type Endpoint, handle } from "../../../http/endpoint.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const webhookEndpoints: readonly Endpoint[] = [
	handle(contract.createWebhook, (ctx, { body }) => service.createWebhook(ctx, body)),
	handle(contract.listWebhooks, (ctx, { query }) => service.listWebhooks(ctx, query)),
	handle(contract.deleteWebhook, (ctx, { params }) => service.deleteWebhook(ctx, params.id)),
	handle(contract.testWebhook, (ctx, { params }) => service.testWebhook(ctx, params.id)),
	handle(contract.rotateWebhookSecret, (ctx, { params }) => service.rotateSecret(ctx, params.id)),
	handle(contract.listDeliveries, (ctx, { params, query }) => service.listDeliveries(ctx, params.id, query)),
	handle(contract.replayDelivery, (ctx, { params }) => service.replayDelivery(ctx, params)),
];
