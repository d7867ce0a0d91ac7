import { type Endpoint, handle } from "../../http/endpoint.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const similarityEndpoints: readonly Endpoint[] = [
	handle(contract.listSimilarWork, (ctx, { params, query }) => service.listSimilar(ctx, params.id, query)),
];
