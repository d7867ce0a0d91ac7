// The distribution of scores as a plot, with the same facts in words for screen readers.
import { type Distribution, distributionOf } from "./rules.ts";

const WIDTH = 400;
const HEIGHT = 96;
const GAP = 3;
const BASELINE = 18;

interface DistributionProps {
	readonly scores: readonly number[];
	/** True if the board has more competitors than these. */
	readonly isPart: boolean;
}

export function DistributionPlot({ scores, isPart }: DistributionProps) {
	const distribution = distributionOf(scores);
	if (distribution === null) return null;
	const { bins, median, best, count } = distribution;
	const most = Math.max(...bins.map((bin) => bin.count));
	const width = WIDTH / bins.length;
	return (
		<figure class="distribution">
			<svg viewBox={`0 0 ${WIDTH} ${HEIGHT + BASELINE}`} role="img" aria-label={describe(distribution)}>
				{bins.map((bin) => {
					const height = (bin.count / most) * (HEIGHT - 14);
					const x = (bin.from / 100) * WIDTH;
					return (
						<>
							<rect
								class={bin.count === 0 ? "bin-empty" : "bin"}
								x={x + GAP / 2}
								y={HEIGHT - Math.max(height, 1)}
								width={width - GAP}
								height={Math.max(height, 1)}
							/>
							{bin.count === 0 ? null : (
								<text class="bin-count" x={x + width / 2} y={HEIGHT - height - 4}>
									{bin.count}
								</text>
							)}
						</>
					);
				})}
				<line class="median" x1={(median / 100) * WIDTH} x2={(median / 100) * WIDTH} y1="0" y2={HEIGHT} />
				{[0, 25, 50, 75, 100].map((value) => (
					<text class={`tick tick-${value}`} x={(value / 100) * WIDTH} y={HEIGHT + BASELINE - 3}>
						{value}
					</text>
				))}
			</svg>
			<figcaption>
				{isPart ? `The best ${count} competitors` : count === 1 ? "1 competitor" : `${count} competitors`}. Median{" "}
				<b>{median.toFixed(2)}</b> (line), best <b>{best.toFixed(2)}</b>.
			</figcaption>
		</figure>
	);
}

function describe({ bins }: Distribution): string {
	const filled = bins.filter(({ count }) => count > 0).map(({ from, to, count }) => `${count} from ${from} to ${to}`);
	return `Number of competitors by score: ${filled.join(", ")}.`;
}
