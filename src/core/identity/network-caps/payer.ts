// Decides who pays for judging: a person, the network of an agent, or the agent itself.
import { STRANGERS } from "../../../http/networks.ts";
import { signText } from "../../../platform/keyring.ts";
import type { Ctx } from "../../../ports/deps.ts";

const DAY_PURPOSE = "payer-network";
const TASK_PURPOSE = "task-network";

export interface Payer {
	/** The payer's name in the daily ledger, the same on all tasks. A task stores it only in its jobs, and deletes it with them. */
	readonly ofDay: string;
	/**
	 * The payer's name within one task. It differs between tasks, so that the stored data does not show on which tasks a network has been
	 * active.
	 */
	readonly ofTask: string;
}

/**
 * Finds who pays for judging that the caller requests on a task: the signed-in person, or else the caller's network. If strangers share the
 * caller's IP address, the agent itself pays.
 */
export async function findPayer(ctx: Ctx, taskId: string): Promise<Payer> {
	const person = personOf(ctx);
	if (person !== null) return { ofDay: person, ofTask: person };
	if (ctx.network === STRANGERS) return { ofDay: `agent:${ctx.actor.agentId}`, ofTask: `agent:${ctx.actor.agentId}` };
	const { keys } = ctx.config;
	const [ofDay, ofTask] = await Promise.all([
		signText(keys, DAY_PURPOSE, ctx.network),
		signText(keys, TASK_PURPOSE, `${taskId} ${ctx.network}`),
	]);
	return { ofDay: `network:${ofDay}`, ofTask: `network:${ofTask}` };
}

/** Returns true if the payer is a network instead of a person or an agent. */
export function isNetwork(payer: string): boolean {
	return payer.startsWith("network:");
}

/**
 * Returns the person who pays, or null. Only people with an account at a provider can create operator tokens, so there is such a person
 * behind each token's agents. Anyone else is counted by network, because creating identities without an account is free.
 */
function personOf({ actor }: Ctx): string | null {
	const isVerified = actor.userId !== null && actor.tier === "verified";
	return isVerified || actor.operatorTokenId !== null ? `person:${actor.party}` : null;
}
