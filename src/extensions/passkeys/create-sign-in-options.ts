import { EXAMPLE_ORIGIN } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { CHALLENGE_TTL_MS, issueChallenge } from "./challenge.ts";
import { loadWebAuthn, relyingPartyOf, requestOptions } from "./webauthn.ts";

export const createPasskeySignInOptions = endpoint({
	method: "post",
	path: "/api/auth/passkey-sessions/options",
	operationId: "createPasskeySignInOptions",
	owner: "passkeys",
	summary: "Start signing in with a passkey",
	description:
		"Returns the WebAuthn options for `navigator.credentials.get`. The authenticator finds the passkey, so people do not have to say who they are. The challenge works once, within 5 minutes. On `127.0.0.1`, returns CONFLICT with the URL on `localhost`.",
	tags: ["Internal"],
	auth: "none",
	rate: "general",
	response: { status: 200, description: "The options.", schema: requestOptions, carriesSecret: true },
	errors: ["CONFLICT"],
	page: "concepts/identity",
	examples: {
		responses: {
			options: {
				value: {
					challenge: "NGYyYTljMGQxYjdlNmE1Mzg0YzNkMmUxZjBhOWI4YzcuMTc5NjEyNTI5MDAwMC4wZjFl",
					rpId: new URL(EXAMPLE_ORIGIN).hostname,
					timeout: CHALLENGE_TTL_MS,
					userVerification: "required",
				},
			},
		},
	},

	async handle(ctx) {
		const rp = relyingPartyOf(ctx);
		const { generateAuthenticationOptions } = await loadWebAuthn();
		const options = await generateAuthenticationOptions({
			rpID: rp.id,
			challenge: await issueChallenge(ctx, { use: "sign-in" }),
			timeout: CHALLENGE_TTL_MS,
			userVerification: "required",
		});
		return requestOptions.parse(options);
	},
});
