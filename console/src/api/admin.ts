// The API client for operators of the deployment. The admin token stays in this tab, separate from the identity that may also be signed in.
import { useSyncExternalStore } from "react";
import { MAX_RETRIES, withHeaders } from "./client.ts";
import { Core, Methods } from "./sdk.ts";

const ITEM = "console.admin-token";

export interface AdminAccess {
	/** The tab's token. Null before a token is entered, and after it was rejected. */
	readonly token: string | null;
	/** True after the platform rejected a token that this tab had already used. */
	readonly isRejected: boolean;
}

let access: AdminAccess = { token: sessionStorage.getItem(ITEM), isRejected: false };
const listeners = new Set<() => void>();

function change(next: AdminAccess): void {
	access = next;
	if (next.token === null) sessionStorage.removeItem(ITEM);
	else sessionStorage.setItem(ITEM, next.token);
	for (const listener of listeners) listener();
}

/** Uses a token until the tab is closed. */
export function setAdminToken(token: string): void {
	change({ token, isRejected: false });
}

export function forgetAdminToken(): void {
	change({ token: null, isRejected: false });
}

export function useAdminAccess(): AdminAccess {
	return useSyncExternalStore(
		(onChange) => {
			listeners.add(onChange);
			return () => listeners.delete(onChange);
		},
		() => access,
	);
}

const core = new Core({
	baseUrl: location.origin,
	maxRetries: MAX_RETRIES,
	fetch: async (url, init) => {
		// A token that is being tried takes precedence over the tab's token.
		const response = await fetch(url, withHeaders(init, access.token === null ? {} : { Authorization: `Bearer ${access.token}` }));
		if (response.status === 401 && access.token !== null) change({ token: null, isRejected: true });
		return response;
	},
});

export const adminApi = new Methods(core);
