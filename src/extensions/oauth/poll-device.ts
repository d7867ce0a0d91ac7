import { commit, unlessStale } from "../../db/commit.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { objectOfDevice } from "./device-codes.ts";
import { NO_STORE, oauthError } from "./errors.ts";
import { holderOfKey } from "./rules.ts";
import { guardGrant, insertToken, renameGrant } from "./statements.ts";

/** Error descriptions for a device that gets no tokens. */
const DESCRIPTIONS = {
	authorization_pending: "The person has not decided yet. Poll again after the interval.",
	slow_down: "Poll only once per interval.",
	access_denied: "The person denied access.",
	expired_token: "The code is unknown or has expired. Start again.",
	invalid_grant: "The code was already used, or belongs to another client. Start again.",
} as const;

/** Responds to a device that asks whether its person has decided. An approval yields tokens only once. */
export async function pollDevice(ctx: PublicCtx, deviceCode: string, clientId: string): Promise<Response> {
	const now = ctx.clock.now();
	const object = await objectOfDevice(deviceCode);
	const deviceRequest = await ctx.hubs.callGrants(object, (grants) => grants.poll({ clientId, now }));
	if (deviceRequest.state !== "approved") return oauthError(deviceRequest.state, DESCRIPTIONS[deviceRequest.state]);
	const { holder, scope, client } = deviceRequest;
	const reply = await ctx.hubs.callGrants(holder, (grants) => grants.issue({ baseUrl: ctx.baseUrl, client, now, holder, scope }));
	const { issued, key } = reply;
	if (issued === null) throw new Error("The library has issued no token for a device.");
	const token = { key, ...issued, now };
	const statements = [guardGrant(ctx, object), renameGrant(ctx, { from: object, to: key }), ...insertToken(ctx, token)];
	if (await unlessStale(() => commit(ctx.db, statements))) {
		return new Response(reply.body, { status: reply.status, headers: { "Content-Type": "application/json", ...NO_STORE } });
	}
	ctx.background(ctx.hubs.callGrants(holderOfKey(key), (grants) => grants.end([key])));
	return oauthError("access_denied", "The grant has ended in the meantime. Start again.");
}
