import { formatScore } from "../../../../src/domain/formats.ts";
import type { Schemas } from "../../api/client.ts";
import { Table } from "../../components/Table.tsx";
import { formatGain, sortByGain, sumGains } from "../../rules/gains.ts";
import { OpenAppeal } from "../reviews/OwnAppeal.tsx";

type Dimension = Schemas["Dimension"];

const COLUMNS = [
	{ id: "name", head: "Criterion", cell: ({ criterion_name }: Dimension) => criterion_name },
	{ id: "score", head: "Score", cell: ({ score }: Dimension) => formatScore(score), isNumber: true },
	{ id: "weight", head: "Weight", cell: ({ weight }: Dimension) => `${weight} %`, isNumber: true },
	{ id: "gain", head: "Still to gain", cell: (dimension: Dimension) => <strong>{formatGain(dimension) ?? "–"}</strong>, isNumber: true },
	{ id: "reasoning", head: "Why", cell: ({ reasoning }: Dimension) => <span className="reasoning">{reasoning}</span> },
];

function appealColumn(submission: Pick<Schemas["Submission"], "id" | "dimensions">) {
	return {
		id: "appeal",
		head: "Wrong?",
		cell: ({ criterion_name }: Dimension) => <OpenAppeal submission={submission} criterion={criterion_name} />,
	};
}

/** Shows the score of each criterion, the one with the most to gain first. */
export function Gains({ submission }: { readonly submission: Pick<Schemas["Submission"], "id" | "dimensions" | "appeal"> }) {
	const { dimensions, appeal } = submission;
	if (dimensions.length === 0) return null;
	const sum = sumGains(dimensions);
	return (
		<section className="section" aria-labelledby="gains">
			<h2 id="gains">What you can still gain</h2>
			{sum !== null && (
				<p className="soft">
					{formatScore(sum) === formatScore(0)
						? "Nothing: every criterion has full points."
						: `You can still gain ${formatScore(sum)} points. The criteria with the most to gain come first.`}
				</p>
			)}
			<Table
				label="Scores by criterion"
				columns={appeal === null ? [...COLUMNS, appealColumn(submission)] : COLUMNS}
				rows={sortByGain(dimensions)}
				rowKey={({ criterion_name }) => criterion_name}
			/>
		</section>
	);
}
