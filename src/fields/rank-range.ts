// The ranks of a leaderboard entry that the noise of judging leaves possible.
import { asc, desc, gt, lt, sql } from "drizzle-orm";
import { type NoiseOf, noiseBySamples, readNoisy } from "../db/task/noise.ts";
import { prepareOnce } from "../db/task/prepared.ts";
import { type BoardRow, board } from "../db/task/schema/submissions.ts";
import type { TaskRow } from "../db/task/schema/task.ts";
import type { TaskStore } from "../ports/task.ts";

/** Two scores differ with 95 % confidence if their difference is more than this many of its standard deviations. */
const OPEN_DEVIATIONS = 1.96;

/** The number of neighbours above an entry, and below it, that can widen the range of its ranks. */
export const RANK_WINDOW = 20;

interface RankedEntry {
	readonly finalScore: number;
	/** The number of samples of each criterion behind the score. */
	readonly samples: number;
	readonly rankKey: string;
}

/** Returns true if the noise of judging leaves the order of two entries open. The order of entries in different tiers is never open. */
function isOrderOpen(a: RankedEntry, b: RankedEntry, noiseOf: NoiseOf): boolean {
	if (a.rankKey[0] !== b.rankKey[0]) return false;
	const deviation = Math.hypot(noiseOf(a.samples), noiseOf(b.samples));
	return deviation > 0 && Math.abs(a.finalScore - b.finalScore) <= OPEN_DEVIATIONS * deviation;
}

/**
 * Computes an entry's possible ranks with 95 % confidence. Each neighbour that may really belong on the other side of the entry widens the
 * range by one rank.
 *
 * @param above The nearest entries that rank above the entry, at most {@link RANK_WINDOW}, in any order. `below` has those that rank below.
 */
export function rankRange(
	entry: RankedEntry,
	rank: number,
	{ above, below, noiseOf }: { readonly above: readonly RankedEntry[]; readonly below: readonly RankedEntry[]; readonly noiseOf: NoiseOf },
) {
	const countOpen = (others: readonly RankedEntry[]) => others.filter((other) => isOrderOpen(entry, other, noiseOf)).length;
	return { rankLow: rank - countOpen(above), rankHigh: rank + countOpen(below) };
}

type PlacedEntry = BoardRow & { readonly rank: number };

/** The entries of a leaderboard that are shown together. */
export interface ShownEntries {
	readonly task: TaskRow;
	/** The entries of a page, best first. */
	readonly page: readonly PlacedEntry[];
	/** True if more entries follow the page. */
	readonly hasMore: boolean;
	/** The reader's own entry, which is shown with every page. Null if the reader has none. */
	readonly own: PlacedEntry | null;
}

const aboveQuery = prepareOnce((db) =>
	db
		.select()
		.from(board)
		.where(lt(board.rankKey, sql.placeholder("rankKey")))
		.orderBy(desc(board.rankKey))
		.limit(RANK_WINDOW)
		.prepare(),
);
const belowQuery = prepareOnce((db) =>
	db
		.select()
		.from(board)
		.where(gt(board.rankKey, sql.placeholder("rankKey")))
		.orderBy(asc(board.rankKey))
		.limit(RANK_WINDOW)
		.prepare(),
);

/** Reads the neighbours of the shown entries. Returns a function that computes the possible ranks of one of them. */
export function readRankRanges(store: TaskStore, { task, page, hasMore, own }: ShownEntries) {
	const noiseOf = noiseBySamples(store.config, readNoisy(store, task));
	const rowsAbove = (entry: PlacedEntry) => (entry.rank === 1 ? [] : aboveQuery(store.db).all({ rankKey: entry.rankKey }).toReversed());
	const rowsBelow = ({ rankKey }: PlacedEntry) => belowQuery(store.db).all({ rankKey });
	const [first, last] = [page[0], page.at(-1)];
	const around = [...(first === undefined ? [] : rowsAbove(first)), ...page, ...(last === undefined || !hasMore ? [] : rowsBelow(last))];
	const places = new Map(around.map(({ rankKey }, index) => [rankKey, index]));
	const isOwnShown = page.some(({ rankKey }) => rankKey === own?.rankKey);
	const aroundOwn = own === null || isOwnShown ? null : { above: rowsAbove(own), below: rowsBelow(own) };
	return (entry: PlacedEntry) => {
		const place = places.get(entry.rankKey) ?? 0;
		const onPage = () => ({
			above: around.slice(Math.max(0, place - RANK_WINDOW), place),
			below: around.slice(place + 1, place + 1 + RANK_WINDOW),
		});
		const neighbours = aroundOwn !== null && entry.rankKey === own?.rankKey ? aroundOwn : onPage();
		return rankRange(entry, entry.rank, { ...neighbours, noiseOf });
	};
}
