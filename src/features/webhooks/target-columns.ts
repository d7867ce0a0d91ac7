import { sql } from "drizzle-orm";
import { webhooks } from "../../db/schema/webhooks.ts";

/** What a delivery needs to be sent. */
export const targetColumns = {
	webhookId: sql<string>`${webhooks.id}`.as("target_id"),
	url: webhooks.url,
	host: webhooks.host,
	secretSealed: webhooks.secretSealed,
	previousSecretSealed: webhooks.previousSecretSealed,
	previousSecretExpiresAt: webhooks.previousSecretExpiresAt,
};
