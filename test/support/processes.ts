// Reads processes with their files and sockets from Linux's /proc.
import { readdirSync, readFileSync } from "node:fs";

function childrenOf(pid: string): string[] {
	const tasks = entriesOf(`/proc/${pid}/task`);
	return tasks.flatMap((task) => readText(`/proc/${pid}/task/${task}/children`).split(" ").filter(Boolean));
}

function entriesOf(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

function readText(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return "";
	}
}

/** Returns all descendants of a process. */
export function descendantsOf(pid: string): string[] {
	return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Finds the processes that have inherited a variable, which is written `NAME=value`. */
export function findProcessesWith(variable: string): number[] {
	const pids = entriesOf("/proc").filter((name) => /^\d+$/.test(name));
	return pids.filter((pid) => readText(`/proc/${pid}/environ`).split("\0").includes(variable)).map(Number);
}

/** Counts open sockets, files and timers of all descendants of this process, or returns 0 without /proc. */
export function countProcessHandles(): number {
	return descendantsOf(String(process.pid)).reduce((sum, pid) => sum + entriesOf(`/proc/${pid}/fd`).length, 0);
}

/** Returns {@link countProcessHandles} of the process that has most of them. */
export function countMostHandles(): number {
	return Math.max(0, ...descendantsOf(String(process.pid)).map((pid) => entriesOf(`/proc/${pid}/fd`).length));
}

/** Linux counts processor time in hundredths of a second for every program, with any kernel clock. */
const MS_PER_TICK = 10;
/** The position of the field in the text after the program's name in /proc/<pid>/stat. */
const USER_TICKS_FIELD = 11;

/** Returns the processor time of all descendants of this process in milliseconds, which a busy machine does not change. */
export function readProcessorMs(): number {
	const ticks = descendantsOf(String(process.pid)).map((pid) => {
		const stat = readText(`/proc/${pid}/stat`);
		const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
		return Number(fields[USER_TICKS_FIELD] ?? 0) + Number(fields[USER_TICKS_FIELD + 1] ?? 0);
	});
	return MS_PER_TICK * ticks.reduce((sum, each) => sum + each, 0);
}

/** Returns the RAM of all descendants of this process, in bytes. */
export function readProcessMemory(): number {
	const kilobytes = descendantsOf(String(process.pid)).map((pid) => /^VmRSS:\s+(\d+)/m.exec(readText(`/proc/${pid}/status`))?.[1] ?? 0);
	return kilobytes.reduce<number>((sum, each) => sum + 1024 * Number(each), 0);
}

/** Returns the limit of open files for a process, or Infinity without /proc. */
export function readFileLimit(): number {
	const limit = /^Max open files\s+\S+\s+(\d+)/m.exec(readText("/proc/self/limits"))?.[1];
	return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
}
