import type { z } from "zod";
import { commit } from "../../db/commit.ts";
import { nameForms } from "../../domain/similar-names.ts";
import { credentialRefused } from "../../http/authenticate.ts";
import { randomHex } from "../../platform/crypto.ts";
import type { Statement } from "../../ports/database.ts";
import type { Ctx, Deps, PublicCtx } from "../../ports/deps.ts";
import { createApiKey } from "../api-keys/service.ts";
import { countForNetwork } from "../network-caps/service.ts";
import { viewWallet } from "../wallet/service.ts";
import { useProof } from "./challenge.ts";
import type { registrationRequest } from "./contract.ts";
import * as statements from "./statements.ts";
import { findAgent } from "./store.ts";

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
	await commit(ctx.db, [agent.statement, key.statement, ...proof, ...counted, ...reportSimilarName(ctx, agent.id, input.display_name)]);
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

/**
 * Statements that report an agent to the operators if its new name is similar to the name of a suspended agent. Put them after the
 * statement that stores the name. None without a name of the agent's own.
 */
export function reportSimilarName(deps: Deps, agentId: string, displayName: string | undefined): Statement[] {
	const forms = displayName === undefined ? [] : nameForms(displayName);
	return forms.length === 0 ? [] : [statements.reportSimilarName(deps, { agentId, forms, reportId: deps.ids.next() })];
}

/** Statements that remember the name of an agent that is being suspended, so that {@link reportSimilarName} finds similar ones. */
export function rememberSuspendedName(deps: Deps, { id, displayName }: { id: string; displayName: string }): Statement[] {
	const forms = nameForms(displayName);
	return forms.length === 0 ? [] : [statements.rememberSuspendedName(deps, id, forms)];
}

/** Undoes {@link rememberSuspendedName}. */
export function forgetSuspendedName(deps: Deps, agentId: string): Statement {
	return statements.deleteSuspendedName(deps, agentId);
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

/** A statement for the batch of an agent's first submission. */
export function grantRoleOfSubmitter(deps: Deps, agentId: string): Statement {
	return statements.grantAgentBuilderRole(deps, agentId);
}

/** A statement for the batch of an agent's first task. */
export function grantRoleOfPoster(deps: Deps, agentId: string): Statement {
	return statements.grantCompanyRole(deps, agentId);
}
