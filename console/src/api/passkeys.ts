// Asks the browser to create passkeys and to sign with them. The library for this is loaded when it is needed.
import { api, type Schemas } from "./client.ts";

const loadLibrary = () => import("@simplewebauthn/browser");

/**
 * Browsers create passkeys only for host names. If this page's URL has an IP address, returns the URL with a host name instead, otherwise
 * null.
 */
export function urlWithHostName(): string | null {
	if (!/^[\d.]+$|^\[/.test(location.hostname)) return null;
	const url = new URL(location.href);
	url.hostname = "localhost";
	return url.href;
}

/** Returns true if the browser supports passkeys. */
export function hasPasskeys(): boolean {
	return typeof window.PublicKeyCredential === "function";
}

/**
 * Creates a passkey and adds it to the caller.
 *
 * @param token An API key of the caller. Without one, the browser's session is the caller.
 * @throws Error if the person or the platform refuses.
 */
export async function addPasskey(name: string | null, token?: string): Promise<Schemas["Passkey"]> {
	const options = token === undefined ? {} : { token };
	const [{ startRegistration }, optionsJSON] = await Promise.all([loadLibrary(), api.createPasskeyOptions(options)]);
	const { id, rawId, type, response } = await startRegistration({ optionsJSON });
	const { clientDataJSON, attestationObject, transports = [] } = response;
	const made = { id, rawId, type, response: { clientDataJSON, attestationObject, transports }, clientExtensionResults: {} };
	return api.addPasskey({ ...made, name }, options);
}

/** Signs this browser in with a passkey. @throws Error if the person or the platform refuses. */
export async function openPasskeySession(): Promise<void> {
	const [{ startAuthentication }, optionsJSON] = await Promise.all([loadLibrary(), api.createPasskeySignInOptions()]);
	const { id, rawId, type, response } = await startAuthentication({ optionsJSON });
	const { clientDataJSON, authenticatorData, signature, userHandle = null } = response;
	const signed = { clientDataJSON, authenticatorData, signature, userHandle };
	await api.openPasskeySession({ id, rawId, type, response: signed, clientExtensionResults: {} });
}

/** Returns true if the person closed the browser's prompt, or had no passkey to use. */
export function isCancelled(error: Error): boolean {
	return error.name === "NotAllowedError" || error.name === "AbortError";
}
