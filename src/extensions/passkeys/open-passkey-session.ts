import type * as z from "zod";
import { MAX_SESSIONS_OF_CREDENTIAL, SESSION_TTL_MS } from "../../core/identity/sign-in/rules.ts";
import { describeSession, findActorBySession, newSession } from "../../core/identity/sign-in/service.ts";
import { exampleSession, sessionView, viewSession } from "../../core/identity/sign-in/session.ts";
import { endOldSessions, endSession, insertSession } from "../../core/identity/sign-in/statements.ts";
import { commit, decideAndCommit } from "../../db/commit.ts";
import { isHumanSession, type SessionFacts } from "../../domain/actor.ts";
import { AppError } from "../../domain/errors.ts";
import { assertNotSuspended } from "../../http/authenticate.ts";
import { endpoint, Reply } from "../../http/endpoint.ts";
import { formatCookie, isOwnRequest, readCookie, SESSION_COOKIE } from "../../http/session-cookie.ts";
import { sha256Hex } from "../../platform/crypto.ts";
import { describeError } from "../../platform/log.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { challengeUsed } from "./add-passkey.ts";
import { type IssuedChallenge, readChallenge } from "./challenge.ts";
import { confirmPasskey, guardCaller, updateCounter, useUp } from "./statements.ts";
import { findPasskey, isChallengeUsed } from "./store.ts";
import { authenticationResponse, loadWebAuthn, relyingPartyOf, toBase64Url, userHandleOf } from "./webauthn.ts";

const passkeyUse = authenticationResponse.meta({ id: "PasskeyUse", description: "`AuthenticationResponseJSON` of WebAuthn." });

export const openPasskeySession = endpoint({
	method: "post",
	path: "/api/auth/passkey-sessions",
	operationId: "openPasskeySession",
	owner: "passkeys",
	summary: "Sign in with a passkey",
	description: [
		"Call `navigator.credentials.get` with the options from POST /api/auth/passkey-sessions/options, and send its result here. The response sets the session cookie. The session lasts 30 days and acts as the person's own agent. Opening it ends the browser's previous session.",
		"The authenticator must verify the user, for example by a PIN or fingerprint. A signature counter that has not increased is rejected, because the passkey may have been copied. Counters of authenticators that always send 0 are accepted.",
	].join("\n\n"),
	tags: ["Internal"],
	auth: "none",
	rate: "general",
	body: { schema: passkeyUse, required: true },
	response: {
		status: 200,
		description: "The session.",
		schema: sessionView,
		headers: { "Set-Cookie": "The session's cookie." },
		carriesSecret: true,
	},
	errors: ["unauthorized", "BAD_REQUEST", "FORBIDDEN", "CONFLICT"],
	page: "concepts/identity",
	examples: {
		bodies: {
			signed: {
				value: {
					id: "k3Q0x1bq",
					rawId: "k3Q0x1bq",
					type: "public-key",
					response: {
						clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
						authenticatorData: "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MdAAAAAQ",
						signature: "MEUCIQCqV0ybYOAhXUxP",
						userHandle: "AZq1f2VxfRKNPxxOsjyJoA",
					},
					clientExtensionResults: {},
				},
			},
		},
		responses: { opened: { value: exampleSession } },
	},

	// A page of another origin must not sign a browser in as someone else.
	async handle(ctx, { request, body }) {
		if (!isOwnRequest(request, ctx.baseUrl)) {
			throw new AppError("FORBIDDEN", { message: "Only a page of this platform can open a session." });
		}
		const token = readCookie(request, SESSION_COOKIE);
		const { session, facts, human } = await decideAndCommit(ctx.db, () => open(ctx, token, body));
		const cookie = { "Set-Cookie": formatCookie(SESSION_COOKIE, session, SESSION_TTL_MS) };
		return new Reply(viewSession({ ...human, keyId: null }, facts), cookie);
	},
});

type PasskeyUse = z.output<typeof passkeyUse>;
type Passkey = NonNullable<Awaited<ReturnType<typeof findPasskey>>>;

