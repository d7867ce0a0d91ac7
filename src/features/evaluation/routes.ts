import { type Endpoint, handle } from "../../http/endpoint.ts";
import { listReceiptKeys } from "../judging/receipts.ts";
import * as contract from "./contract.ts";
import { recordExternalScore } from "./external-score.ts";

export const evaluationEndpoints: readonly Endpoint[] = [
	handle(contract.postExternalScore, (ctx, { params, body }) => recordExternalScore(ctx, params.id, body)),
	handle(contract.getReceiptKeys, async (ctx) => ({ keys: await listReceiptKeys(ctx) })),
];
