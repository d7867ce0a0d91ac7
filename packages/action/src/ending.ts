import type { ExitCode } from "../../cli/src/core/exit-codes.ts";
import type { Outputs } from "./report.ts";

/** Writes to the log of the step. */
export type Write = (text: string) => unknown;

/** What a run reports when it ends. */
export interface Ending {
	/** The exit code that `bounty submit` or `bounty post` would have. */
	readonly exitCode: ExitCode;
	readonly outputs: Outputs;
	readonly summary: string;
}
