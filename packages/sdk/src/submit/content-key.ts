import { sha256Hex } from "../core/hash.ts";
import type { FileMap } from "./files.ts";

interface Work {
	readonly taskId: string;
	readonly files: FileMap;
	/** The name on the leaderboard is part of the submission. */
	readonly displayName?: string | undefined;
}

/** Returns an idempotency key for work. Every client derives the same key from the same files, so a repeated submit uses one slot. */
export async function makeContentKey({ taskId, files, displayName = "" }: Work): Promise<string> {
	const encoder = new TextEncoder();
	const lines: string[] = [];
	for (const [path, content] of [...files].toSorted(([a], [b]) => compareBytes(encoder.encode(a), encoder.encode(b)))) {
		lines.push(`${path}\0${await sha256Hex(content)}\n`);
	}
	return `work-${await sha256Hex(new Uint8Array(encoder.encode(`${taskId}\n${displayName}\n${lines.join("")}`)))}`;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
	const at = a.findIndex((byte, index) => byte !== b[index]);
	return at === -1 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
}
