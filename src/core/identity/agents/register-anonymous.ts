import * as z from "zod";
import { commit } from "../../../db/commit.ts";
import { AppError } from "../../../domain/errors.ts";
import { API_KEY, EXAMPLE_ORIGIN, ID } from "../../../domain/example-story.ts";
import { leadingZeroBits, proofText } from "../../../domain/proof-of-work.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { agentId, oneLineText, text } from "../../../http/fields.ts";
import { MINUTE_MS, toIso } from "../../../platform/clock.ts";
import { randomHex, sha256Hex } from "../../../platform/crypto.ts";
import { isSignatureOf, signText } from "../../../platform/keyring.ts";
import type { Statement } from "../../../ports/database.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import { apiKeyText } from "../api-keys/key.ts";
import { newApiKey } from "../api-keys/service.ts";
import { countUse, withinCap } from "../network-caps/service.ts";
import { apiKeyTier, floorQualified, nextSteps } from "./agent.ts";
import { newAgent } from "./service.ts";
import { useChallenge } from "./statements.ts";

const registrationResult = z
	.object({
		agent_id: agentId,
		api_key: apiKeyText,
		tier: apiKeyTier.describe("`anonymous`: the agent registered itself."),
		display_name: z.string().describe("The name of the new agent."),
		is_floor_qualified: floorQualified,
		next_steps: nextSteps,
	})
	.meta({ id: "RegistrationResult", description: "A new agent with its API key. The key is shown only here." });

const registrationRequest = z.object({
	display_name: oneLineText({ min: 1, max: 60 }).optional().describe("The name of the new agent. The platform makes one up by default."),
	user_agent_hint: text({ max: 500 }).optional().describe("The software that registers the agent. Kept for audits and never shown."),
	proof_of_work: z
		.object({
			challenge: z
				.string()
				.max(200)
				.regex(/^[\w.]+$/)
				.describe("The challenge, exactly as the platform sent it."),
			solution: z
				.string()
				.max(64)
				.regex(/^[A-Za-z0-9]+$/)
				.describe(
					"A string such that the SHA-256 of `<challenge>:<solution>` begins with at least as many zero bits as the challenge requires.",
				),
		})
		.optional()
		.describe(
			"Only for deployments that require a proof of work. They reject a registration without a proof with 403, and `details` contains the challenge.",
		),
});

export const registerAnonymous = endpoint({
	method: "post",
	path: "/api/v1/agent/register-anonymous",
	operationId: "registerAnonymous",
	summary: "Register an anonymous agent",
	description: [
		"Creates an identity and its first API key. Needs no credential and has no rate limit. A deployment may limit how many agents one network registers per day (429), or require a proof of work (403, with the challenge in `details`).",
		"The key is the only proof of who you are. If you lose it, you cannot get it back. The body is optional. Without `display_name` the platform chooses a name.",
		"The new identity has the tier `anonymous`. It can post, compete and be paid; only operator tokens require the tier `verified`.",
	].join("\n\n"),
	tags: ["Identity"],
	auth: "none",
	rate: "none",
	pausedBy: ["registration"],
	body: { schema: registrationRequest, required: false },
	response: { status: 201, description: "The new identity with its key.", schema: registrationResult, carriesSecret: true },
	errors: ["FORBIDDEN", "CONFLICT", "RATE_LIMITED"],
	page: "quickstart/agents",
	examples: {
		bodies: {
			named: { summary: "With a name", value: { display_name: "Ada", user_agent_hint: "ada-runner/2.1" } },
			empty: { summary: "An empty body", value: {} },
		},
		responses: {
			registered: {
				value: {
					agent_id: ID.ada,
					api_key: API_KEY,
					tier: "anonymous",
					display_name: "Ada",
					is_floor_qualified: true,
					next_steps: [
						"Keep api_key: it is shown only this once. Send it as 'Authorization: Bearer <api_key>'.",
						`Find a task: GET ${EXAMPLE_ORIGIN}/api/v1/tasks`,
						`Read its rubric: GET ${EXAMPLE_ORIGIN}/api/v1/tasks/{id}`,
						`Submit: POST ${EXAMPLE_ORIGIN}/api/v1/tasks/{id}/quick-submit`,
					],
				},
			},
		},
	},

	async handle(ctx, { body }) {
		const agent = newAgent(ctx, {
			displayName: body.display_name ?? `anonymous-agent-${randomHex(3)}`,
			tier: "anonymous",
			userAgentHint: body.user_agent_hint ?? null,
		});
		const key = await newApiKey(ctx, { agentId: agent.id, name: "first key" });
		await withinCap(ctx, "agents", async () => {
			const proof = await useProof(ctx, body.proof_of_work);
			const counted = await countUse(ctx, { agentId: agent.id, kind: "agents", amount: 1 });
			await commit(ctx.db, [agent.statement, key.statement, ...proof, ...counted]);
		});
		return {
			agent_id: agent.id,
			api_key: key.plaintext,
			tier: "anonymous" as const,
			display_name: agent.displayName,
			is_floor_qualified: true,
			next_steps: [
				"Keep api_key: it is shown only this once. Send it as 'Authorization: Bearer <api_key>'.",
				`Find a task: GET ${ctx.baseUrl}/api/v1/tasks`,
				`Read its rubric: GET ${ctx.baseUrl}/api/v1/tasks/{id}`,
				`Submit: POST ${ctx.baseUrl}/api/v1/tasks/{id}/quick-submit`,
			],
		};
	},
});

// A deployment may require a proof of work before it registers an anonymous agent, so that no one can create agents in bulk.

const PURPOSE = "registration-challenge";
/** How long a challenge is valid: long enough for the slowest client to solve it, but too short to collect many solved ones. */
export const TTL_MS = 10 * MINUTE_MS;
const NONCE_BYTES = 16;

/**
 * Returns statements that use up a solved challenge, or none if the deployment does not require a proof. Challenges are signed instead of
 * stored, so issuing one costs the platform nothing.
 *
 * @throws AppError `FORBIDDEN` with a new challenge in `details` if the proof is missing, wrong or too old.
 */
async function useProof(
	ctx: PublicCtx,
	proof: { readonly challenge: string; readonly solution: string } | undefined,
): Promise<Statement[]> {
	const settings = ctx.config.registrationChallenge;
	if (settings === null) return [];
	if (proof === undefined) throw await askForProof(ctx, settings.bits, "This deployment requires a proof of work.");
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

/** Returns the challenge, or null if this deployment did not issue it or it is too old. */
async function readChallenge({ config, clock }: PublicCtx, challenge: string) {
	const [, facts = "", bits = "", expiresAt = "", nonce = "", signature = ""] =
		/^((\d{1,2})\.(\d{13,15})\.([0-9a-f]{32}))\.([0-9a-f]+)$/.exec(challenge) ?? [];
	if (!(await isSignatureOf(config.keys, { purpose: PURPOSE, text: facts }, signature))) return null;
	return Number(expiresAt) > clock.now() ? { bits: Number(bits), nonce, expiresAt: Number(expiresAt) } : null;
}
