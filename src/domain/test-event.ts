import * as z from "zod";
import { ID } from "./example-story.ts";

/** This event tests the receiver of a webhook, at its creation or when its owner asks. It has no row in the outbox and no audience. */
export const TEST_EVENT = {
	name: "webhook.test",
	/** A channel of people reads this text. */
	message: "This is a test. Messages about your tasks, submissions and deals arrive here.",
	summary: "You created a webhook or asked for a test",
	description:
		"Goes only to the webhook that was created, or that `POST /api/v1/webhooks/{id}/test` names, independent of its subscriptions. It is attempted once.",
	example: { webhook_id: ID.webhook, challenge: "9f2c41d07b5e4a83a6d1c0e5f7b82964" },
	payload: z
		.object({
			webhook_id: z.uuid().describe("The webhook under test."),
			challenge: z
				.string()
				.regex(/^[0-9a-f]{32}$/)
				.describe("A random text, new for each test. A 2xx response whose body contains it verifies the webhook."),
		})
		.describe("You created a webhook or asked for a test delivery."),
} as const;
