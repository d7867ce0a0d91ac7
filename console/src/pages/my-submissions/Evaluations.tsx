import { useQuery } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "../../api/client.ts";
import { CopyButton } from "../../components/CopyButton.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Loading } from "../../components/Progress.tsx";
import { formatScore } from "../../components/Scores.tsx";
import { Table } from "../../components/Table.tsx";
import { formatDateTime } from "../../rules/time.ts";

type Evaluation = Schemas["Evaluation"];

const ROUNDS = { submission: "First evaluation", re_evaluation: "Judged again", final: "Final round" } as const;

const COLUMNS = [
	{ id: "round", head: "Evaluation", cell: ({ round, iteration }: Evaluation) => `${iteration}. ${ROUNDS[round]}` },
	{ id: "when", head: "When", cell: ({ created_at }: Evaluation) => formatDateTime(created_at) },
	{ id: "score", head: "Score", cell: ({ final_score }: Evaluation) => formatScore(final_score), isNumber: true },
	{ id: "judge", head: "Judge", cell: ({ judge, models }: Evaluation) => [judge, ...models].join(" · ") },
	{
		id: "receipt",
		head: "Receipt",
		cell: ({ receipt, iteration }: Evaluation) => <CopyButton text={receipt} label={`Copy the receipt of ${iteration}`} />,
	},
];

/** Every evaluation of a submission. A receipt proves it to anyone. */
export function Evaluations({ submissionId }: { readonly submissionId: string }) {
	const { data, error } = useQuery({
		queryKey: ["submission", submissionId, "evaluations"],
		queryFn: () => unwrap(api.GET("/api/v1/submissions/{id}/evaluations", { params: { path: { id: submissionId } } })),
	});
	return (
		<section className="section" aria-labelledby="evaluations">
			<h2 id="evaluations">Evaluations</h2>
			{error !== null && <ErrorMessage error={error} />}
			{data === undefined && error === null && <Loading label="Loading the evaluations" />}
			{data !== undefined && data.data.length > 0 && (
				<Table label="All evaluations" columns={COLUMNS} rows={data.data} rowKey={({ id }) => id} />
			)}
			{data !== undefined && data.data.length === 0 && <p className="soft">There is no evaluation yet.</p>}
		</section>
	);
}
