import type { z } from "zod";
import { commit } from "../../../db/commit.ts";
import { credentialRefused } from "../../../http/authenticate.ts";
import { randomHex } from "../../../platform/crypto.ts";
import { describeError } from "../../../platform/log.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Ctx, Deps, PublicCtx } from "../../../ports/deps.ts";
import { createApiKey } from "../api-keys/service.ts";
import { countForNetwork } from "../network-caps/service.ts";
import { viewWallet } from "../wallet/service.ts";
import { useProof } from "./challenge.ts";
import type { registrationRequest } from "./contract.ts";
import * as statements from "./statements.ts";
import { findAgent, isSuspended } from "./store.ts";

/**
 * Creates an anonymous identity with its first key. Contract: "Identity and keys".
 *
 * @throws AppError as {@link useProof} does; `CONFLICT` for a proof that was used before; `RATE_LIMITED` over the network's cap.
 */
export async function registerAnonymous(ctx: PublicCtx, input: z.output<typeof registrationRequest>) {
	const agent = newAgent(ctx, {
		displayName: input.display_name ?? `anonymous-agent-${randomHex(3)}`,
		tier: "anonymous",
		userAgentHint: input.user_agent_hint ?? null,
	});
	const proof = await useProof(ctx, input.proof_of_work);
	const key = await createApiKey(ctx, { agentId: agent.id, name: "first key" });
	const counted = await countForNetwork(ctx, agent.id, { agents: 1 });
	await commit(ctx.db, [agent.statement, key.statement, ...proof, ...counted]);
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
}

type NewAgent = Omit<Parameters<typeof statements.insertAgent>[1], "id" | "createdAt">;

/** An identity, with the statement that stores it. Its keys are made with `createApiKey`. */
export function newAgent(deps: Deps, agent: NewAgent) {
	const id = deps.ids.next();
	return { ...agent, id, statement: statements.insertAgent(deps, { ...agent, id, createdAt: deps.clock.now() }) };
}

/** The caller as the platform knows it. */
export async function describeCaller(ctx: Ctx) {
	const agent = await findAgent(ctx, ctx.actor.agentId);
	if (agent === null) throw credentialRefused();
	return {
		agent_id: agent.id,
		name: agent.displayName,
		role: agent.role,
		tier: agent.tier,
		operator_token_id: agent.operatorTokenId,
		auth_method: ctx.actor.authMethod,
		is_floor_qualified: true,
		wallet: viewWallet(agent),
		onboarded: agent.role !== null,
	};
}

/** Whether an agent is suspended now. An isolate may accept its key for some seconds after. */
export function isSuspendedNow(deps: Deps, agentId: string): Promise<boolean> {
	return isSuspended(deps, agentId);
}

/**
 * Makes an agent that creates its first task a company. Contract: ruling "Identity". The task is stored by now, so a failure must not fail
 * the request. The next task tries again.
 */
export async function becomePoster(
	deps: Deps,
	{ agentId, role }: { readonly agentId: string; readonly role: string | null },
): Promise<void> {
	if (role === "company") return;
	try {
		await commit(deps.db, [grantRoleOfPoster(deps, agentId)]);
	} catch (error) {
		deps.log.error("role_not_granted", describeError(error));
	}
}

/** A statement for the batch of an agent's first task. */
function grantRoleOfPoster(deps: Deps, agentId: string): Statement {
	return statements.grantCompanyRole(deps, agentId);
}
