// Keeps the calls of one evaluation within what was reserved for it.
import { addSpend, isWithin, type Spend, scaleSpend } from "../../domain/spend.ts";
import type { WithinReserve } from "../../ports/judge.ts";

interface CallReserve {
	readonly room: Spend;
	/** What one call may use. */
	readonly call: Spend;
	/** What this attempt has used so far. */
	readonly spent: () => Spend;
	/** Reserves one more call. Returns the room with it, or null when a ceiling leaves none. */
	readonly extend: () => Promise<Spend | null>;
	/** What is thrown when there is no room for another call. */
	readonly usedUp: () => Error;
}

/**
 * A call starts when it fits next to what was used and the calls under way. Most calls use less than they may, so it waits for those to end
 * before it asks for more. The first call always starts, so every attempt gets on.
 */
export function keepWithin({ call, spent, extend, usedUp, ...reserve }: CallReserve): WithinReserve {
	let { room } = reserve;
	let underWay = 0;
	let hasBegun = false;
	let waiting: (() => void)[] = [];
	let extending: Promise<Spend | null> | null = null;
	const hasRoom = () => !hasBegun || isWithin(addSpend(spent(), scaleSpend(call, underWay + 1)), room);
	const extendOnce = async () => {
		const extended = await extend().finally(() => {
			extending = null;
		});
		room = extended ?? room;
		return extended;
	};
	return async (paid) => {
		while (!hasRoom()) {
			if (underWay > 0) await new Promise<void>((resolve) => waiting.push(resolve));
			else {
				extending ??= extendOnce();
				if ((await extending) === null) throw usedUp();
			}
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
