// A holding is something that stores data of agents or tasks. It says how the data is found, exported and erased. Types that this layer
// cannot import are type parameters, for which ports/task.ts and ports/deps.ts have the arguments.
import type { SQL } from "drizzle-orm";
import type { WaitingKind } from "../domain/waiting-kinds.ts";
import type { Statement } from "./database.ts";

/** The agent about whose data a Task object is asked. */
export interface HeldAgent {
	readonly agentId: string;
	/** True if the agent posted the task. */
	readonly isOwner: boolean;
}

/** Actions of one kind that are waiting for an agent in a task. */
export interface TaskAct {
	readonly kind: WaitingKind;
	readonly count: number;
}

/** A holding in a Task object. All members are optional. Each function runs in the transaction of the verb that calls it. */
export interface TaskHolding<Task> {
	/** Erases what identifies the agent. A second call does no harm. */
	readonly erase?: (task: Task, agent: HeldAgent) => void;
	/** Makes data of others independent of the agent's files, which are deleted after this transaction. A second call does no harm. */
	readonly prepareErasure?: (task: Task, agent: HeldAgent) => void;
	/** Returns the condition that selects the rows about the agent, keyed by table. */
	readonly export?: (agent: HeldAgent) => Readonly<Record<string, SQL>>;
	/** Lists the keys of the agent's artifacts, which an export names and an erasure deletes. */
	readonly artifacts?: (task: Task, agent: HeldAgent) => readonly string[];
	/** Selects ids for which the directory stores the task, because some paths contain only such an id. */
	readonly locate?: SQL;
	/** Lists the actions that are waiting for the agent, as the task's owner or as a competitor. */
	readonly waiting?: (task: Task, agent: HeldAgent) => readonly TaskAct[];
	/**
	 * For each folder of the task's files in the bucket, the condition that a row still refers to a file. All other files are deleted. The
	 * condition may use the columns of `wanted`, which describes the file: `key`, `subject` (the id in the key) and `owner` (the artifact's
	 * key for the index of an artifact, otherwise the same as `key`).
	 */
	readonly referencedKeys?: Readonly<Record<string, (taskId: string) => SQL>>;
}

/** An action about a deal that is waiting for an agent. */
export interface DealAct {
	readonly kind: WaitingKind;
	readonly dealId: string;
	readonly taskId: string;
	readonly title: string;
	readonly valueCents: number;
}

/** A holding in the directory. All members are optional. */
export interface DirectoryHolding<Deps> {
	/** Selects the ids of the tasks whose Task objects store data of the agent. */
	readonly tasksOf?: (agentId: string) => SQL;
	/** Writes again the rows of the directory that are derived from a Task object. A second call does no harm. */
	readonly announce?: (deps: Deps, taskId: string) => Promise<void>;
	/** Builds the statements that erase the agent's data in the directory. They belong in the commit of the whole erasure. */
	readonly eraseRows?: (deps: Deps, agentId: string) => Statement[];
	/**
	 * Builds the statements that end credentials which were created with these keys, such as grants and passkeys, unless a person has
	 * confirmed them since then. The statements belong in the commit that revokes the keys.
	 *
	 * @param keys Selects the ids of the keys, in a column `id`.
	 * @param revokedIn The hash of the session in which a person revokes the keys. This confirms the credential that opened the session. Null
	 * if no session revokes them.
	 */
	readonly endWithKeys?: (deps: Deps, keys: SQL, revokedIn: string | null) => Statement[];
	/**
	 * Builds the statements for passkeys that a person confirms: what was created in their sessions no longer depends on the keys with which
	 * the passkeys were created. The statements belong in the commit that confirms the passkeys.
	 *
	 * @param credentials Selects the ids of the passkeys, in a column `id`.
	 */
	readonly confirmWith?: (deps: Deps, credentials: SQL) => Statement[];
	/**
	 * Builds the statements that end all credentials of an agent except its keys. The statements belong in the commit with which a person
	 * claims the agent.
	 */
	readonly endWithClaim?: (deps: Deps, agentId: string) => Statement[];
	/**
	 * Builds the statements that end what must not work again even if a suspension is lifted. The statements belong in the commit of the
	 * suspension.
	 *
	 * @param agents Selects the ids of the suspended agents, in a column `id`.
	 */
	readonly endWithSuspension?: (deps: Deps, agents: SQL) => Statement[];
	/** The tables whose `agent_id` is an agent's id. An export of the agent's data contains the agent's rows. */
	readonly exportTables?: readonly string[];
	/** Lists the actions about deals that are waiting for the agent. */
	readonly waitingDeals?: (deps: Deps, agentId: string) => Promise<readonly DealAct[]>;
}
