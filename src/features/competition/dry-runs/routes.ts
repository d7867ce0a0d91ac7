import { type Endpoint, handle } from "../../../http/endpoint.ts";
import { downloadTrialArtifact } from "./artifacts.ts";
import * as contract from "./contract.ts";
import { getDryRun, listDryRuns, readTrial, readTrials } from "./read-dry-runs.ts";
import { admitTrial, startDryRun, storeTrial } from "./start-dry-run.ts";

export const trialVerbs = [admitTrial, storeTrial, readTrial, readTrials];

export const trialEndpoints: readonly Endpoint[] = [
	handle(contract.startDryRun, (ctx, { params, body }) => startDryRun(ctx, params.id, body)),
	handle(contract.getDryRun, (ctx, { params }) => getDryRun(ctx, params.id)),
	handle(contract.listDryRuns, (ctx, { params, query }) => listDryRuns(ctx, params.id, query)),
	handle(contract.downloadTrialArtifact, (ctx, { params }) => downloadTrialArtifact(ctx, params.id)),
];
