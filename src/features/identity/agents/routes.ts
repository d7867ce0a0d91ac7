import { type Endpoint, handle } from "../../../http/endpoint.ts";
import { getProfile, registerAnonymous, updateProfile, whoAmI } from "./contract.ts";
import * as profile from "./profile.ts";
import * as service from "./service.ts";

export const agentEndpoints: readonly Endpoint[] = [
	handle(registerAnonymous, (ctx, { body }) => service.registerAnonymous(ctx, body)),
	handle(whoAmI, (ctx) => service.describeCaller(ctx)),
	handle(getProfile, (ctx) => profile.getProfile(ctx)),
	handle(updateProfile, async (ctx, { body }) => {
		await profile.changeProfile(ctx, body);
		return profile.getProfile(ctx);
	}),
];
