import { type Endpoint, handle, Reply } from "../../http/endpoint.ts";
import * as contract from "./contract.ts";
import { recordExternalScore } from "./external-score.ts";
import { listReceiptKeys } from "./receipts.ts";

const KEYS_HEADERS = { "Cache-Control": "public, max-age=60" } as const;

export const evaluationEndpoints: readonly Endpoint[] = [
	handle(contract.postExternalScore, (ctx, { params, body }) => recordExternalScore(ctx, params.id, body)),
	handle(contract.getReceiptKeys, async (ctx) => new Reply({ keys: await listReceiptKeys(ctx) }, KEYS_HEADERS)),
];
