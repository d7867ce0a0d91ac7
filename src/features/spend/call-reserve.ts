// Keeps the calls of one evaluation within what was reserved for it.
import { addSpend, isWithin, type Spend, scaleSpend } from "../../domain/spend.ts";
import type { WithinReserve } from "../../ports/judge.ts";

interface CallReserve {
	readonly reserved: Spend;
	/** What one call may use. */
	readonly call: Spend;
	/** What this attempt has used so far. */
	readonly spent: () => Spend;
	/** What is thrown when there is no room for another call. */
	readonly usedUp: () => Error;
}

/**
 * A call starts when it fits beside what was used and the calls under way. Most calls use less than they may, so it waits for those to end
 * before it gives up. The first call always starts, so every attempt gets on.
 */
export function keepWithin({ reserved, call, spent, usedUp }: CallReserve): WithinReserve {
	let underWay = 0;
	let hasBegun = false;
	let waiting: (() => void)[] = [];
	const hasRoom = () => !hasBegun || isWithin(addSpend(spent(), scaleSpend(call, underWay + 1)), reserved);
	return async (paid) => {
		while (!hasRoom()) {
			if (underWay === 0) throw usedUp();
			await new Promise<void>((resolve) => waiting.push(resolve));
		}
		hasBegun = true;
		underWay += 1;
		try {
			return await paid();
		} finally {
			underWay -= 1;
			const woken = waiting;
			waiting = [];
			for (const wake of woken) wake();
		}
	};
}
