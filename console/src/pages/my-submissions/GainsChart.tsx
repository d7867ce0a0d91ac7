import { waterfallChart } from "../../../../src/domain/charts/bars.ts";
import type { Schemas } from "../../api/client.ts";
import { ChartFigure } from "../../components/ChartFigure.tsx";
import { sortByGain } from "../../rules/gains.ts";

/** Shows how the criteria could raise the score to its maximum. */
export function GainsChart({ dimensions, score }: { readonly dimensions: readonly Schemas["Dimension"][]; readonly score: number }) {
	const gains = sortByGain(dimensions).map(({ criterion_name, potential_points }) => ({
		name: criterion_name,
		points: potential_points ?? 0,
	}));
	const chart = waterfallChart(score, gains);
	if (chart === null) return null;
	return (
		<section className="section" aria-labelledby="way-up">
			<h2 id="way-up">Points to gain</h2>
			<ChartFigure chart={chart} />
		</section>
	);
}
