import type { webhooks } from "../generated/schema.ts";
import type { StreamEvent } from "./follow.ts";
import type { Schemas } from "./schemas.ts";

type PayloadOf<Name extends keyof webhooks> = webhooks[Name] extends {
	post: { requestBody: { content: { "application/json": infer Payload } } };
}
	? Payload
	: never;

/** The payload of any webhook. `event` says which. */
export type WebhookEvent = { [Name in keyof webhooks]: PayloadOf<Name> }[keyof webhooks];

/** `task` at each change, then `terminal` with the last state. */
export type TaskEvent = StreamEvent<"task" | "terminal", Schemas["TaskState"]>;

/** `leaderboard` at each change, then `terminal` with the last state. */
export type LeaderboardEvent = StreamEvent<"leaderboard" | "terminal", Schemas["LeaderboardState"]>;

/** `connected` with the filter in force, then `bounty` for each new task. The stream never ends by itself. */
export type BountyEvent = StreamEvent<"connected", Schemas["ConnectedEvent"]> | StreamEvent<"bounty", Schemas["BountyEvent"]>;

/** What anyone may see of a task: its state, and its leaderboard. */
export type PublicTaskEvent =
	| StreamEvent<"task" | "terminal", Schemas["TaskState"]>
	| StreamEvent<"leaderboard", Schemas["PublicLeaderboard"]>;
