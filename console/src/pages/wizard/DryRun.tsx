import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { formatChange, formatScore } from "../../../../src/domain/formats.ts";
import { api, type Schemas } from "../../api/client.ts";
import { Checkbox } from "../../components/Checkbox.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Progress } from "../../components/Progress.tsx";
import { Scores } from "../../components/Scores.tsx";
import { Table } from "../../components/Table.tsx";
import { describeWait } from "../../rules/waits.ts";
import { runQuery, runsKey } from "./runs.ts";
import type { TaskDetail } from "./use-wizard.ts";

type Run = Schemas["DryRun"];

/** Shows a dry run: its progress, then its scores, and how far they are from what the poster expected. */
export function DryRun({ task, id }: { readonly task: TaskDetail; readonly id: string }) {
	const queries = useQueryClient();
	const { data: run, error } = useQuery(runQuery(queries, { taskId: task.id, id }));
	if (error !== null) return <ErrorMessage error={error} />;
	if (run === undefined || run.status === "running")
		return <Progress label={describeWait(run?.waiting_for ?? null) ?? "The judge is reading the files…"} value={null} />;
	return <Result run={run} hasHidden={task.criteria.some(({ final_only }) => final_only)} />;
}

/** While the task is a draft, a dry run can become a case of the judge check. */
function Reference({ run: { id, task_id: taskId, reference } }: { readonly run: Run }) {
	const queries = useQueryClient();
	const change = useMutation({
		mutationFn: (isReference: boolean) => api.updateDryRun(id, { reference: isReference }),
		onSuccess: () =>
			Promise.all([queries.invalidateQueries({ queryKey: ["dry-run", id] }), queries.invalidateQueries({ queryKey: runsKey(taskId) })]),
	});
	return (
		<>
			<Checkbox isSelected={reference} onChange={(isReference) => change.mutate(isReference)}>
				Use this run in the judge check (at most four runs). The judge must score it at most 15 points lower than you, or somewhat lower if
				its samples vary a lot. It never sees the run while it judges submissions
			</Checkbox>
			{change.error !== null && <ErrorMessage error={change.error} title="The case was not changed." />}
		</>
	);
}

function Result({ run, hasHidden }: { readonly run: Run; readonly hasHidden: boolean }) {
	return (
		<section className="section" aria-labelledby="result">
			<h2 id="result">{run.label ?? "Result"}</h2>
			{run.scores === null ? (
				<div className="notice notice-error">
					<p>{run.error_message ?? "The files could not be judged."}</p>
				</div>
			) : (
				<p role="status">
					<strong className="big-number">{formatScore(run.scores.final_score)}</strong> of 100,{" "}
					{hasHidden ? "hidden criteria included, as in the final round" : "as it would be on the leaderboard"}
				</p>
			)}
			{run.scores !== null && run.expected !== null && <Reference run={run} />}
			{run.scores !== null && run.expected === null && (
				<p className="soft">To use a run in the judge check, enter the scores that you expect above, and judge the files again.</p>
			)}
			{run.agreement !== null && <Agreement agreement={run.agreement} />}
			{run.dimensions.length > 0 && <Scores dimensions={run.dimensions} />}
		</section>
	);
}

type AgreementFacts = NonNullable<Schemas["DryRun"]["agreement"]>;
type CriterionAgreement = AgreementFacts["criteria"][number];

const COLUMNS = [
	{ id: "name", head: "Criterion", cell: ({ criterion_name }: CriterionAgreement) => criterion_name },
	{ id: "yours", head: "You", cell: ({ expected }: CriterionAgreement) => formatScore(expected), isNumber: true },
	{ id: "judge", head: "Judge", cell: ({ score }: CriterionAgreement) => (score === null ? "–" : formatScore(score)), isNumber: true },
	{
		id: "difference",
		head: "Difference",
		cell: ({ expected, score }: CriterionAgreement) => (score === null ? "–" : formatChange(score - expected)),
		isNumber: true,
	},
];

/** Shows how much the judge's scores differ from the poster's. */
function Agreement({ agreement: { mean_absolute_error, criteria } }: { readonly agreement: AgreementFacts }) {
	return (
		<section className="section" aria-labelledby="agreement">
			<h3 id="agreement">You and the judge</h3>
			{mean_absolute_error !== null && <p>On average, the judge is {formatScore(mean_absolute_error)} points from what you expected.</p>}
			<p className="soft">This compares the scores of one dry run with what you expected. Other submissions may differ more.</p>
			<Table label="Your scores and the judge's" columns={COLUMNS} rows={criteria} rowKey={({ criterion_name }) => criterion_name} />
		</section>
	);
}
