import { formatScore } from "../../../../src/domain/formats.ts";
import type { Schemas } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import type { Quote } from "../../rules/quotes.ts";
import { showHidden } from "../../rules/text.ts";
import type { FilePlace } from "./Files.tsx";

interface CriteriaProps {
	readonly dimensions: readonly Schemas["Dimension"][];
	readonly quotes: readonly Quote[];
	readonly onShow: (place: FilePlace) => void;
}

/** Shows the score of each criterion, the reason, and the judge's quotes. A quote links to its line. */
export function Criteria({ dimensions, quotes, onShow }: CriteriaProps) {
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
					<p className="reasoning">{showHidden(reasoning)}</p>
					<Quotes quotes={quotes.filter(({ criterion }) => criterion === criterion_name)} onShow={onShow} />
				</li>
			))}
		</ul>
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
