import type { ExitCode } from "../../cli/src/core/exit-codes.ts";
import type { Outputs } from "./report.ts";

/** Writes to the log of the step. */
export type Write = (text: string) => unknown;

/** A run reports this at its end. */
export interface Ending {
	/** The same as that of `bounty submit` or `bounty post`. */
	readonly exitCode: ExitCode;
	readonly outputs: Outputs;
	readonly summary: string;
}
