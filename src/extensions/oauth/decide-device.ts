import * as z from "zod";
import { commit, unlessStale } from "../../db/commit.ts";
import type { SessionActor } from "../../domain/actor.ts";
import { AppError } from "../../domain/errors.ts";
import { endpoint } from "../../http/endpoint.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { frameOf, HTML } from "../pages/page.ts";
import { assertRoom, FORM, getSession, grantRowOf, holderOf, readForm } from "./authorization.ts";
import { nameOf } from "./clients.ts";
import { type FoundRequest, findRequest } from "./device-codes.ts";
import { FORM_PAGE, OAUTH_ERRORS } from "./errors.ts";
import { loadViews } from "./page.ts";
import { DEVICE_PATH } from "./rules.ts";
import { readDecision } from "./show-consent.ts";
import { WRONG_CODE } from "./show-device.ts";
import { endReplaced, guardGrantCount, guardGranter, guardNoGrant, guardSameGrant, insertGrant } from "./statements.ts";

export const decideDevice = endpoint({
	method: "post",
	path: DEVICE_PATH,
	operationId: "decideDevice",
	owner: "oauth",
	summary: "Allow or deny a device",
	description:
		"The form on the device page sends `user_code`, `decision` (`allow` or `deny`) and `csrf_token`. Each code can be decided on only once.",
	tags: ["OAuth"],
	auth: "none",
	rate: "mutation",
	pausedBy: ["writes"],
	rawBody: {
		...FORM,
		description: "The form on the page that asks for the decision.",
		schema: z.object({
			user_code: z.string().max(4_096).describe("The code that the person has typed."),
			decision: z.enum(["allow", "deny"]).describe("The person's decision."),
			csrf_token: z.string().max(4_096).describe("The CSRF token of the page with the form."),
		}),
	},
	response: {
		status: 200,
		description: "A page that says what was decided.",
		schema: z.string(),
		contentType: "text/html",
		carriesSecret: true,
	},
	errorBody: OAUTH_ERRORS,
	errors: ["BAD_REQUEST", "FORBIDDEN", "CONFLICT", "RATE_LIMITED", "FILE_TOO_LARGE"],
	page: "guides/connect-a-program",
	examples: {
		rawBodies: { allowed: { value: { user_code: "WDJB-MJHT", csrf_token: "9f86d081884c7d659a2feaa0c55ad015", decision: "allow" } } },
	},

	async handle(ctx, { request }) {
		const form = new URLSearchParams(await readForm(ctx, request));
		const actor = await getSession(ctx, request, form);
		const isAllowed = readDecision(form);
		const pending = await findRequest(ctx, form.get("user_code") ?? "");
		if (pending === null) throw new AppError("BAD_REQUEST", { message: WRONG_CODE });
		await decide(ctx, actor, { pending, isAllowed });
		const { renderDecided } = await loadViews();
		return new Response(await renderDecided(await frameOf(ctx), { isAllowed }), { headers: { ...HTML, ...FORM_PAGE } });
	},
});

/**
 * Decides a device's request. Stores the grant before the device can learn of the decision. Until the first token is issued, the grant's
 * key is the name of the request's object, so that claiming the agent or revoking the grant in the meantime also ends the grant.
 *
 * @throws AppError `CONFLICT` if the request was decided before, the session has ended or the agent has too many grants.
 */
async function decide(
	ctx: PublicCtx,
	actor: SessionActor,
	{ pending, isAllowed }: { pending: FoundRequest; isAllowed: boolean },
): Promise<void> {
	const now = ctx.clock.now();
	if (isAllowed) {
		const row = { ...grantRowOf(ctx, actor, pending), key: pending.object, clientName: nameOf(pending.client), redirectUri: null };
		const statements = [
			...[guardGranter(ctx, row), guardNoGrant(ctx, pending.object), ...endReplaced(ctx, row)],
			...[guardGrantCount(ctx, row.agentId), insertGrant(ctx, row)],
		];
		// A crash after this commit leaves the request pending, so if its holder allows it again, the object must still find out.
		const repeated = [guardGranter(ctx, row), guardSameGrant(ctx, row)];
		if (!(await unlessStale(() => commit(ctx.db, statements))) && !(await unlessStale(() => commit(ctx.db, repeated)))) {
			await assertRoom(ctx, row.agentId);
			throw decidedBefore();
		}
	}
	const holder = isAllowed ? holderOf(actor) : null;
	if (!(await ctx.hubs.callGrants(pending.object, (grants) => grants.decideRequest({ holder, now })))) throw decidedBefore();
}

function decidedBefore(): AppError {
	return new AppError("CONFLICT", { message: "This request was already decided, or your session has ended. Start again on your device." });
}
