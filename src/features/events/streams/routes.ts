import { type Endpoint, handle } from "../../../http/endpoint.ts";
import { publishBounty } from "./bounties.ts";
import { streamBounties } from "./bounty-stream.ts";
import * as contract from "./contract.ts";
import { createPublisher, endStreams } from "./publisher.ts";
import { findIgnored } from "./rules.ts";
import * as streams from "./streams.ts";
import { readWatchedTask, unwatch, watch } from "./topics.ts";

export const streamVerbs = [watch, unwatch, readWatchedTask];
export const streamFollowers = () => [createPublisher()];
export const streamListeners = [publishBounty, endStreams];

export const streamEndpoints: readonly Endpoint[] = [
	handle(contract.streamBounties, (ctx, { query, headers, request }) =>
		streamBounties(
			ctx,
			{ filters: query, ignored: findIgnored(new URL(request.url).searchParams) },
			{ lastEventId: headers["last-event-id"], request },
		),
	),
	handle(contract.streamSubmission, (ctx, { params, headers, request }) =>
		streams.streamSubmission(ctx, params.id, { lastEventId: headers["last-event-id"], request }),
	),
	handle(contract.streamLeaderboard, (ctx, { params, headers, request }) =>
		streams.streamLeaderboard(ctx, params.id, { lastEventId: headers["last-event-id"], request }),
	),
	handle(contract.streamPublicTask, (ctx, { params, headers, request }) =>
		streams.streamPublicTask(ctx, params.id, { lastEventId: headers["last-event-id"], request }),
	),
	handle(contract.streamTask, (ctx, { params, headers, request }) =>
		streams.streamTask(ctx, params.id, { lastEventId: headers["last-event-id"], request }),
	),
];
