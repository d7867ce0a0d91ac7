import type * as z from "zod";
import { forgetKnownAgent } from "../../core/identity/api-keys/service.ts";
import { commit, decideAndCommit } from "../../db/commit.ts";
import { keyBehind } from "../../domain/actor.ts";
import { AppError } from "../../domain/errors.ts";
import { endpoint, Reply } from "../../http/endpoint.ts";
import { oneLineText } from "../../http/fields.ts";
import { describeError } from "../../platform/log.ts";
import type { Ctx } from "../../ports/deps.ts";
import { type IssuedChallenge, readChallenge } from "./challenge.ts";
import { ALGORITHMS } from "./create-options.ts";
import { examplePasskey, MAX_PASSKEYS, passkeyView, viewPasskey } from "./passkey.ts";
import { getPerson } from "./person.ts";
import { becomeHuman, guardCaller, insertPasskey, useUp } from "./statements.ts";
import { isChallengeUsed, isCredentialKnown, selectPasskeys } from "./store.ts";
import { loadWebAuthn, registrationResponse, relyingPartyOf, TRANSPORTS, toBase64Url } from "./webauthn.ts";

const newPasskey = registrationResponse
	.extend({ name: oneLineText({ min: 1, max: 100 }).nullish().describe("A name to recognize the passkey by.") })
	.meta({ id: "PasskeyRegistration", description: "`RegistrationResponseJSON` of WebAuthn, with a name." });

export const addPasskey = endpoint({
	method: "post",
	path: "/api/auth/passkeys",
	operationId: "addPasskey",
	owner: "passkeys",
	isForHolders: true,
	summary: "Add a passkey to the calling identity",
	description: [
		"Call `navigator.credentials.create` with the options from POST /api/auth/passkeys/options, and send its result here. The authenticator must verify the user, for example by a PIN or fingerprint.",
		`With its first passkey, an anonymous agent becomes the passkey holder's own agent. It keeps the tier \`anonymous\`. A person can have at most ${MAX_PASSKEYS} passkeys.`,
		"If a passkey was added with a key (by a request or in a session of the key), it stops working when the key is revoked. There are two ways to make the passkey independent of the key. You can sign in with the passkey in a browser where you are already signed in with a provider or an independent passkey. Or you can revoke the key in a session that the passkey opened.",
	].join("\n\n"),
	tags: ["Internal"],
	auth: "key",
	rate: "general",
	body: { schema: newPasskey, required: true },
	response: { status: 201, description: "The passkey.", schema: passkeyView },
	errors: ["BAD_REQUEST", "FORBIDDEN", "CONFLICT"],
	page: "concepts/identity",
	examples: {
		bodies: {
			created: {
				value: {
					id: "k3Q0x1bq",
					rawId: "k3Q0x1bq",
					type: "public-key",
					response: {
						clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0",
						attestationObject: "o2NmbXRkbm9uZQ",
						transports: ["internal"],
					},
					clientExtensionResults: {},
					name: "Laptop",
				},
			},
		},
		responses: { added: { value: examplePasskey } },
	},

	async handle(ctx, { body }) {
		const row = await decideAndCommit(ctx.db, () => add(ctx, body));
		forgetKnownAgent(ctx.actor.agentId);
		return new Reply(viewPasskey({ ...row, lastUsedAt: null }), {}, 201);
	},
});

type PasskeyRegistration = z.output<typeof newPasskey>;

async function add(ctx: Ctx, body: PasskeyRegistration) {
	const person = await getPerson(ctx);
	const { credential, challenge } = await verify(ctx, person.userId, body);
	if (await isChallengeUsed(ctx, challenge.nonce)) throw challengeUsed();
	if (await isCredentialKnown(ctx, credential.id)) throw new AppError("CONFLICT", { message: "This passkey has already been added." });
	if ((await selectPasskeys(ctx, person.userId)).length >= MAX_PASSKEYS) {
		throw new AppError("CONFLICT", { message: `You have ${MAX_PASSKEYS} passkeys, the maximum. Remove one that you do not use.` });
	}
	const now = ctx.clock.now();
	const keyId = keyBehind(ctx.actor);
	const row = {
		id: ctx.ids.next(),
		userId: person.userId,
		credentialId: credential.id,
		publicKey: toBase64Url(credential.publicKey),
		counter: credential.counter,
		transports: JSON.stringify(TRANSPORTS.filter((transport) => body.response.transports?.includes(transport))),
		name: body.name ?? null,
		dependsOnKey: keyId,
		createdAt: now,
	};
	await commit(ctx.db, [
		...guardCaller(ctx, { sessionHash: ctx.actor.session?.hash ?? null, keyId }),
		...useUp(ctx, challenge),
		...(person.isNew ? becomeHuman(ctx, { agentId: person.agentId, now }) : []),
		...insertPasskey(ctx, row, { agentId: person.agentId, max: MAX_PASSKEYS }),
	]);
	return row;
}

/** @throws AppError `CONFLICT` at an IP address, `BAD_REQUEST` if the authenticator's response does not fit the caller's challenge. */
async function verify(ctx: Ctx, userId: string, body: PasskeyRegistration) {
	const rp = relyingPartyOf(ctx);
	const { verifyRegistrationResponse } = await loadWebAuthn();
	const recognized: IssuedChallenge[] = [];
	const { id, rawId, type, response } = body;
	const { verified, registrationInfo } = await verifyRegistrationResponse({
		response: {
			id,
			rawId,
			type,
			response: { clientDataJSON: response.clientDataJSON, attestationObject: response.attestationObject },
			clientExtensionResults: {},
		},
		expectedChallenge: async (text) => {
			const challenge = await readChallenge(ctx, { use: "add", userId }, text);
			if (challenge !== null) recognized.push(challenge);
			return challenge !== null;
		},
		expectedOrigin: rp.origin,
		expectedRPID: rp.id,
		requireUserVerification: true,
		supportedAlgorithmIDs: ALGORITHMS,
	}).catch((error: unknown) => {
		ctx.log.info("passkey_refused", describeError(error));
		throw refused(error);
	});
	const [challenge] = recognized;
	if (!verified || challenge === undefined) throw refused(null);
	return { credential: registrationInfo.credential, challenge };
}

function refused(cause: unknown): AppError {
	const message =
		"This response does not match your newest options, or the options are older than 5 minutes. Request new options and try again.";
	return new AppError("BAD_REQUEST", { message, cause });
}

export function challengeUsed(): AppError {
	return new AppError("CONFLICT", { message: "This challenge was already used. Request new options." });
}
