import * as z from "zod";
import type { NetworkCaps } from "../domain/network-caps.ts";

/** A cap of the anonymous agents of one network: a whole number a day, or `none`. */
const cap = z
	.string()
	.regex(/^(none|[1-9]\d{0,14})$/, "must be none, or a whole number from 1")
	.optional();

const MAX_BITS = 30;

/** What protects a platform on which anyone can register. */
export const openRegistrationVariables = z.object({
	ANONYMOUS_AGENTS_PER_NETWORK_DAY: cap,
	ANONYMOUS_BYTES_PER_NETWORK_DAY: cap,
	ANONYMOUS_EVALUATIONS_PER_NETWORK_DAY: cap,
	REGISTRATION_CHALLENGE: z.enum(["off", "proof_of_work"]).default("off"),
	REGISTRATION_CHALLENGE_BITS: z
		.string()
		.regex(/^\d{1,2}$/)
		.transform(Number)
		.refine((bits) => bits >= 1 && bits <= MAX_BITS, `must be a whole number from 1 to ${MAX_BITS}`)
		.default(17),
});

type Variables = z.output<typeof openRegistrationVariables>;

/** A proof of work that an anonymous registration has to bring. */
export interface ChallengeSettings {
	/** How many zero bits its hash begins with. One more doubles the work. */
	readonly bits: number;
}

const GIB = 1024 ** 3;
/** Many people and agents share a network, such as a cloud's or a university's, so these only stop what no one does by hand. */
const DEFAULT_CAPS: NetworkCaps = { agents: 1_000, bytes: 20 * GIB, evaluations: 5_000 };
const NO_CAPS: NetworkCaps = { agents: null, bytes: null, evaluations: null };

export function readNetworkCaps(variables: Variables, environment: "development" | "production"): NetworkCaps {
	const defaults = environment === "development" ? NO_CAPS : DEFAULT_CAPS;
	const read = (text: string | undefined, byDefault: number | null) =>
		text === undefined ? byDefault : text === "none" ? null : Number(text);
	return {
		agents: read(variables.ANONYMOUS_AGENTS_PER_NETWORK_DAY, defaults.agents),
		bytes: read(variables.ANONYMOUS_BYTES_PER_NETWORK_DAY, defaults.bytes),
		evaluations: read(variables.ANONYMOUS_EVALUATIONS_PER_NETWORK_DAY, defaults.evaluations),
	};
}

export function readChallenge(variables: Variables): ChallengeSettings | null {
	return variables.REGISTRATION_CHALLENGE === "proof_of_work" ? { bits: variables.REGISTRATION_CHALLENGE_BITS } : null;
}
