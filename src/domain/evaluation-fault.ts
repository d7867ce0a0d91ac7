// The faults of evaluations. They have their own file, because every mode and judge throws them.
import type { Failure } from "./failures.ts";
import type { DayScope } from "./spend.ts";
import type { WaitReason } from "./waits.ts";

/**
 * Who must change something. `platform`: the judge or the grader is unreachable, timed out, broken or not configured. The evaluation waits
 * if another attempt may succeed. At the end, the slot is given back. `task`: the poster's image cannot be started. The slot is given back,
 * and the owner gets a warning. `submission`: the submission may have caused the fault, even if the poster's image is to blame. The slot
 * stays used.
 */
export const BLAMES = ["platform", "task", "submission"] as const;

export type Blame = (typeof BLAMES)[number];

/** What an interrupted job waits for. Waiting does not use up an attempt. */
export type WaitsFor = Exclude<WaitReason, "ceiling" | "paused">;

const FAILURE_BY_BLAME = { platform: "platform", task: "image_error", submission: "submission" } as const satisfies Record<Blame, Failure>;

interface FaultFacts {
	readonly blame: Blame;
	/** If true, another attempt may succeed. */
	readonly isRetryable: boolean;
	/** The class of the failure, which is public. The default depends on `blame`. */
	readonly failure?: Failure;
	/** The message for the task's owner, if the owner may know more than the agent. */
	readonly ownerMessage?: string;
	/** The delay that the supplier, grader or service asked for, in seconds. */
	readonly retryAfterSeconds?: number;
	/**
	 * True if the fault uses up an attempt. Also true for a fault of the platform that the work may have caused.
	 * If false, the attempt continues in a new message.
	 */
	readonly costsAttempt?: boolean;
	/**
	 * What the job waits for, without using up an attempt. By default, a retryable fault of the platform makes the job wait for the
	 * supplier.
	 */
	readonly waitsFor?: WaitsFor | null;
	readonly supplierWords?: string | null;
	/** The ceilings that the job waits for. The wait ends only when all of them have room. */
	readonly ceilings?: readonly DayScope[];
	/** The task's own ceiling does not allow the job, and waiting will not change that. */
	readonly lacksRoom?: boolean;
	/** The value of `job.progress` at the next attempt. Undefined keeps the current value. */
	readonly progress?: unknown;
	readonly cause?: unknown;
}

/** Thrown if an evaluation ends without a score. The message is for the agent. */
export class EvaluationFault extends Error {
	override readonly name = "EvaluationFault";
	readonly blame: Blame;
	readonly isRetryable: boolean;
	readonly failure: Failure;
	/** Null if the owner reads the same message as the agent. */
	readonly ownerMessage: string | null;
	readonly retryAfterSeconds: number | null;
	readonly costsAttempt: boolean;
	readonly waitsFor: WaitsFor | null;
	/** The supplier's error message without keys, only for operators. */
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
		this.costsAttempt = facts.costsAttempt ?? (this.waitsFor === null && this.ceilings.length === 0);
		this.supplierWords = facts.supplierWords ?? null;
		this.lacksRoom = facts.lacksRoom ?? false;
		this.progress = facts.progress;
	}
}

/** A fault of the platform must never become a score, so the job waits if another attempt may succeed. */
function defaultWait({
	blame,
	isRetryable,
	costsAttempt,
	ceilings = [],
}: Pick<EvaluationFault, "blame" | "isRetryable"> & {
	readonly costsAttempt?: boolean;
	readonly ceilings?: readonly DayScope[];
}): WaitsFor | null {
	return blame === "platform" && isRetryable && costsAttempt === undefined && ceilings.length === 0 ? "supplier" : null;
}

/** A fault as plain data, for the Task object. */
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
