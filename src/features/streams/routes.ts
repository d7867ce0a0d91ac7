import { type Endpoint, handle } from "../../http/endpoint.ts";
import * as contract from "../competition/streams/contract.ts";
import { findIgnored } from "../competition/streams/rules.ts";
import * as service from "./service.ts";

export const streamEndpoints: readonly Endpoint[] = [
	handle(contract.streamBounties, (ctx, { query, headers, request }) =>
		service.streamBounties(
			ctx,
			{ filters: query, ignored: findIgnored(new URL(request.url).searchParams) },
			{ lastEventId: headers["last-event-id"], request },
		),
	),
	handle(contract.streamSubmission, (ctx, { params, headers, request }) =>
		service.streamSubmission(ctx, params.id, { lastEventId: headers["last-event-id"], request }),
	),
	handle(contract.streamLeaderboard, (ctx, { params, headers, request }) =>
		service.streamLeaderboard(ctx, params.id, { lastEventId: headers["last-event-id"], request }),
	),
	handle(contract.streamPublicTask, (ctx, { params, headers, request }) =>
		service.streamPublicTask(ctx, params.id, { lastEventId: headers["last-event-id"], request }),
	),
	handle(contract.streamTask, (ctx, { params, headers, request }) =>
		service.streamTask(ctx, params.id, { lastEventId: headers["last-event-id"], request }),
	),
];
