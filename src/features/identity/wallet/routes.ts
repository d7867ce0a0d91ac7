import { type Endpoint, handle } from "../../../http/endpoint.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const walletEndpoints: readonly Endpoint[] = [
	handle(contract.getWallet, (ctx) => service.getWallet(ctx)),
	handle(contract.updateWallet, (ctx, { body }) => service.updateWallet(ctx, body)),
	handle(contract.createChallenge, (ctx) => service.createChallenge(ctx)),
	handle(contract.signChallenge, (ctx, { body }) => service.signChallenge(ctx, body)),
];
