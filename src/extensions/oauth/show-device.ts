import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { text } from "../../http/fields.ts";
import { frameOf, HTML } from "../pages/page.ts";
import { findSession } from "./authorization.ts";
import { hostOf, nameOf } from "./clients.ts";
import { CLI_CLIENT_ID } from "./command-line.ts";
import { findRequest } from "./device-codes.ts";
import { FORM_PAGE, OAUTH_ERRORS } from "./errors.ts";
import { listWaysToSignIn, loadViews } from "./page.ts";
import { DEVICE_PATH, formatUserCode } from "./rules.ts";

const MAX_TYPED = 40;
export const WRONG_CODE = "This code is wrong, already used or expired. Check the code on your device.";

export const showDevice = endpoint({
	method: "get",
	path: DEVICE_PATH,
	operationId: "showDevice",
	owner: "oauth",
	summary: "Enter the code of a device",
	description:
		"A page for people. If the URL contains a code, the page shows which program is asking for access, and what it would be allowed to do. After ten wrong codes from a network in ten minutes, returns 429.",
	tags: ["OAuth"],
	auth: "none",
	rate: "mutation",
	pausedBy: ["writes"],
	query: z.object({ user_code: text({ min: 0, max: MAX_TYPED }).optional().meta({ description: "The code that the device shows." }) }),
	response: { status: 200, description: "The page.", schema: z.string(), contentType: "text/html", carriesSecret: true },
	errorBody: OAUTH_ERRORS,
	errors: ["FORBIDDEN", "RATE_LIMITED", "DATABASE_FULL"],
	page: "guides/connect-a-program",
	examples: { query: { user_code: "WDJB-MJHT" } },

	async handle(ctx, { query, request }) {
		const frame = await frameOf(ctx);
		const { renderCodeForm, renderConsent, renderSignIn } = await loadViews();
		const show = (page: string) => new Response(page, { headers: { ...HTML, ...FORM_PAGE } });
		const actor = await findSession(ctx, request);
		if (actor === null) {
			const url = new URL(request.url);
			const ways = await listWaysToSignIn(ctx, url.pathname + url.search);
			return show(await renderSignIn(frame, { clientName: "A program on a device", ...ways }));
		}
		const typed = query.user_code ?? "";
		const pending = typed === "" ? null : await findRequest(ctx, typed);
		if (pending === null) {
			return show(await renderCodeForm(frame, { action: DEVICE_PATH, typed, fault: typed === "" ? null : WRONG_CODE }));
		}
		const code = formatUserCode(pending.code);
		const device = { code, isOwn: pending.client.clientId === CLI_CLIENT_ID, host: hostOf(pending.client) };
		return show(
			await renderConsent(frame, {
				...{ action: DEVICE_PATH, client: { name: nameOf(pending.client), redirect: null, device }, scope: pending.scope },
				...{ agentName: actor.displayName, csrfToken: actor.session.csrfToken, fields: [["user_code", code]] },
			}),
		);
	},
});
