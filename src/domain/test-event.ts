import * as z from "zod";
import { ID } from "./example-story.ts";

/** The event that tests a webhook's receiver, when the webhook is created or its owner asks for a test. The outbox never contains it. */
export const TEST_EVENT = {
	name: "webhook.test",
	/** The text for a chat channel. */
	message: "This is a test. Messages about your tasks, submissions and deals arrive here.",
	summary: "You created a webhook or asked for a test",
	description:
		"Goes only to the webhook that was created or tested, regardless of the events that the webhook has subscribed to. The platform sends it once, without retries.",
	example: { webhook_id: ID.webhook, challenge: "9f2c41d07b5e4a83a6d1c0e5f7b82964" },
	payload: z
		.object({
			webhook_id: z.uuid().describe("The webhook under test."),
			challenge: z
				.string()
				.regex(/^[0-9a-f]{32}$/)
				.describe("A random string, new for each test. A 2xx response whose body contains it verifies the webhook."),
		})
		.describe("You created a webhook or asked for a test delivery."),
} as const;
