// Says what an evaluation waits for, or what holds up a task.
import { formatDateTime } from "../../../src/domain/formats.ts";

interface Wait {
	readonly message: string;
	readonly until: string | null;
}

/** Returns null for an evaluation that does not wait. */
export function describeWait(wait: Wait | null): string | null {
	if (wait === null) return null;
	if (wait.until === null) return wait.message;
	return `${wait.message} The evaluation ends without a score if it is still waiting at ${formatDateTime(wait.until)}.`;
}
