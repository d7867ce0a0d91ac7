// The distribution of scores as a chart, with the same facts in words.
import { type Distribution, distributionChart } from "../../domain/charts/bars.ts";
import { formatScore } from "../../domain/formats.ts";
import { ChartPicture, DataTable } from "./chart-figure.tsx";

export function DistributionPlot({ distribution }: { readonly distribution: Distribution }) {
	const { median, best, count } = distribution;
	const chart = distributionChart(distribution);
	return (
		<figure class="chart distribution">
			<ChartPicture chart={chart} />
			<figcaption>
				{count === 1 ? "1 competitor" : `${count} competitors`}. Median <b>{formatScore(median)}</b> (line), best <b>{formatScore(best)}</b>
				.
			</figcaption>
			<DataTable chart={chart} />
		</figure>
	);
}
