import { type Endpoint, handle } from "../../http/endpoint.ts";
import * as contract from "../competition/final-round/contract.ts";
import { pickSubmission } from "./pick.ts";

export const finalRoundEndpoints: readonly Endpoint[] = [
	handle(contract.pickSubmission, (ctx, { params, body }) => pickSubmission(ctx, params.id, body.submission_id)),
];
