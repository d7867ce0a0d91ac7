// Keeps the fragment of the page that a visitor opened, while the visitor signs in. The fragment of an invitation is its code: in a
// query it would reach the server with the next reload, and as the fragment of a link it would follow the redirects to a sign-in service.

const ITEM = "console.fragment";

interface OpenedPage {
	readonly pathname: string;
	/** The fragment without `#`. */
	readonly hash: string;
}

export function keepFragment({ pathname, hash }: OpenedPage): void {
	if (hash === "") sessionStorage.removeItem(ITEM);
	else sessionStorage.setItem(ITEM, `${pathname}#${hash}`);
}

/** Returns the fragment that this page had, and forgets it. Returns an empty text if there is none. */
export function takeFragment(pathname: string): string {
	const kept = sessionStorage.getItem(ITEM) ?? "";
	sessionStorage.removeItem(ITEM);
	return kept.startsWith(`${pathname}#`) ? kept.slice(pathname.length + 1) : "";
}

/** Returns true if the visitor has opened the link of an invitation, and signs in to use it. */
export function isInvited(): boolean {
	return (sessionStorage.getItem(ITEM) ?? "").includes("#svc_invite_");
}
