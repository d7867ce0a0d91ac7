import { mayTier } from "../../core/identity/agents/rules.ts";
import { AppError } from "../../domain/errors.ts";
import type { Ctx } from "../../ports/deps.ts";
import { findHumanBehind } from "./store.ts";

/** A person to whom passkeys belong, or will belong. */
export interface Person {
	readonly userId: string;
	/** The person's own identity: the caller's agent. */
	readonly agentId: string;
	/** True if the agent becomes a person with its first passkey. */
	readonly isNew: boolean;
	/** True if a provider has verified the person. */
	readonly hasProvider: boolean;
}

/** Finds the person that the caller is or may become. Null for a key of an agent that belongs to someone else, or to a fleet. */
export async function findPerson(ctx: Ctx): Promise<Person | null> {
	const { agentId } = ctx.actor;
	const human = await findHumanBehind(ctx, agentId);
	if (human === null) return null;
	if (human.userId === null) return mayTier(human.tier, "beClaimed") ? { userId: agentId, agentId, isNew: true, hasProvider: false } : null;
	return human.ownAgentId === agentId ? { userId: human.userId, agentId, isNew: false, hasProvider: human.issuer !== null } : null;
}

/**
 * Returns the person that the caller is or may become. The key of an agent that someone has claimed does not stand for that person.
 *
 * @throws AppError `FORBIDDEN`.
 */
export async function getPerson(ctx: Ctx): Promise<Person> {
	const person = await findPerson(ctx);
	if (person !== null) return person;
	throw new AppError("FORBIDDEN", {
		message:
			"This agent belongs to a person or to an operator, so you cannot add passkeys to it. If it belongs to you, sign in yourself, then add passkeys.",
	});
}
