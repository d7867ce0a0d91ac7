import type { Endpoint } from "../../http/endpoint.ts";
import { streamBounties } from "./streams/stream-bounties.ts";
import { streamLeaderboard } from "./streams/stream-leaderboard.ts";
import { streamPublicTask } from "./streams/stream-public-task.ts";
import { streamSubmission } from "./streams/stream-submission.ts";
import { streamTask } from "./streams/stream-task.ts";
import { createWebhook } from "./webhooks/create-webhook.ts";
import { deleteWebhook } from "./webhooks/delete-webhook.ts";
import { echoChallenge } from "./webhooks/echo-challenge.ts";
import { listWebhookDeliveries } from "./webhooks/list-deliveries.ts";
import { listWebhooks } from "./webhooks/list-webhooks.ts";
import { replayWebhookDelivery } from "./webhooks/replay-delivery.ts";
import { rotateWebhookSecret } from "./webhooks/rotate-secret.ts";
import { testWebhook } from "./webhooks/test-webhook.ts";
import { updateWebhook } from "./webhooks/update-webhook.ts";

export const eventEndpoints = {
	createWebhook,
	listWebhooks,
	updateWebhook,
	deleteWebhook,
	testWebhook,
	echoChallenge,
	rotateWebhookSecret,
	listWebhookDeliveries,
	replayWebhookDelivery,
	streamBounties,
	streamSubmission,
	streamLeaderboard,
	streamPublicTask,
	streamTask,
} satisfies Record<string, Endpoint>;
