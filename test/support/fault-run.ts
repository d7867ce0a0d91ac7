// Reads the number of faults and their seed, which vitest.config.ts provides.
import { inject } from "vitest";

interface FaultRun {
	readonly faults: number;
	readonly seed: number;
	/** Tests that fail single calls play one of this many calls. */
	readonly playsOneOf: number;
}

declare module "vitest" {
	interface ProvidedContext {
		faultRun: FaultRun;
	}
}

export const faultRun: FaultRun = inject("faultRun");
