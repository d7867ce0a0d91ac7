import { useMutation, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas } from "../../api/client.ts";
import { encodeFiles } from "../../api/sdk.ts";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Progress } from "../../components/Progress.tsx";
import { pairs } from "../../platform/read-files.ts";
import { isOtherTask, type ScoredWork } from "../../rules/examples.ts";
import { findTemplate, type Template } from "../../rules/templates.ts";
import { describeWait } from "../../rules/waits.ts";
import { ExampleScores } from "./ExampleScores.tsx";
import { EXAMPLE_LABELS, runQuery, runsKey, runsQuery } from "./runs.ts";
import type { ExampleKind } from "./template-examples.ts";
import type { TaskDetail } from "./use-wizard.ts";

/** Offers the two example submissions if the draft started from a template. */
export function ExampleRuns({ task }: { readonly task: TaskDetail }) {
	const template = findTemplate(task.criteria);
	return template === null ? null : <Examples task={task} template={template} />;
}

interface ExamplesProps {
	readonly task: TaskDetail;
	readonly template: Template;
}

/** Judges both example submissions of the draft's template as dry runs with one click, and shows them side by side. */
function Examples({ task, template }: ExamplesProps) {
	const queries = useQueryClient();
	const { data: runs } = useQuery(runsQuery(task.id));
	const start = useMutation({
		mutationFn: async () => {
			const { readExample } = await import("./template-examples.ts");
			for (const kind of ["good", "weak"] satisfies ExampleKind[]) {
				const files = await encodeFiles(pairs(readExample(template.id, kind)));
				await api.startDryRun(task.id, { files, label: EXAMPLE_LABELS[kind] });
			}
		},
		onSettled: () => queries.invalidateQueries({ queryKey: runsKey(task.id) }),
	});
	const good = runs?.data.find(({ label }) => label === EXAMPLE_LABELS.good);
	const weak = runs?.data.find(({ label }) => label === EXAMPLE_LABELS.weak);
	return (
		<section className="card" aria-labelledby="examples">
			<h2 id="examples">Two examples</h2>
			<p>
				The template “{template.name}” comes with {template.example}. See how the judge tells them apart. It uses two dry runs.
			</p>
			{isOtherTask(template, task.description ?? "") && (
				<p className="soft">
					They answer the example in the template's text, which you have changed. So a judge that reads for meaning will not find in them
					what your task asks for.
				</p>
			)}
			{good !== undefined && weak !== undefined && <Outcome task={task} ids={[good.id, weak.id]} />}
			{start.error !== null && <ErrorMessage error={start.error} title="The examples were not judged." />}
			<div className="actions">
				<Button isPending={start.isPending} onPress={() => start.mutate()}>
					Judge both examples
				</Button>
			</div>
		</section>
	);
}

function Outcome({ task, ids }: { readonly task: TaskDetail; readonly ids: readonly [good: string, weak: string] }) {
	const queries = useQueryClient();
	const [good, weak] = useQueries({ queries: ids.map((id) => runQuery(queries, { taskId: task.id, id })) });
	const error = good?.error ?? weak?.error ?? null;
	if (error !== null) return <ErrorMessage error={error} />;
	const runs = [good?.data, weak?.data];
	const waiting = runs.find((run) => run === undefined || run.status === "running");
	if (runs.some((run) => run === undefined || run.status === "running"))
		return <Progress label={describeWait(waiting?.waiting_for ?? null) ?? "The judge is reading both examples…"} value={null} />;
	const [first, second] = runs.map((run) => (run === undefined ? null : scoredWork(run)));
	if (first == null || second == null) {
		const failed = runs.find((run) => run?.scores === null);
		return (
			<div className="notice notice-error">
				<p>{failed?.error_message ?? "The examples could not be judged."}</p>
			</div>
		);
	}
	return <ExampleScores good={first} weak={second} judge="as on the leaderboard" />;
}

function scoredWork({ scores, dimensions }: Schemas["DryRun"]): ScoredWork | null {
	if (scores === null) return null;
	return {
		score: scores.final_score,
		dimensions: dimensions.map(({ criterion_name, weight, score }) => ({ criterion: criterion_name, weight, score })),
	};
}
