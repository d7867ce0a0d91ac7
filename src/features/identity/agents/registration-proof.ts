// A deployment may ask for a proof of work before it registers an anonymous agent, so that agents cannot be made in bulk.
import { AppError } from "../../../domain/errors.ts";
import { leadingZeroBits, proofText } from "../../../domain/proof-of-work.ts";
import { MINUTE_MS, toIso } from "../../../platform/clock.ts";
import { randomHex, sha256Hex } from "../../../platform/crypto.ts";
import { isSignatureOf, signText } from "../../../platform/keyring.ts";
import type { Statement } from "../../../ports/database.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import { useChallenge } from "./statements.ts";

const PURPOSE = "registration-challenge";
/** The slowest client has enough time, and solved challenges cannot be collected for long. */
const TTL_MS = 10 * MINUTE_MS;
const NONCE_BYTES = 16;

/**
 * Returns statements that use up a solved challenge; none where the deployment asks for no proof. The challenge is signed and not stored,
 * so asking for one costs the platform nothing.
 *
 * @throws AppError `FORBIDDEN` with a challenge in `details` for a proof that is missing, wrong or too old.
 */
export async function useProof(
	ctx: PublicCtx,
	proof: { readonly challenge: string; readonly solution: string } | undefined,
): Promise<Statement[]> {
	const settings = ctx.config.registrationChallenge;
	if (settings === null) return [];
	if (proof === undefined) throw await askForProof(ctx, settings.bits, "This deployment asks for a proof of work.");
	const challenge = await readChallenge(ctx, proof.challenge);
	if (challenge === null) throw await askForProof(ctx, settings.bits, "This challenge is unknown or too old.");
	const hash = Uint8Array.fromHex(await sha256Hex(proofText(proof.challenge, proof.solution)));
	if (leadingZeroBits(hash) >= challenge.bits) return [useChallenge(ctx, challenge)];
	throw await askForProof(ctx, settings.bits, "This solution does not solve the challenge.");
}

async function askForProof(ctx: PublicCtx, bits: number, reason: string): Promise<AppError> {
	const expiresAt = ctx.clock.now() + TTL_MS;
	const facts = `${bits}.${expiresAt}.${randomHex(NONCE_BYTES)}`;
	const challenge = `${facts}.${await signText(ctx.config.keys, PURPOSE, facts)}`;
	return new AppError("FORBIDDEN", {
		message: `${reason} Find a solution of letters and digits such that the SHA-256 of "${challenge}:<solution>" begins with ${bits} zero bits. Then register with proof_of_work: {challenge, solution}, within ${TTL_MS / MINUTE_MS} minutes.`,
		reason: "no_proof_of_work",
		details: { challenge, algorithm: "sha256", bits, expires_at: toIso(expiresAt) },
	});
}

/** Returns a challenge that this deployment has made and that is not too old, or null. */
async function readChallenge({ config, clock }: PublicCtx, challenge: string) {
	const [, facts = "", bits = "", expiresAt = "", nonce = "", signature = ""] =
		/^((\d{1,2})\.(\d{13,15})\.([0-9a-f]{32}))\.([0-9a-f]+)$/.exec(challenge) ?? [];
	if (!(await isSignatureOf(config.keys, { purpose: PURPOSE, text: facts }, signature))) return null;
	return Number(expiresAt) > clock.now() ? { bits: Number(bits), nonce, expiresAt: Number(expiresAt) } : null;
}
