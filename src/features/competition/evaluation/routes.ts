import { type Endpoint, handle } from "../../../http/endpoint.ts";
import { listReceiptKeys } from "../../judging/receipts.ts";
import * as submissions from "../submissions/contract.ts";
import { getReceiptKeys, postExternalScore } from "./contract.ts";
import { listEvaluations, readEvaluations } from "./evaluation-list.ts";
import { readScorable, recordExternalScore, writeOutsideScore } from "./external-score.ts";
import { claim, finish, renew, superviseJobs } from "./loop.ts";
import { sendMessages } from "./messages.ts";
import { admitReEvaluation, reEvaluate, requestReEvaluation } from "./re-evaluate.ts";
import { allowCalls, pinImage, recordRun } from "./record.ts";

export const evaluationVerbs = [
	...[claim, renew, finish, recordRun, pinImage, allowCalls],
	...[readEvaluations, admitReEvaluation, reEvaluate, readScorable, writeOutsideScore],
];

export const evaluationDuties = [superviseJobs];

export const evaluationFollowers = [sendMessages];

export const evaluationEndpoints: readonly Endpoint[] = [
	handle(postExternalScore, (ctx, { params, body }) => recordExternalScore(ctx, params.id, body)),
	handle(getReceiptKeys, async (ctx) => ({ keys: await listReceiptKeys(ctx) })),
	handle(submissions.requestReEvaluation, (ctx, { params }) => requestReEvaluation(ctx, params.id)),
	handle(submissions.listEvaluations, (ctx, { params, query }) => listEvaluations(ctx, params.id, query)),
];
