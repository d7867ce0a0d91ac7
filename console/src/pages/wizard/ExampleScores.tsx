import { formatScore } from "../../../../src/domain/formats.ts";
import { Table } from "../../components/Table.tsx";
import { type ExampleRow, pairExamples, type ScoredWork } from "../../rules/examples.ts";

const show = (score: number | null) => (score === null ? "–" : formatScore(score));

const COLUMNS = [
	{ id: "name", head: "Criterion", cell: ({ criterion }: ExampleRow) => criterion },
	{ id: "weight", head: "Weight", cell: ({ weight }: ExampleRow) => `${weight} %`, isNumber: true },
	{ id: "good", head: "Good", cell: ({ good }: ExampleRow) => show(good), isNumber: true },
	{ id: "weak", head: "Weak", cell: ({ weak }: ExampleRow) => show(weak), isNumber: true },
];

interface ExampleScoresProps {
	readonly good: ScoredWork;
	readonly weak: ScoredWork;
	/** Who gave the scores. */
	readonly judge: string;
}

/** Shows the scores of a template's good and weak example side by side. */
export function ExampleScores({ good, weak, judge }: ExampleScoresProps) {
	return (
		<>
			<p role="status">
				Good example <strong className="big-number">{formatScore(good.score)}</strong>, weak example{" "}
				<strong className="big-number">{formatScore(weak.score)}</strong> of 100, {judge}
			</p>
			<Table
				label="Scores of both examples"
				columns={COLUMNS}
				rows={pairExamples(good, weak)}
				rowKey={({ criterion }) => criterion}
				fitsPhone
			/>
		</>
	);
}
