// A sign-in redirects the browser to the service and back. The endpoints for both redirects share the code in this file.
import * as z from "zod";
import type { Config } from "../../../config/env.ts";
import { AppError } from "../../../domain/errors.ts";
import { text } from "../../../http/fields.ts";
import { decrypt, encrypt } from "../../../platform/encryption.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import { githubProvider, oidcProvider, type Provider } from "./provider.ts";

const provider = text({ min: 1, max: 20 }).describe("`github` or `oidc`, as GET /api/auth/providers lists them.");
export const providerParams = z.object({ provider });

export const REDIRECT_HEADERS = { Location: "Where the browser goes next.", "Set-Cookie": "The state of the sign-in, in a cookie." };

/** The browser stores this cookie during a sign-in. Its value is encrypted, so no one can read or forge it. */
export const ATTEMPT_COOKIE = "__Host-sign-in";
const ATTEMPT_PURPOSE = "sign-in-attempt";

const attemptFacts = z.object({
	provider: z.string(),
	state: z.string(),
	nonce: z.string(),
	codeVerifier: z.string(),
	redirectUri: z.string(),
	returnUrl: z.string(),
	expiresAt: z.number(),
});

export function encryptAttempt({ config }: PublicCtx, attempt: z.output<typeof attemptFacts>): Promise<string> {
	return encrypt(config.keys, ATTEMPT_PURPOSE, JSON.stringify(attempt));
}

/** Decrypts the sign-in attempt in a cookie. Returns null if the cookie is missing or this deployment did not encrypt it. */
export async function readAttempt({ config }: PublicCtx, cookie: string | null) {
	if (cookie === null) return null;
	try {
		return attemptFacts.parse(JSON.parse(await decrypt(config.keys, ATTEMPT_PURPOSE, cookie)));
	} catch {
		return null;
	}
}

/** Returns the sign-in services that are configured on this deployment. */
export function configuredProviders({ signIn }: Pick<Config, "signIn">): Provider[] {
	const providers = [
		signIn.github === null ? null : githubProvider(signIn.github),
		signIn.oidc === null ? null : oidcProvider(signIn.oidc),
	];
	return providers.filter((provider) => provider !== null);
}

/** @throws AppError `NOT_FOUND` if this provider is not configured. */
export function getProvider(ctx: PublicCtx, id: string): Provider {
	const providers = configuredProviders(ctx.config);
	const provider = providers.find((one) => one.id === id);
	if (provider !== undefined) return provider;
	const names = providers.map((one) => one.id).join(", ");
	const hint = names === "" ? "Sign-in is not configured on this deployment." : `Available: ${names}.`;
	throw new AppError("NOT_FOUND", { message: `This deployment does not offer this way to sign in. ${hint}` });
}

export function redirect(location: string, cookies: readonly string[]): Response {
	const headers = new Headers({ Location: location });
	for (const cookie of cookies) headers.append("Set-Cookie", cookie);
	return new Response(null, { status: 302, headers });
}
