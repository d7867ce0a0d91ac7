// Says what an evaluation is waiting for, or what is delaying a task.
import { formatDateTime } from "../../../src/domain/formats.ts";

interface Wait {
	readonly message: string;
	readonly until: string | null;
}

/** Describes what an evaluation is waiting for, and until when. Returns null if it is not waiting. */
export function describeWait(wait: Wait | null): string | null {
	if (wait === null) return null;
	if (wait.until === null) return wait.message;
	return `${wait.message} The evaluation ends without a score if it is still waiting at ${formatDateTime(wait.until)}.`;
}
