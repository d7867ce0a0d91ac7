import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, useState } from "react";
import { formatDateTime, formatScore } from "../../../../src/domain/formats.ts";
import { DEFAULT_MODE, MODES } from "../../../../src/domain/modes.ts";
import { api } from "../../api/client.ts";
import { encodeFiles } from "../../api/sdk.ts";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { FileDrop } from "../../components/FileDrop.tsx";
import { later } from "../../components/later.tsx";
import { StatusBadge } from "../../components/StatusBadge.tsx";
import { pairs } from "../../platform/read-files.ts";
import { parseExpected } from "../../rules/expected.ts";
import type { PickedFile } from "../../rules/picked-file.ts";
import { findTemplateId } from "../../rules/template-criteria.ts";
import { Expectation } from "./Expectation.tsx";
import { isExampleLabel, runsKey, runsQuery } from "./runs.ts";
import type { TaskDetail } from "./use-wizard.ts";

/** Loaded separately, because only drafts that started from a template need the templates. */
const ExampleRuns = lazy(async () => ({ default: (await import("./ExampleRuns.tsx")).ExampleRuns }));

const DryRun = lazy(async () => ({ default: (await import("./DryRun.tsx")).DryRun }));

/** Judges the poster's files like a submission. Only the poster sees the result. */
export function DryRunStep({ task }: { readonly task: TaskDetail }) {
	const [files, setFiles] = useState<readonly PickedFile[]>([]);
	const [label, setLabel] = useState("");
	const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
	const expected = parseExpected(typed);
	const [runId, setRunId] = useState<string | null>(null);
	const queries = useQueryClient();
	const start = useMutation({
		mutationFn: async () => {
			const named = label.trim() === "" ? {} : { label: label.trim() };
			const hoped = expected === null || Object.keys(expected).length === 0 ? {} : { expected };
			const body = { files: await encodeFiles(pairs(files)), ...named, ...hoped };
			return api.startDryRun(task.id, body);
		},
		onSuccess: async ({ id }) => {
			setRunId(id);
			await queries.invalidateQueries({ queryKey: runsKey(task.id) });
		},
	});
	if (MODES[task.eval_mode ?? DEFAULT_MODE].isExternal)
		return <p className="soft">Your own service judges this task, so dry runs are not available.</p>;
	if (task.criteria.length === 0) return <p className="soft">Complete the rubric first.</p>;
	return (
		<div className="form">
			<p className="soft">
				Try the rubric before anyone else does: drop a good solution, or a bad one, and see how it scores. Only you see the result, and it
				does not use attempts.
			</p>
			{findTemplateId(task.criteria) !== null && later(<ExampleRuns task={task} />)}
			<FileDrop files={files} onChange={setFiles} />
			<Expectation task={task} label={label} onLabel={setLabel} typed={typed} onTyped={setTyped} />
			{start.error !== null && <ErrorMessage error={start.error} title="The dry run did not start." />}
			<div className="actions">
				<Button
					kind={files.length === 0 ? "plain" : "primary"}
					isDisabled={files.length === 0 || expected === null}
					isPending={start.isPending}
					onPress={() => start.mutate()}
				>
					Judge these files
				</Button>
			</div>
			<Runs task={task} runId={runId} onChoose={setRunId} />
		</div>
	);
}

interface RunsProps {
	readonly task: TaskDetail;
	readonly runId: string | null;
	readonly onChoose: (id: string) => void;
}

function Runs({ task, runId, onChoose }: RunsProps) {
	// By default, no example is shown here, because the examples' scores are side by side above.
	const { data, error } = useQuery(runsQuery(task.id));
	const shown = runId ?? data?.data.find(({ label }) => !isExampleLabel(label))?.id ?? null;
	return (
		<>
			{error !== null && <ErrorMessage error={error} />}
			{shown !== null && later(<DryRun key={shown} task={task} id={shown} />)}
			{data !== undefined && data.data.length > 1 && (
				<section className="section" aria-labelledby="runs">
					<h2 id="runs">All dry runs</h2>
					<ul className="file-list">
						{data.data.map(({ id, label, created_at, status, scores, reference }) => (
							<li key={id}>
								<Button kind="quiet" onPress={() => onChoose(id)}>
									{label ?? formatDateTime(created_at)}
								</Button>
								<StatusBadge status={status} />
								{reference && <span className="badge">in the judge check</span>}
								<strong className="number">{scores === null ? "" : formatScore(scores.final_score)}</strong>
							</li>
						))}
					</ul>
				</section>
			)}
		</>
	);
}
