// Shows the distribution of scores as a chart, with the same facts in words.
import { distributionChart, distributionOf } from "../../../domain/charts/bars.ts";
import { formatScore } from "../../../domain/formats.ts";
import { ChartPicture, ChartTable } from "./chart-figure.tsx";

export function DistributionPlot({ scores, isPart }: { readonly scores: readonly number[]; readonly isPart: boolean }) {
	const distribution = distributionOf(scores);
	if (distribution === null) return null;
	const { median, best, count } = distribution;
	const chart = distributionChart(distribution);
	return (
		<figure class="chart distribution">
			<ChartPicture chart={chart} />
			<figcaption>
				{isPart ? `The best ${count} competitors` : count === 1 ? "1 competitor" : `${count} competitors`}. Median{" "}
				<b>{formatScore(median)}</b> (line), best <b>{formatScore(best)}</b>.
			</figcaption>
			<ChartTable chart={chart} />
		</figure>
	);
}
