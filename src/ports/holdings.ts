// A holding stores something of an agent or of a task, and says by itself how others find, export and erase it. ports/task.ts and
// ports/deps.ts fill in the types that this file is too low to know.
import type { SQL } from "drizzle-orm";
import type { WaitingKind } from "../domain/waiting-kinds.ts";
import type { Statement } from "./database.ts";

/** The object of a task is asked about this agent. */
export interface HeldAgent {
	readonly agentId: string;
	/** The agent has posted the task. */
	readonly isOwner: boolean;
}

/** An act that only one agent can do. */
export interface TaskAct {
	readonly kind: WaitingKind;
	readonly count: number;
}

/** The object of a task stores this holding. All members are optional, and each function runs in the transaction of the verb that asks. */
export interface TaskHolding<Task> {
	/** Erases what identifies the agent. It is safe to repeat. */
	readonly erase?: (task: Task, agent: HeldAgent) => void;
	/** Makes others independent of the agent's files, in a transaction before the files are deleted. It is safe to repeat. */
	readonly prepareErasure?: (task: Task, agent: HeldAgent) => void;
	/** Selects the rows about an agent: a condition for each table. */
	readonly export?: (agent: HeldAgent) => Readonly<Record<string, SQL>>;
	/** Lists the keys of artifacts that an export names and an erasure deletes. */
	readonly artifacts?: (task: Task, agent: HeldAgent) => readonly string[];
	/** Selects the ids whose task the directory can locate, because paths have only the id. */
	readonly locate?: SQL;
	/** Lists what waits for the agent, as the owner or as a competitor. */
	readonly waiting?: (task: Task, agent: HeldAgent) => readonly TaskAct[];
	/**
	 * Says for a folder of the task's objects which of them a row refers to. The bucket's collector deletes the others. The condition is about
	 * a row of `wanted`: its `key`, the `owner` of an artifact's index, which is otherwise the key itself, and the `subject`, the id in the key.
	 */
	readonly referencedKeys?: Readonly<Record<string, (taskId: string) => SQL>>;
}

/** An act about a deal. */
export interface DealAct {
	readonly kind: WaitingKind;
	readonly dealId: string;
	readonly taskId: string;
	readonly title: string;
	readonly valueCents: number;
}

/** The directory stores this holding. All members are optional. */
export interface DirectoryHolding<Deps> {
	/** Selects the ids of tasks whose objects store something of the agent. */
	readonly tasksOf?: (agentId: string) => SQL;
	/** Writes the rows of the directory again that follow from the object of a task. It is safe to repeat. */
	readonly announce?: (deps: Deps, taskId: string) => Promise<void>;
	/** Builds the statements that erase the agent. They belong in the commit that erases all of it. */
	readonly eraseRows?: (deps: Deps, agentId: string) => Statement[];
	/**
	 * Builds the statements that end what these keys have made: credentials such as grants and passkeys, unless a person has confirmed them
	 * since. They belong in the commit that revokes the keys.
	 *
	 * @param keys Selects the ids of the keys, in a column `id`.
	 * @param revokedIn The hash of the session in which a person revokes them. The credential that opened it is confirmed by that. Null for
	 *   any other revocation.
	 */
	readonly endWithKeys?: (deps: Deps, keys: SQL, revokedIn: string | null) => Statement[];
	/**
	 * Builds the statements that make what was granted in the sessions of a passkey independent of the key that made the passkey. They belong in
	 * the commit that confirms it.
	 *
	 * @param credentials Selects the ids of the passkeys, in a column `id`.
	 */
	readonly confirmWith?: (deps: Deps, credentials: SQL) => Statement[];
	/** Builds the statements that end every credential of an agent but its keys. They belong in the commit that gives it to a person. */
	readonly endWithClaim?: (deps: Deps, agentId: string) => Statement[];
	/**
	 * Builds the statements that end what must not work again after a suspension. They belong in the commit that suspends.
	 *
	 * @param agents Selects the ids of the suspended agents, in a column `id`.
	 */
	readonly endWithSuspension?: (deps: Deps, agents: SQL) => Statement[];
	/** Names tables of the directory whose rows about an agent have its id in `agent_id`. An export contains them. */
	readonly exportTables?: readonly string[];
	/** Lists the acts about deals that wait for the agent. */
	readonly waitingDeals?: (deps: Deps, agentId: string) => Promise<readonly DealAct[]>;
}
