// Issuing a challenge stores nothing, because the platform recognizes its own challenges by a signature.
// The use of a challenge is stored, so that it works only once.
import { MINUTE_MS } from "../../platform/clock.ts";
import { randomHex } from "../../platform/crypto.ts";
import { isSignatureOf, signText } from "../../platform/keyring.ts";
import type { PublicCtx } from "../../ports/deps.ts";

const PURPOSE = "passkey-challenge";
const NONCE_BYTES = 16;

/** The time that a person has to respond to the browser. */
export const CHALLENGE_TTL_MS = 5 * MINUTE_MS;

/** The purpose of a challenge: to add a passkey to one person, or to sign in. */
export type ChallengeUse = { readonly use: "add"; readonly userId: string } | { readonly use: "sign-in" };

/** The parts of a recognized challenge. Its nonce may be used once, and is stored until `expiresAt`. */
export interface IssuedChallenge {
	readonly nonce: string;
	/** In milliseconds since the epoch. */
	readonly expiresAt: number;
}

/** Creates a challenge for an authenticator to sign. */
export async function issueChallenge(ctx: PublicCtx, use: ChallengeUse): Promise<string> {
	const challenge = { nonce: randomHex(NONCE_BYTES), expiresAt: ctx.clock.now() + CHALLENGE_TTL_MS };
	return [challenge.nonce, challenge.expiresAt, await signText(ctx.config.keys, PURPOSE, signedText(ctx, use, challenge))].join(".");
}

/**
 * Recognizes a challenge that {@link issueChallenge} has created.
 *
 * @param text The challenge in base64url, as a browser returns it.
 * @returns Null for a challenge that has expired, or was issued for another use, to another person or by another deployment.
 */
export async function readChallenge(ctx: PublicCtx, use: ChallengeUse, text: string): Promise<IssuedChallenge | null> {
	const [nonce, digits, signature] = decode(text).split(".");
	if (nonce === undefined || digits === undefined || signature === undefined || !/^\d{1,15}$/.test(digits)) return null;
	const challenge = { nonce, expiresAt: Number(digits) };
	if (challenge.expiresAt <= ctx.clock.now()) return null;
	const isOwn = await isSignatureOf(ctx.config.keys, { purpose: PURPOSE, text: signedText(ctx, use, challenge) }, signature);
	return isOwn ? challenge : null;
}

/** Returns the text that is signed. It includes the deployment's URL, because deployments may share a root key. */
function signedText({ baseUrl }: PublicCtx, use: ChallengeUse, { nonce, expiresAt }: IssuedChallenge): string {
	return JSON.stringify([baseUrl, use.use, use.use === "add" ? use.userId : null, nonce, expiresAt]);
}

function decode(text: string): string {
	try {
		return new TextDecoder().decode(Uint8Array.fromBase64(text, { alphabet: "base64url" }));
	} catch {
		return "";
	}
}
