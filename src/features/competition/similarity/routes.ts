import { type Endpoint, handle } from "../../../http/endpoint.ts";
import * as contract from "./contract.ts";
import { listSimilar, readSignatures } from "./list-similar.ts";

export const similarityVerbs = [readSignatures];

export const similarityEndpoints: readonly Endpoint[] = [
	handle(contract.listSimilarWork, (ctx, { params, query }) => listSimilar(ctx, params.id, query)),
];
