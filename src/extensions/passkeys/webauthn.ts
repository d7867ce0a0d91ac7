// The formats of WebAuthn, and the platform's identity in them. The library checks what authenticators send.
import * as z from "zod";
import { AppError } from "../../domain/errors.ts";
import type { PublicCtx } from "../../ports/deps.ts";

let library: typeof import("@simplewebauthn/server") | undefined;

/** Loads the library on first use, because it creates many objects, which would slow down the start of every isolate. */
export async function loadWebAuthn(): Promise<typeof import("@simplewebauthn/server")> {
	library ??= await import("@simplewebauthn/server");
	return library;
}

const RP_NAME = "Bounty Platform";

/** The platform as browsers see it. They tie a passkey to the host name `id`, and report the origin of the page that uses it. */
export interface RelyingParty {
	readonly id: string;
	readonly name: string;
	readonly origin: string;
}

/**
 * Returns the platform's identity for authenticators, derived from `PUBLIC_URL`.
 *
 * @throws AppError `CONFLICT` if the platform is open at an IP address, because browsers do not create passkeys for one.
 */
export function relyingPartyOf({ baseUrl }: PublicCtx): RelyingParty {
	const url = new URL(baseUrl);
	if (!isAddress(url.hostname)) return { id: url.hostname, name: RP_NAME, origin: url.origin };
	url.hostname = "localhost";
	throw new AppError("CONFLICT", {
		message: `Browsers create passkeys only for host names, not for an IP address. Open ${url.origin} instead of ${baseUrl}.`,
	});
}

function isAddress(hostname: string): boolean {
	return /^[\d.]+$/.test(hostname) || hostname.startsWith("[");
}

/** The bytes by which authenticators identify a person. They reveal nothing about the person. */
export function userHandleOf(userId: string): Uint8Array<ArrayBuffer> {
	return Uint8Array.fromHex(userId.replaceAll("-", ""));
}

export function toBase64Url(bytes: Uint8Array): string {
	return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

const MAX_ID_CHARACTERS = 1400;
const MAX_CHARACTERS = 20_000;

const base64url = (max: number) =>
	z
		.string()
		.max(max)
		.regex(/^[\w-]+$/, "must be base64url without padding");

const credentialId = base64url(MAX_ID_CHARACTERS);
const bytes = base64url(MAX_CHARACTERS);

export const TRANSPORTS = ["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"] as const;

/** A name of a transport or attachment. Also accepts names of later standards. */
const word = z
	.string()
	.max(40)
	.regex(/^[a-z-]*$/);

const transports = z.array(word).max(20);

const credential = {
	id: credentialId.describe("The credential's id, in base64url."),
	rawId: credentialId.describe("The credential's id, as in `id`."),
	type: z.literal("public-key").describe("Always `public-key`."),
	clientExtensionResults: z.record(z.string().max(100), z.unknown()).optional().describe("The browser's data about extensions. Ignored."),
	authenticatorAttachment: word.nullish().describe("How the authenticator is attached. Ignored."),
};

/** `RegistrationResponseJSON` of WebAuthn Level 3. */
export const registrationResponse = z.object({
	...credential,
	response: z
		.object({
			clientDataJSON: bytes.describe("What the browser recorded about the request, in base64url."),
			attestationObject: bytes.describe("The authenticator's data about the new passkey, in base64url."),
			transports: transports.optional().describe("The ways to reach the authenticator."),
			authenticatorData: bytes.optional().describe("A part of `attestationObject`. Ignored."),
			publicKey: bytes.nullish().describe("A part of `attestationObject`. Ignored."),
			publicKeyAlgorithm: z.number().optional().describe("A part of `attestationObject`. Ignored."),
		})
		.describe("What the authenticator returned."),
});

/** `AuthenticationResponseJSON` of WebAuthn Level 3. */
export const authenticationResponse = z.object({
	...credential,
	response: z
		.object({
			clientDataJSON: bytes.describe("What the browser recorded about the request, in base64url."),
			authenticatorData: bytes.describe("The authenticator's data, in base64url."),
			signature: bytes.describe("The authenticator's signature over `authenticatorData` and the hash of `clientDataJSON`, in base64url."),
			userHandle: base64url(100).nullish().describe("The person's id, as the authenticator stored it, in base64url."),
		})
		.describe("What the authenticator returned."),
});

const descriptor = z.object({
	id: z.string().describe("The credential's id, in base64url."),
	type: z.literal("public-key").describe("Always `public-key`."),
	transports: z.array(z.enum(TRANSPORTS)).optional().describe("The ways to reach the authenticator."),
});

const timeout = z.number().int().describe("How long the browser waits for the person, in milliseconds.");
const challenge = z.string().describe("The challenge for the authenticator to sign, in base64url. It works once, within 5 minutes.");

/** `PublicKeyCredentialCreationOptionsJSON` of WebAuthn Level 3. */
export const creationOptions = z
	.object({
		rp: z
			.object({ id: z.string().describe("The platform's host name."), name: z.string().describe("The platform's name.") })
			.describe("Who asks."),
		user: z
			.object({
				id: z.string().describe("The person, in base64url."),
				name: z.string().describe("The agent's display name."),
				displayName: z.string().describe("The agent's display name, as in `name`."),
			})
			.describe("The person that the passkey is for."),
		challenge,
		pubKeyCredParams: z
			.array(z.object({ alg: z.number().int().describe("COSE's number."), type: z.literal("public-key").describe("Always `public-key`.") }))
			.describe("The algorithms that the platform accepts, in order of preference."),
		timeout,
		excludeCredentials: z
			.array(descriptor)
			.describe("The person's passkeys. An authenticator that has one of these does not create another."),
		authenticatorSelection: z
			.object({
				residentKey: z.literal("required").describe("The authenticator must be able to find the passkey without its id."),
				requireResidentKey: z.literal(true).describe("The same requirement as `residentKey`, for older browsers."),
				userVerification: z.literal("required").describe("The authenticator must verify the user."),
			})
			.describe("Requirements for the authenticator."),
		attestation: z.literal("none").describe("The platform does not ask who made the authenticator."),
		extensions: z.object({ credProps: z.literal(true).describe("Always true.") }).describe("Extensions of WebAuthn."),
		hints: z.array(z.enum(["client-device", "hybrid", "security-key"])).describe("Empty: every kind of authenticator is accepted."),
	})
	.meta({
		id: "PasskeyCreationOptions",
		description: "`PublicKeyCredentialCreationOptionsJSON` of WebAuthn, for `navigator.credentials.create`.",
	});

/** `PublicKeyCredentialRequestOptionsJSON` of WebAuthn Level 3. */
export const requestOptions = z
	.object({
		challenge,
		rpId: z.string().describe("The platform's host name."),
		timeout,
		userVerification: z.literal("required").describe("The authenticator must verify the user."),
	})
	.meta({
		id: "PasskeyRequestOptions",
		description: "`PublicKeyCredentialRequestOptionsJSON` of WebAuthn, for `navigator.credentials.get`.",
	});
