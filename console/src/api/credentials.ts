// This tab proves its identity with an API key, kept until the tab is closed, or with the session cookie, which no script can read.

export type Credentials =
	| { readonly kind: "none" }
	| { readonly kind: "key"; readonly key: string }
	| { readonly kind: "session"; readonly csrfToken: string };

const KEY_ITEM = "console.key";
/** Says that a human signed in with this browser, so that visitors without a session cause no rejected request. */
const SESSION_ITEM = "console.session";

let current: Credentials = storedKey();

function storedKey(): Credentials {
	const key = sessionStorage.getItem(KEY_ITEM);
	return key === null ? { kind: "none" } : { kind: "key", key };
}

export function getCredentials(): Credentials {
	return current;
}

export function mayHaveSession(): boolean {
	return localStorage.getItem(SESSION_ITEM) !== null;
}

export function setKey(key: string): void {
	current = { kind: "key", key };
	sessionStorage.setItem(KEY_ITEM, key);
}

export function setSession(csrfToken: string): void {
	current = { kind: "session", csrfToken };
	localStorage.setItem(SESSION_ITEM, "yes");
	sessionStorage.removeItem(KEY_ITEM);
}

export function forgetCredentials(): void {
	current = { kind: "none" };
	sessionStorage.removeItem(KEY_ITEM);
	localStorage.removeItem(SESSION_ITEM);
}
