// Reads `Accept` headers without hono/accepts. hono/accepts would ignore `*/*`, so `application/json;q=0, */*` would get JSON. Of types
// with equal weights, it would choose the first, so JSON would win against CSV.
import { type Accept, parseAccept } from "hono/utils/accept";

/**
 * Chooses the content type that an `Accept` header prefers: by quality, then by specificity, then by position.
 *
 * @param supported A caller that accepts anything, or sends no `Accept`, gets the first one.
 */
export function preferredType<const Type extends string>(accept: string | null, supported: readonly [Type, ...Type[]]): Type {
	const ranges = parseAccept(accept ?? "");
	let best: { type: Type; q: number; exactness: number; place: number } | undefined;
	for (const type of supported) {
		// For each type, the most specific range decides, even if a wider one has a higher weight.
		const [range] = [type, `${type.split("/")[0]}/*`, "*/*"].flatMap((wanted, index) => {
			const place = findPlace(ranges, wanted);
			return place === -1 ? [] : [{ type, q: ranges[place]?.q ?? 0, exactness: 2 - index, place }];
		});
		if (range === undefined || range.q <= 0) continue;
		const lead = best === undefined ? 1 : range.q - best.q || range.exactness - best.exactness || best.place - range.place;
		if (lead > 0) best = range;
	}
	return best?.type ?? supported[0];
}

/**
 * Returns true if an `Accept` header names CSV and gives JSON no higher weight. Only a caller that needs CSV names it, so CSV wins with
 * equal weights, and wildcards do not count as JSON.
 */
export function prefersCsv(accept: string | undefined): boolean {
	const ranges = parseAccept(accept ?? "");
	const csv = weightOf(ranges, "text/csv");
	return csv > 0 && csv >= weightOf(ranges, "application/json");
}

/** Returns the weight of exactly this type. Returns 0 if the type is not named or its weight is not a number. */
function weightOf(ranges: readonly Accept[], type: string): number {
	const range = ranges[findPlace(ranges, type)];
	if (range === undefined) return 0;
	const weight = Number(range.params["q"] ?? range.params["Q"] ?? 1);
	return Number.isNaN(weight) ? 0 : weight;
}

function findPlace(ranges: readonly Accept[], type: string): number {
	return ranges.findIndex((range) => range.type.toLowerCase() === type);
}
