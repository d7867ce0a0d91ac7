import { lazy } from "react";
import { checksBeyond } from "../../../../src/domain/glossary.ts";
import { MODES } from "../../../../src/domain/modes.ts";
import type { Schemas } from "../../api/client.ts";
import { later } from "../later.tsx";
import { Markdown } from "../Markdown.tsx";
import { Table } from "../Table.tsx";
import { PublicCases } from "./PublicCases.tsx";
import { TaskFiles } from "./TaskFiles.tsx";

/** Loaded separately, because drafts have no record. */
const TaskRecord = lazy(async () => ({ default: (await import("./TaskRecord.tsx")).TaskRecord }));

type Task = Schemas["TaskDetail"];
type Criterion = Schemas["Criterion"];

const COLUMNS = [
	{ id: "name", head: "Criterion", cell: ({ name }: Criterion) => name },
	{ id: "weight", head: "Weight", cell: ({ weight }: Criterion) => `${weight} %`, isNumber: true },
	{
		id: "description",
		head: "What the judge looks for",
		cell: (criterion: Criterion) => <Sought criterion={criterion} />,
	},
];

/** Shows the description, input, output, files, public test cases, rubric and public log of a task. */
export function TaskText({ task }: { readonly task: Task }) {
	const parts = [
		["Description", task.description ?? ""],
		["Input", task.input_spec],
		["Output", task.output_spec],
	] as const;
	return (
		<>
			{parts
				.filter(([, text]) => text.trim() !== "")
				.map(([title, text]) => (
					<section key={title} className="section" aria-label={title}>
						<h2>{title}</h2>
						<Markdown text={text} />
					</section>
				))}
			<TaskFiles taskId={task.id} />
			{MODES[task.eval_mode ?? "llm"].usesImage && <PublicCases taskId={task.id} />}
			<section className="section" aria-label="Rubric">
				<h2>Rubric</h2>
				<Table label="Criteria" columns={COLUMNS} rows={task.criteria} rowKey={({ name }) => name} />
			</section>
			{task.status !== "draft" && later(<TaskRecord task={task} />)}
		</>
	);
}

/** Shows what the judge looks for: the description, the checks, and what counts as proof. */
function Sought({ criterion: { description, checks, evidence, whole_checks, final_only, commitment } }: { readonly criterion: Criterion }) {
	const listed = checksBeyond(description, checks);
	const whole = whole_checks.map((position) => checks[position]);
	return (
		<div className="sought">
			{final_only && <span className="badge">final round only</span>}
			{description !== null && <span className="reasoning">{description}</span>}
			{listed.length > 0 && (
				<ul className="checks">
					{listed.map((check) => (
						<li key={check}>
							{check}
							{whole.includes(check) && <span className="soft"> (judged on the work as a whole)</span>}
						</li>
					))}
				</ul>
			)}
			{evidence === "any" && <span className="soft">A README or SUBMISSION.md at the root counts as proof too.</span>}
			{commitment !== undefined && (
				<span className="soft">
					Publishing fixed this criterion with the commitment <code className="digest">{commitment}</code>
				</span>
			)}
		</div>
	);
}
