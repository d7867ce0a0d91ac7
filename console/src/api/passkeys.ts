// Asks the browser to make passkeys and to sign with them. The library that does it is loaded when it is needed.
import { api, type Schemas } from "./client.ts";

const loadLibrary = () => import("@simplewebauthn/browser");

/** Browsers make passkeys for names of hosts only. Returns the URL of this page with such a name, or null if it has one. */
export function urlWithHostName(): string | null {
	if (!/^[\d.]+$|^\[/.test(location.hostname)) return null;
	const url = new URL(location.href);
	url.hostname = "localhost";
	return url.href;
}

/** Returns false in a browser without passkeys. */
export function hasPasskeys(): boolean {
	return typeof window.PublicKeyCredential === "function";
}

/**
 * Makes a passkey and adds it to the caller.
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

/** Returns true if the person closed the browser's question, or had no passkey to answer it with. */
export function isCancelled(error: Error): boolean {
	return error.name === "NotAllowedError" || error.name === "AbortError";
}
