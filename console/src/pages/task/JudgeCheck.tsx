import { formatScore } from "../../../../src/domain/formats.ts";
import { nameCheckCase } from "../../../../src/domain/glossary.ts";
import type { Schemas } from "../../api/client.ts";
import { Table } from "../../components/Table.tsx";

type Check = NonNullable<Schemas["TaskDetail"]["judge_check"]>;
type Case = Check["cases"][number];

const RESULTS = { running: "The platform is checking the judge.", passed: "The judge passed.", failed: "The judge failed." } as const;

const COLUMNS = [
	{ id: "name", head: "Submission", cell: nameCheckCase },
	{ id: "score", head: "Score", cell: ({ score }: Case) => (score === null ? "none" : formatScore(score)), isNumber: true },
	{
		id: "limit",
		head: "Passes with",
		cell: ({ expected_at_most, expected_at_least }: Case) =>
			expected_at_most === null ? `at least ${formatScore(expected_at_least ?? 0)}` : `at most ${formatScore(expected_at_most)}`,
		isNumber: true,
	},
	{ id: "passed", head: "Result", cell: ({ passed }: Case) => (passed === null ? "running" : passed ? "passed" : "failed") },
];

/** Shows how the judge scored submissions that do not do the work, and the poster's references. */
export function JudgeCheck({ check }: { readonly check: Check }) {
	const hasReferences = check.cases.some(({ expected_at_least }) => expected_at_least !== null);
	return (
		<section className="section" aria-label="Judge check">
			<p>
				{RESULTS[check.status]}{" "}
				<span className="soft">
					The platform's test submissions do not solve the task, so they must score low. They do not compete.
					{hasReferences && " The poster's reference submissions must reach a minimum score."}
				</span>
			</p>
			<Table label="Cases of the judge check" columns={COLUMNS} rows={check.cases} rowKey={({ name }) => name} />
		</section>
	);
}
