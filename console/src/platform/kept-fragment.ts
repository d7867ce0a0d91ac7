// While a visitor signs in, keeps the URL fragment of the page that they opened. An invitation's fragment is its code. In a query, the code
// would reach the server with the next reload. In a link's fragment, it would follow redirects to a sign-in service.

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

/** Returns and forgets the fragment that this page had. Returns an empty string if there is none. */
export function takeFragment(pathname: string): string {
	const kept = sessionStorage.getItem(ITEM) ?? "";
	sessionStorage.removeItem(ITEM);
	return kept.startsWith(`${pathname}#`) ? kept.slice(pathname.length + 1) : "";
}

/** Returns true if the visitor opened an invitation link and is signing in to use it. */
export function isInvited(): boolean {
	return (sessionStorage.getItem(ITEM) ?? "").includes("#svc_invite_");
}
