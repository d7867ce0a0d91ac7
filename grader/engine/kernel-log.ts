// Whether the kernel killed something in a container for its memory. Engines know it by themselves on most machines,
// but not on those with the older control groups, where the group and its counters are gone with the container.
import { closeSync, constants, openSync, readSync } from "node:fs";

const RECORD_BYTES = 8_192;
const KERNEL_LOG = "/dev/kmsg";

/** Asks the kernel's log, as far as it goes back and may be read. */
export function wasKilledForMemory(containerId: string): boolean {
	try {
		const log = openSync(KERNEL_LOG, constants.O_RDONLY | constants.O_NONBLOCK);
		try {
			return findRecord(log, (record) => record.includes("oom-kill:") && record.includes(containerId));
		} finally {
			closeSync(log);
		}
	} catch {
		// Not Linux, or not allowed.
		return false;
	}
}

/** Each read gives one record, until there is none left. */
function findRecord(log: number, isWanted: (record: string) => boolean): boolean {
	const buffer = Buffer.alloc(RECORD_BYTES);
	for (;;) {
		try {
			const length = readSync(log, buffer);
			if (length === 0) return false;
			if (isWanted(buffer.toString("latin1", 0, length))) return true;
		} catch (error) {
			// The record was overwritten before it could be read; the next one follows.
			if (error instanceof Error && "code" in error && error.code === "EPIPE") continue;
			return false;
		}
	}
}
