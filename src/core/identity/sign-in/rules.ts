import type { Tier } from "../../../domain/actor.ts";
import { isBlank } from "../../../domain/one-line.ts";
import { DAY_MS, MINUTE_MS } from "../../../platform/clock.ts";
import { mayTier } from "../agents/rules.ts";

/** A session ends after this time, even if it is used. */
export const SESSION_TTL_MS = 30 * DAY_MS;
/** The maximum number of sessions per credential. Enough for every browser that a person uses. */
export const MAX_SESSIONS_OF_CREDENTIAL = 20;
/** How long a person may take to come back from the sign-in service. */
export const ATTEMPT_TTL_MS = 10 * MINUTE_MS;

/**
 * Returns true if the agent is anonymous and unclaimed, so that anyone with its key can claim it. Adding a passkey creates a human with the
 * agent's own id. Such an agent still counts as unclaimed.
 */
export function isClaimable({ agentId, tier, userId }: { readonly agentId: string; readonly tier: Tier; readonly userId: string | null }) {
	return mayTier(tier, "beClaimed") && (userId === null || userId === agentId);
}

const DEFAULT_RETURN_PATH = "/api/auth/session";

/**
 * Returns where a browser goes after signing in, as an absolute URL of this origin. Returns the default if a browser could resolve
 * `returnTo` to another origin.
 *
 * @param origin The API's origin, without a trailing slash.
 */
export function resolveReturnUrl(returnTo: string | undefined, origin: string): string {
	const fallback = `${origin}${DEFAULT_RETURN_PATH}`;
	if (returnTo === undefined || !/^\/(?![/\\])[\x21-\x7e]*$/.test(returnTo) || returnTo.includes("\\")) return fallback;
	const url = URL.canParse(returnTo, origin) ? new URL(returnTo, origin) : null;
	return url?.origin === origin ? url.href : fallback;
}

/** Returns the first name from the sign-in service that is visible when cut to 60 characters. Returns `human` if there is none. */
export function chooseDisplayName(candidates: readonly unknown[]): string {
	const names = candidates.filter((name) => typeof name === "string").map((name) => name.replace(/[\p{C}\s]+/gu, " ").trim());
	const shortNames = names.map((name) => [...name].slice(0, 60).join(""));
	return shortNames.find((name) => name !== "" && !isBlank(name)) ?? "human";
}
