import type { Clock } from "../platform/clock.ts";
import { readAdmitted } from "./body.ts";
import { type AdmittedReading, useAdmitted } from "./large-bodies.ts";

interface HeldBodyRules extends AdmittedReading {
	readonly clock: Clock;
}

/**
 * Reads a body of bytes into memory, for content that is checked as a whole. A large body takes its turn among the large bodies of
 * this isolate, until `use` has ended.
 *
 * @throws AppError `FILE_TOO_LARGE`, `BAD_REQUEST` when the body breaks off, `SERVICE_BUSY` when other large bodies take too long.
 */
export async function useHeldBody<Result>(
	request: Request,
	{ clock, admitLarge, ...rules }: HeldBodyRules,
	use: (bytes: Uint8Array) => Promise<Result>,
): Promise<Result> {
	return useAdmitted(clock, admitLarge, async (admit) => use(await readAdmitted(request, { ...rules, admitLarge: admit })));
}