async function open(ctx: PublicCtx, earlierToken: string | null, body: PasskeyUse) {
	const { passkey, counter, challenge } = await verify(ctx, body);
	if (await isChallengeUsed(ctx, challenge.nonce)) throw challengeUsed();
	assertNotSuspended(passkey);
	const confirming = passkey.dependsOnKey === null ? null : await findConfirming(ctx, earlierToken, passkey);
	const dependsOnKey = confirming === null ? passkey.dependsOnKey : null;
	const { token, row } = await newSession(ctx);
	await commit(ctx.db, [
		...useUp(ctx, challenge),
		...updateCounter(ctx, { id: passkey.id, readCounter: passkey.counter, counter, now: ctx.clock.now() }),
		...(confirming === null
			? []
			: [...guardCaller(ctx, { sessionHash: confirming.hash, keyId: null }), ...confirmPasskey(ctx, passkey.id)]),
		...(earlierToken === null ? [] : endSession(ctx, await sha256Hex(earlierToken))),
		insertSession(ctx, { ...row, userId: passkey.userId, credentialId: passkey.id, dependsOnKey }),
		...endOldSessions(ctx, { column: "credential_id", id: passkey.id, kept: MAX_SESSIONS_OF_CREDENTIAL }),
	]);
	return { session: token, facts: await describeSession(ctx, { ...row, dependsOnKey }), human: passkey };
}

/** Finds the browser's session if it proves that the person is present, independently of the key that created the passkey. */
async function findConfirming(ctx: PublicCtx, token: string | null, { userId }: Passkey): Promise<SessionFacts | null> {
	const actor = token === null ? null : await findActorBySession(ctx, token);
	if (actor === null || actor.userId !== userId || !isHumanSession(actor)) return null;
	return actor.session.dependsOnKey === null ? actor.session : null;
}

/**
 * @throws AppError `CONFLICT` at an IP address, `BAD_REQUEST` for a challenge that has expired or is not this platform's, `unauthorized` if
 * the passkey is unknown or did not sign the challenge.
 */
async function verify(ctx: PublicCtx, { id, rawId, type, response }: PasskeyUse) {
	const rp = relyingPartyOf(ctx);
	const passkey = await findPasskey(ctx, id);
	if (passkey === null) throw unknownPasskey();
	const { userHandle } = response;
	if (userHandle != null && userHandle !== toBase64Url(userHandleOf(passkey.userId))) throw unknownPasskey();
	const { verifyAuthenticationResponse } = await loadWebAuthn();
	const recognized: IssuedChallenge[] = [];
	const { clientDataJSON, authenticatorData, signature } = response;
	const { verified, authenticationInfo } = await verifyAuthenticationResponse({
		response: { id, rawId, type, response: { clientDataJSON, authenticatorData, signature }, clientExtensionResults: {} },
		expectedChallenge: async (text) => {
			const challenge = await readChallenge(ctx, { use: "sign-in" }, text);
			if (challenge === null) throw challengeOver();
			recognized.push(challenge);
			return true;
		},
		expectedOrigin: rp.origin,
		expectedRPID: rp.id,
		credential: { id, publicKey: Uint8Array.fromBase64(passkey.publicKey, { alphabet: "base64url" }), counter: passkey.counter },
		requireUserVerification: true,
	}).catch((error: unknown) => {
		if (error instanceof AppError) throw error;
		ctx.log.info("passkey_refused", describeError(error));
		throw notSigned(error);
	});
	const [challenge] = recognized;
	if (!verified || challenge === undefined) throw notSigned(null);
	return { passkey, counter: authenticationInfo.newCounter, challenge };
}

/** No authentication scheme is registered for passkeys, and `Bearer` would ask for a header that this endpoint does not read. */
const PASSKEY = { "WWW-Authenticate": 'Passkey realm="bounty-platform"' };

function unknownPasskey(): AppError {
	const message = "This platform does not know this passkey, or it was removed. Sign in another way, then add it again.";
	return new AppError("unauthorized", { message, headers: PASSKEY });
}

function challengeOver(): AppError {
	return new AppError("BAD_REQUEST", { message: "This sign-in was started elsewhere, or more than 5 minutes ago. Request new options." });
}

function notSigned(cause: unknown): AppError {
	const message =
		"The passkey did not prove who you are: its signature, its origin or its counter is wrong, or it did not verify who is using it. Try again.";
	return new AppError("unauthorized", { message, cause, headers: PASSKEY });
}
