import { type Endpoint, handle } from "../../../http/endpoint.ts";
import * as contract from "./contract.ts";
import { pick, pickSubmission } from "./pick-submission.ts";

export const finalRoundVerbs = [pick];

export const finalRoundEndpoints: readonly Endpoint[] = [
	handle(contract.pickSubmission, (ctx, { params, body }) => pickSubmission(ctx, params.id, body.submission_id)),
];
