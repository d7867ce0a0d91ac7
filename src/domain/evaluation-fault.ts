// The faults of evaluations, which every mode and judge throws.
import type { Failure } from "./failures.ts";
import type { DayScope } from "./spend.ts";
import type { WaitReason } from "./waits.ts";

/**
 * Who is to blame. `platform`: the judge or grader does not work. The evaluation waits while another attempt may succeed; if it then ends
 * without a score, the slot is given back. `task`: the poster's image cannot be started. The slot is given back, and the owner gets a
 * warning. `submission`: the submission may have caused the fault. The slot stays used.
 */
export const BLAMES = ["platform", "task", "submission"] as const;

export type Blame = (typeof BLAMES)[number];

/** What a job waits for after a fault. Waiting does not use up an attempt. */
export type WaitsFor = Exclude<WaitReason, "paused">;

const FAILURE_BY_BLAME = { platform: "platform", task: "image_error", submission: "submission" } as const satisfies Record<Blame, Failure>;

interface FaultFacts {
	readonly blame: Blame;
	/** If true, another attempt may succeed. */
	readonly isRetryable: boolean;
	/** The class of the failure, which every reader sees. The default depends on `blame`. */
	readonly failure?: Failure;
	/** The message for the task's owner, if it differs from the one for the agent. */
	readonly ownerMessage?: string;
	/** The delay that the supplier, the grader or the poster's service asked for, in seconds. */
	readonly retryAfterSeconds?: number;
	/**
	 * True if the fault uses up an attempt: for example, a fault of the platform that the submission may have caused. If false, another queue
	 * message continues the attempt. Default: false if the job waits for something.
	 */
	readonly costsAttempt?: boolean;
	/**
	 * What the job waits for. By default, a retryable fault of the platform makes the job wait for the supplier, unless `costsAttempt` is
	 * set.
	 */
	readonly waitsFor?: WaitsFor | null;
	readonly supplierWords?: string | null;
	/** The daily ceilings that the job waits for. It waits until all of them have room. */
	readonly ceilings?: readonly DayScope[];
	/** True if the job does not fit under the task's own ceiling. Waiting does not change that. */
	readonly lacksRoom?: boolean;
	/** The value of `job.progress` at the next attempt. Undefined keeps the current value. */
	readonly progress?: unknown;
	readonly cause?: unknown;
}

/** Thrown if an attempt at an evaluation ends without a score. The message is for the agent. */
export class EvaluationFault extends Error {
	override readonly name = "EvaluationFault";
	readonly blame: Blame;
	readonly isRetryable: boolean;
	readonly failure: Failure;
	/** The message for the task's owner. Null if the owner reads the same message as the agent. */
	readonly ownerMessage: string | null;
	readonly retryAfterSeconds: number | null;
	readonly costsAttempt: boolean;
	readonly waitsFor: WaitsFor | null;
	/** The supplier's error message without keys, which only operators see. */
	readonly supplierWords: string | null;
	readonly ceilings: readonly DayScope[];
	readonly lacksRoom: boolean;
	readonly progress: unknown;

	constructor(message: string, facts: FaultFacts) {
		super(message, { cause: facts.cause });
		this.blame = facts.blame;
		this.isRetryable = facts.isRetryable;
		this.failure = facts.failure ?? FAILURE_BY_BLAME[facts.blame];
		this.ownerMessage = facts.ownerMessage ?? null;
		this.retryAfterSeconds = facts.retryAfterSeconds ?? null;
		this.ceilings = facts.ceilings ?? [];
		this.waitsFor = facts.waitsFor ?? defaultWait(facts);
		this.costsAttempt = facts.costsAttempt ?? this.waitsFor === null;
		this.supplierWords = facts.supplierWords ?? null;
		this.lacksRoom = facts.lacksRoom ?? false;
		this.progress = facts.progress;
	}
}

/** Returns what a job waits for by default. A fault of the platform must not end it without a score while another attempt may succeed. */
function defaultWait({
	blame,
	isRetryable,
	costsAttempt,
}: Pick<EvaluationFault, "blame" | "isRetryable"> & {
	readonly costsAttempt?: boolean;
}): WaitsFor | null {
	return blame === "platform" && isRetryable && costsAttempt === undefined ? "supplier" : null;
}

/** A fault as plain data, which can be sent to the Task object. */
export type FaultRecord = Readonly<
	Pick<
		EvaluationFault,
		| "message"
		| "blame"
		| "isRetryable"
		| "failure"
		| "ownerMessage"
		| "retryAfterSeconds"
		| "costsAttempt"
		| "waitsFor"
		| "supplierWords"
		| "ceilings"
		| "lacksRoom"
		| "progress"
	>
>;

export function recordOf(fault: EvaluationFault): FaultRecord {
	return {
		message: fault.message,
		blame: fault.blame,
		isRetryable: fault.isRetryable,
		failure: fault.failure,
		ownerMessage: fault.ownerMessage,
		retryAfterSeconds: fault.retryAfterSeconds,
		costsAttempt: fault.costsAttempt,
		waitsFor: fault.waitsFor,
		supplierWords: fault.supplierWords,
		ceilings: fault.ceilings,
		lacksRoom: fault.lacksRoom,
		progress: fault.progress,
	};
}
