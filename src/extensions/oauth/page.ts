// Parts shared by the issuer's pages.

import { PAGE_HEADERS } from "../../core/docs/rules.ts";
import { configuredProviders } from "../../core/identity/sign-in/attempt.ts";
import type { PublicCtx } from "../../ports/deps.ts";

let views: typeof import("./views.tsx") | undefined;

/** Loads the views on first use, because some scripts read the contracts in Node, which does not support JSX. */
export async function loadViews(): Promise<typeof import("./views.tsx")> {
	views ??= await import("./views.tsx");
	return views;
}

/**
 * The headers of the consent page. They omit `form-action`, because browsers apply it to every redirect after a form, and only the program
 * knows where its callback redirects to. The page has no third-party scripts or forms that the directive would restrict.
 */
export const CONSENT_HEADERS = {
	"Content-Security-Policy": PAGE_HEADERS["Content-Security-Policy"].replace(" form-action 'self';", ""),
} as const;

/** @param returnTo The path that the person returns to. */
export async function listWaysToSignIn(ctx: PublicCtx, returnTo: string) {
	const query = new URLSearchParams({ return_to: returnTo });
	return {
		providers: configuredProviders(ctx.config).map(({ id, name }) => ({ name, href: `/api/auth/sign-in/${id}?${query}` })),
		consoleHref: `/console/sign-in?${query}`,
	};
}
