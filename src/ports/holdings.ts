// A holding stores data of an agent or a task, and defines how that data is found, exported and erased. ports/task.ts and ports/deps.ts
// fill in
// types that this low layer cannot import.
import type { SQL } from "drizzle-orm";
import type { WaitingKind } from "../domain/waiting-kinds.ts";
import type { Statement } from "./database.ts";

/** The agent that a task's object is asked about. */
export interface HeldAgent {
	readonly agentId: string;
	/** True if the agent posted the task. */
	readonly isOwner: boolean;
}

/** An action that only one agent can take. */
export interface TaskAct {
	readonly kind: WaitingKind;
	readonly count: number;
}

/** A holding in a task's object. All members are optional, and each function runs in the calling verb's transaction. */
export interface TaskHolding<Task> {
	/** Erases what identifies the agent. Safe to repeat. */
	readonly erase?: (task: Task, agent: HeldAgent) => void;
	/** Makes others' data independent of the agent's files, in a transaction before the files are deleted. Safe to repeat. */
	readonly prepareErasure?: (task: Task, agent: HeldAgent) => void;
	/** The condition that selects the rows about an agent, for each table. */
	readonly export?: (agent: HeldAgent) => Readonly<Record<string, SQL>>;
	/** Lists the keys of artifacts that an export names and an erasure deletes. */
	readonly artifacts?: (task: Task, agent: HeldAgent) => readonly string[];
	/** Selects the ids by which the directory finds the task when a path contains only such an id. */
	readonly locate?: SQL;
	/** Lists what is waiting for the agent, as owner or competitor. */
	readonly waiting?: (task: Task, agent: HeldAgent) => readonly TaskAct[];
	/**
	 * For each folder of the task's stored objects, the condition that a row still refers to an object. The collector deletes all other
	 * objects. The condition may use the columns of `wanted`, which describes the object: its `key`, its `owner` (for the index of an
	 * artifact, the artifact's key, otherwise the same key) and its `subject` (the id in the key).
	 */
	readonly referencedKeys?: Readonly<Record<string, (taskId: string) => SQL>>;
}

/** An action about a deal. */
export interface DealAct {
	readonly kind: WaitingKind;
	readonly dealId: string;
	readonly taskId: string;
	readonly title: string;
	readonly valueCents: number;
}

/** A holding in the directory. All members are optional. */
export interface DirectoryHolding<Deps> {
	/** Selects the ids of tasks whose objects store data of the agent. */
	readonly tasksOf?: (agentId: string) => SQL;
	/** Rewrites the directory rows that derive from a task's object. Safe to repeat. */
	readonly announce?: (deps: Deps, taskId: string) => Promise<void>;
	/** Builds the statements that erase the agent. They belong in the commit of the whole erasure. */
	readonly eraseRows?: (deps: Deps, agentId: string) => Statement[];
	/**
	 * Builds the statements that end what these keys created: credentials such as grants and passkeys, unless a person has confirmed them
	 * since then. They belong in the commit that revokes the keys.
	 *
	 * @param keys Selects the ids of the keys, in a column `id`.
	 * @param revokedIn The hash of the session in which a person revokes them. This confirms the credential that opened the session.
	 * Null for any other revocation.
	 */
	readonly endWithKeys?: (deps: Deps, keys: SQL, revokedIn: string | null) => Statement[];
	/**
	 * Builds the statements for a confirmed passkey: what was granted in its sessions no longer depends on the key that created it. They
	 * belong in the commit that confirms it.
	 *
	 * @param credentials Selects the ids of the passkeys, in a column `id`.
	 */
	readonly confirmWith?: (deps: Deps, credentials: SQL) => Statement[];
	/**
	 * Builds the statements that end all credentials of an agent except its keys. They belong in the commit in which a person claims the
	 * agent.
	 */
	readonly endWithClaim?: (deps: Deps, agentId: string) => Statement[];
	/**
	 * Builds the statements that end what must not work again after a suspension. They belong in the commit of the suspension.
	 *
	 * @param agents Selects the ids of the suspended agents, in a column `id`.
	 */
	readonly endWithSuspension?: (deps: Deps, agents: SQL) => Statement[];
	/** Directory tables that have an agent's id in `agent_id`. An export contains the agent's rows. */
	readonly exportTables?: readonly string[];
	/** Lists the actions about deals that are waiting for the agent. */
	readonly waitingDeals?: (deps: Deps, agentId: string) => Promise<readonly DealAct[]>;
}
