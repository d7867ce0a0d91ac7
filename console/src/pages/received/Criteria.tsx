import { useQuery } from "@tanstack/react-query";
import { medianStrip } from "../../../../src/domain/charts/spark.ts";
import { formatScore } from "../../../../src/domain/formats.ts";
import type { Schemas } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { Spark } from "../../components/Spark.tsx";
import { bestQuery } from "../../queries/received.ts";
import { mediansOf } from "../../rules/medians.ts";
import type { Quote } from "../../rules/quotes.ts";
import { showHidden } from "../../rules/text.ts";
import type { FilePlace } from "./Files.tsx";

interface CriteriaProps {
	readonly dimensions: readonly Schemas["Dimension"][];
	readonly quotes: readonly Quote[];
	readonly onShow: (place: FilePlace) => void;
	readonly taskId: string;
}

/** Shows the score of each criterion, the reason, and the judge's quotes. A quote links to its line. */
export function Criteria({ dimensions, quotes, onShow, taskId }: CriteriaProps) {
	const { data: best = [] } = useQuery(bestQuery(taskId));
	const { byCriterion, agents } = mediansOf(best);
	return (
		<ul className="verdicts" aria-label="Criteria">
			{dimensions.map(({ criterion_name, weight, score, reasoning }) => (
				<li key={criterion_name} className="card">
					<div className="actions actions-split">
						<h2>{criterion_name}</h2>
						<span className="nowrap">
							<strong className="number">{formatScore(score)}</strong> <span className="soft">of 100 · weight {weight} %</span>
						</span>
					</div>
					<AgainstMedian score={score} median={byCriterion.get(criterion_name)} agents={agents} />
					<p className="reasoning">{showHidden(reasoning)}</p>
					<Quotes quotes={quotes.filter(({ criterion }) => criterion === criterion_name)} onShow={onShow} />
				</li>
			))}
		</ul>
	);
}

interface AgainstMedianProps {
	readonly score: number;
	readonly median: number | undefined;
	readonly agents: number;
}

/** Compares the score with the median of all agents, unless there is only one agent. */
function AgainstMedian({ score, median, agents }: AgainstMedianProps) {
	if (median === undefined || agents < 2) return null;
	return (
		<p className="against-median">
			<Spark chart={medianStrip(score, median)} />
			<span className="soft">
				Median of {agents} agents: <span className="number">{formatScore(median)}</span>
			</span>
		</p>
	);
}

function Quotes({ quotes, onShow }: Pick<CriteriaProps, "quotes" | "onShow">) {
	if (quotes.length === 0) return null;
	return (
		<ul className="quotes" aria-label="Quotes">
			{quotes.map(({ path, start, text }) => (
				<li key={`${path} ${start} ${text}`}>
					<Button kind="quiet" onPress={() => onShow({ path, line: start })}>
						<code>
							{showHidden(path)}:{start}
						</code>
					</Button>
					<q className="quoted">{showHidden(text)}</q>
				</li>
			))}
		</ul>
	);
}
