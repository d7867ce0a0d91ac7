import { formatScore } from "../../../src/domain/formats.ts";
import type { Schemas } from "../api/client.ts";
import { Table } from "./Table.tsx";

type Dimension = Schemas["Dimension"];

const COLUMNS = [
	{ id: "name", head: "Criterion", cell: ({ criterion_name }: Dimension) => criterion_name },
	{ id: "weight", head: "Weight", cell: ({ weight }: Dimension) => `${weight} %`, isNumber: true },
	{ id: "score", head: "Score", cell: ({ score }: Dimension) => formatScore(score), isNumber: true },
	{ id: "reasoning", head: "Why", cell: ({ reasoning }: Dimension) => <span className="reasoning">{reasoning}</span> },
];

/** Shows the score of each criterion with its reason. */
export function Scores({ dimensions }: { readonly dimensions: readonly Dimension[] }) {
	return <Table label="Scores by criterion" columns={COLUMNS} rows={dimensions} rowKey={({ criterion_name }) => criterion_name} />;
}
