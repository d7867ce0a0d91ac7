import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { formatScore } from "../../../../src/domain/formats.ts";
import { MODES } from "../../../../src/domain/modes.ts";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { FileDrop } from "../../components/FileDrop.tsx";
import { Table } from "../../components/Table.tsx";
import type { Draft } from "../../rules/draft.ts";
import type { PickedFile } from "../../rules/picked-file.ts";
import { isComplete } from "../../rules/rubric.ts";
import { findTemplate } from "../../rules/templates.ts";
import { ExamplesHere } from "./ExamplesHere.tsx";
import { loadLocalJudge } from "./lint-draft.ts";

type Result = Awaited<ReturnType<Awaited<ReturnType<typeof loadLocalJudge>>["judgeHere"]>>;
type Dimension = Result["dimensions"][number];

const COLUMNS = [
	{ id: "name", head: "Criterion", cell: ({ criterion }: Dimension) => criterion },
	{ id: "weight", head: "Weight", cell: ({ weight }: Dimension) => `${weight} %`, isNumber: true },
	{ id: "score", head: "Score", cell: ({ score }: Dimension) => formatScore(score), isNumber: true },
	{
		id: "checks",
		head: "Checks",
		cell: ({ checks }: Dimension) => (
			<ul>
				{checks.map(({ check, found }) => (
					<li key={check}>
						{check} <strong>{found === "not_seen" ? "not seen" : found}</strong>
					</li>
				))}
			</ul>
		),
	},
];

/** A dry run for visitors: the offline judge reads the files in this browser. */
export function TryHere({ draft }: { readonly draft: Draft }) {
	const [files, setFiles] = useState<readonly PickedFile[]>([]);
	const judge = useMutation({ mutationFn: async () => (await loadLocalJudge()).judgeHere(draft, files) });
	const template = findTemplate(draft.criteria);
	if (MODES[draft.mode].isExternal) return <p className="soft">Your own service judges this task, so dry runs are not available.</p>;
	if (!isComplete(draft.criteria)) return <p className="soft">Complete the rubric first.</p>;
	return (
		<div className="form">
			<p className="soft">
				Try the rubric here: drop a good solution, or a bad one, and see how it scores. The files stay in this browser.
			</p>
			<div className="notice">
				<p>
					This judge only compares words. The real judge reads for meaning, so its scores will differ. You can try it in the last step,
					before you publish.
				</p>
			</div>
			{template !== null && <ExamplesHere template={template} draft={draft} />}
			<FileDrop files={files} onChange={setFiles} />
			{judge.error !== null && <ErrorMessage error={judge.error} title="The files were not judged." />}
			<div className="actions">
				<Button isDisabled={files.length === 0} isPending={judge.isPending} onPress={() => judge.mutate()}>
					Try these files
				</Button>
			</div>
			{judge.data !== undefined && <Outcome result={judge.data} />}
		</div>
	);
}

function Outcome({ result: { score, dimensions, unreadPaths } }: { readonly result: Result }) {
	return (
		<section className="section" aria-labelledby="tried">
			<h2 id="tried">Result</h2>
			<p role="status">
				<strong className="big-number">{formatScore(score)}</strong> of 100, by comparing words
			</p>
			{unreadPaths.length > 0 && (
				<p className="soft">These files were not read, because they are not text or are too large: {unreadPaths.join(", ")}</p>
			)}
			<Table label="Scores by criterion" columns={COLUMNS} rows={dimensions} rowKey={({ criterion }) => criterion} />
		</section>
	);
}
