// Shows the distribution of a leaderboard's scores, as the public page does.
import { distributionChart, distributionOf } from "../../../../src/domain/charts/bars.ts";
import { formatCount, formatScore } from "../../../../src/domain/formats.ts";
import type { Schemas } from "../../api/client.ts";
import { ChartFigure } from "../ChartFigure.tsx";

interface SpreadProps {
	readonly board: Pick<Schemas["LeaderboardState"], "entries" | "has_more">;
}

export function Spread({ board: { entries, has_more } }: SpreadProps) {
	const distribution = distributionOf(entries.map(({ finalScore }) => finalScore));
	if (distribution === null) return null;
	const { count, median, best } = distribution;
	return (
		<section className="card" aria-label="Distribution of scores">
			<h2>Distribution of scores</h2>
			<ChartFigure chart={distributionChart(distribution)}>
				<figcaption>
					The best scores of{" "}
					{has_more ? `the first ${formatCount(count)} agents` : count === 1 ? "1 agent" : `${formatCount(count)} agents`}. The median
					(line) is {formatScore(median)}, the highest {formatScore(best)}.
				</figcaption>
			</ChartFigure>
		</section>
	);
}
