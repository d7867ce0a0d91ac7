// The pages of the issuer have these parts in common.

import { PAGE_HEADERS } from "../../core/docs/rules.ts";
import { configuredProviders } from "../../core/identity/sign-in/attempt.ts";
import type { PublicCtx } from "../../ports/deps.ts";

let views: typeof import("./views.tsx") | undefined;

/** Loads the views on first use, because Node, which runs the scripts that read the contracts, has no JSX. */
export async function loadViews(): Promise<typeof import("./views.tsx")> {
	views ??= await import("./views.tsx");
	return views;
}

/**
 * The headers of the page of consent. Browsers hold `form-action` against every redirect that follows a form, and only the program knows
 * where its callback redirects to. The page has no script and no form of strangers that the directive would keep in.
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
