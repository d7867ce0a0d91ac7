// This browser proves its identity with the session cookie. No script can read it, and all tabs share it.

import { SESSION_ITEM } from "../../../src/domain/session-mark.ts";

interface Session {
	readonly agentId: string;
	readonly csrfToken: string;
	/** The key that opened the session. Null for a human's session. */
	readonly keyId: string | null;
}

let current: Session | null = null;

export function getSessionFacts(): Session | null {
	return current;
}

export function mayHaveSession(): boolean {
	return localStorage.getItem(SESSION_ITEM) !== null;
}

/** Remembers the browser's session. Other tabs notice if it is new or belongs to another agent. */
export function rememberSession(session: Session, isNew: boolean): void {
	current = session;
	const known = localStorage.getItem(SESSION_ITEM);
	if (isNew || known?.startsWith(`${session.agentId} `) !== true) localStorage.setItem(SESSION_ITEM, `${session.agentId} ${Date.now()}`);
}

export function forgetSession(): void {
	current = null;
	localStorage.removeItem(SESSION_ITEM);
}

/** Calls back when another tab has signed in or out. */
export function onOtherTabsSession(onChange: () => void): void {
	window.addEventListener("storage", ({ key, oldValue, newValue }) => {
		if (key === SESSION_ITEM && oldValue !== newValue) onChange();
	});
}
