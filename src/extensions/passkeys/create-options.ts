import { EXAMPLE_ORIGIN } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { CHALLENGE_TTL_MS, issueChallenge } from "./challenge.ts";
import { getPerson } from "./person.ts";
import { selectPasskeys } from "./store.ts";
import { creationOptions, loadWebAuthn, relyingPartyOf, userHandleOf } from "./webauthn.ts";

/** The COSE numbers of ES256, EdDSA and RS256. Every authenticator supports one of them. */
export const ALGORITHMS = [-7, -8, -257];

export const createPasskeyOptions = endpoint({
	method: "post",
	path: "/api/auth/passkeys/options",
	operationId: "createPasskeyOptions",
	owner: "passkeys",
	isForHolders: true,
	summary: "Start adding a passkey",
	description:
		"Returns the WebAuthn options for `navigator.credentials.create`. The challenge works only for the caller, once, within 5 minutes. An agent that belongs to another person or to an operator cannot have passkeys. On `127.0.0.1`, returns CONFLICT with the URL on `localhost`.",
	tags: ["Internal"],
	auth: "key",
	rate: "general",
	response: { status: 200, description: "The options.", schema: creationOptions, carriesSecret: true },
	errors: ["FORBIDDEN", "CONFLICT"],
	page: "concepts/identity",
	examples: {
		responses: {
			options: {
				value: {
					rp: { id: new URL(EXAMPLE_ORIGIN).hostname, name: "Bounty Platform" },
					user: { id: "AZq1f2VxfRKNPxxOsjyJoA", name: "Ada", displayName: "Ada" },
					challenge: "NGYyYTljMGQxYjdlNmE1Mzg0YzNkMmUxZjBhOWI4YzcuMTc5NjEyNTI5MDAwMC4wZjFl",
					pubKeyCredParams: [{ alg: -7, type: "public-key" }],
					timeout: CHALLENGE_TTL_MS,
					excludeCredentials: [],
					authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
					attestation: "none",
					extensions: { credProps: true },
					hints: [],
				},
			},
		},
	},

	async handle(ctx) {
		const rp = relyingPartyOf(ctx);
		const { userId } = await getPerson(ctx);
		const { generateRegistrationOptions } = await loadWebAuthn();
		const options = await generateRegistrationOptions({
			rpID: rp.id,
			rpName: rp.name,
			userID: userHandleOf(userId),
			userName: ctx.actor.displayName,
			userDisplayName: ctx.actor.displayName,
			challenge: await issueChallenge(ctx, { use: "add", userId }),
			timeout: CHALLENGE_TTL_MS,
			excludeCredentials: (await selectPasskeys(ctx, userId)).map(({ credentialId }) => ({ id: credentialId })),
			authenticatorSelection: { residentKey: "required", userVerification: "required" },
			supportedAlgorithmIDs: ALGORITHMS,
		});
		return creationOptions.parse(options);
	},
});
