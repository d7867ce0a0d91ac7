import { type Endpoint, handle } from "../../http/endpoint.ts";
import * as contract from "../competition/dry-runs/contract.ts";
import { downloadTrialArtifact } from "./artifact-store.ts";
import * as service from "./service.ts";

export const trialEndpoints: readonly Endpoint[] = [
	handle(contract.startDryRun, (ctx, { params, body }) => service.startDryRun(ctx, params.id, body)),
	handle(contract.getDryRun, (ctx, { params }) => service.getDryRun(ctx, params.id)),
	handle(contract.listDryRuns, (ctx, { params, query }) => service.listDryRuns(ctx, params.id, query)),
	handle(contract.downloadTrialArtifact, (ctx, { params }) => downloadTrialArtifact(ctx, params.id)),
];
