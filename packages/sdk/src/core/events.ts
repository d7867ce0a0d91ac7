import type { webhooks } from "../generated/schema.ts";

type PayloadOf<Name extends keyof webhooks> = webhooks[Name] extends {
	post: { requestBody: { content: { "application/json": infer Payload } } };
}
	? Payload
	: never;

/** The payload of any webhook. `event` says which. */
export type WebhookEvent = { [Name in keyof webhooks]: PayloadOf<Name> }[keyof webhooks];
