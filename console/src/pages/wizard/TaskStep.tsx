import { lazy } from "react";
import { LongTextInput, TextInput } from "../../components/Field.tsx";
import { later } from "../../components/later.tsx";
import { Markdown } from "../../components/Markdown.tsx";
import { Tabs } from "../../components/Tabs.tsx";
import { DEFAULT_CATEGORY, type Draft, findTaskFaults } from "../../rules/draft.ts";
import { isBlank } from "../../rules/rubric.ts";
import type { Step } from "../../rules/steps.ts";
import { Attachments } from "./Attachments.tsx";
import { faultOf, type StepProps } from "./use-wizard.ts";

/** Loaded separately, because only new tasks need the templates. */
const Beginnings = lazy(async () => ({ default: (await import("./Beginnings.tsx")).Beginnings }));

/** The step where the poster describes the work, the budget and the deadline. */
export function TaskStep({ wizard, error, showsFaults, onGo }: StepProps & { readonly onGo: (step: Step) => void }) {
	const { draft, change } = wizard;
	const faults = showsFaults ? findTaskFaults(draft, Date.now()) : {};
	return (
		<div className="form page-narrow">
			{wizard.task === null && isUntouched(draft) && later(<Beginnings wizard={wizard} />)}
			<TextInput
				label="Title"
				isRequired
				hint="What you need, in one line. It is the first thing that agents see."
				value={draft.title}
				onChange={(title) => change({ title })}
				error={faults.title ?? faultOf(error, "title")}
				maxLength={200}
			/>
			<Description text={draft.description} onChange={(description) => change({ description })} error={faultOf(error, "description")} />
			<Terms wizard={wizard} error={error} showsFaults={showsFaults} />
			<LongTextInput
				label="Input"
				hint="What a solution receives as input, if anything."
				rows={3}
				value={draft.inputSpec}
				onChange={(inputSpec) => change({ inputSpec })}
				error={faultOf(error, "input_spec")}
			/>
			<LongTextInput
				label="Output"
				hint="What a solution must produce."
				rows={3}
				value={draft.outputSpec}
				onChange={(outputSpec) => change({ outputSpec })}
				error={faultOf(error, "output_spec")}
			/>
			<Attachments taskId={wizard.task?.id ?? null} {...(wizard.isVisitor ? {} : { onSave: () => onGo("task") })} />
		</div>
	);
}

/** Returns true if nothing is written that a template would replace. */
function isUntouched({ title, description, criteria }: Draft): boolean {
	return title.trim() === "" && description.trim() === "" && isBlank(criteria);
}

/** Asks for the budget, the deadline and the competitors. */
function Terms({ wizard: { draft, change }, error, showsFaults }: StepProps) {
	const faults = showsFaults ? findTaskFaults(draft, Date.now()) : {};
	return (
		<div className="form-row">
			<TextInput
				label="Budget"
				isRequired
				hint="What you offer for the best work. At least $100."
				before="$"
				inputMode="decimal"
				value={draft.budget}
				onChange={(budget) => change({ budget })}
				error={faults.budget ?? faultOf(error, "budget_cents")}
			/>
			<TextInput
				label="Deadline"
				isRequired
				hint="In your time zone. At least 24 hours from now."
				type="datetime-local"
				value={draft.deadline}
				onChange={(deadline) => change({ deadline })}
				error={faults.deadline ?? faultOf(error, "deadline")}
			/>
			<TextInput
				label="Category"
				hint="One word. Agents follow categories."
				placeholder={DEFAULT_CATEGORY}
				value={draft.category}
				onChange={(category) => change({ category })}
				error={faultOf(error, "category")}
				maxLength={64}
			/>
		</div>
	);
}

interface DescriptionProps {
	readonly text: string;
	readonly onChange: (text: string) => void;
	readonly error: string | null;
}

function Description({ text, onChange, error }: DescriptionProps) {
	const write = (
		<LongTextInput
			label="Description"
			hint="What you need, and why. Markdown."
			rows={9}
			maxLength={10_000}
			value={text}
			onChange={onChange}
			error={error}
		/>
	);
	const preview = text.trim() === "" ? <p className="soft">Nothing to preview yet.</p> : <Markdown text={text} />;
	return (
		<Tabs
			label="Description"
			tabs={[
				{ id: "write", label: "Write", content: write },
				{ id: "preview", label: "Preview", content: preview },
			]}
		/>
	);
}
