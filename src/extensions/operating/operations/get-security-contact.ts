import * as z from "zod";
import { AppError } from "../../../domain/errors.ts";
import { EXAMPLE_ORIGIN } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { DAY_MS, toIso } from "../../../platform/clock.ts";

const EXPIRES_MS = 180 * DAY_MS;

export const getSecurityContact = endpoint({
	method: "get",
	path: "/.well-known/security.txt",
	operationId: "getSecurityContact",
	owner: "operating",
	summary: "Find out where to report a vulnerability",
	description: "A security.txt file (RFC 9116). Returns 404 if the deployment has no contact.",
	tags: ["Documentation"],
	auth: "none",
	rate: "general",
	response: { status: 200, description: "The contact.", schema: z.string(), contentType: "text/plain" },
	errors: ["NOT_FOUND"],
	page: "operating/administration",
	examples: {
		texts: {
			"text/plain": `Contact: mailto:security@bounties.example\nExpires: 2027-06-01T00:00:00.000Z\nPreferred-Languages: en\nCanonical: ${EXAMPLE_ORIGIN}/.well-known/security.txt\n`,
		},
	},

	async handle(ctx) {
		const { securityContact } = ctx.config;
		if (securityContact === null) throw new AppError("NOT_FOUND", { message: "This deployment has no security contact." });
		const lines = [
			`Contact: ${securityContact}`,
			`Expires: ${toIso(ctx.clock.now() + EXPIRES_MS)}`,
			"Preferred-Languages: en",
			`Canonical: ${ctx.baseUrl}/.well-known/security.txt`,
		];
		return new Response(`${lines.join("\n")}\n`, { headers: { "Content-Type": "text/plain; charset=utf-8" } });
	},
});
