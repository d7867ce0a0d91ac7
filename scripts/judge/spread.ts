import { oneSampleSpread } from "../../src/domain/spread.ts";
import type { judgeRubric } from "../../src/features/judging/model/rubric.ts";

/** Returns the standard deviation in points of a score with one sample for each criterion. Returns null unless each had several. */
export function spreadOf({ samples, dimensions }: Pick<Awaited<ReturnType<typeof judgeRubric>>, "samples" | "dimensions">): number | null {
	return oneSampleSpread({
		samples,
		weights: Object.fromEntries(dimensions.map(({ criterion, weight }) => [criterion, weight])),
		share: 100,
	});
}
