import { lazy, useEffect, useState } from "react";
import type { LintFinding } from "../../../../src/core/judging/checks/lint-findings.ts";
import { Button } from "../../components/Button.tsx";
import { Checkbox } from "../../components/Checkbox.tsx";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { LongTextInput, TextInput } from "../../components/Field.tsx";
import { later } from "../../components/later.tsx";
import { editChecks, editDescription, isStale } from "../../rules/coach.ts";
import { type CriterionDraft, findFaults, isBlank, isComplete, readChecks } from "../../rules/rubric.ts";
import type { Coach } from "./use-coach.ts";

/** Loads these views separately, because they are needed only after the coach was asked or a description was changed. */
const CoachNotes = lazy(async () => ({ default: (await import("./CoachNotes.tsx")).CoachNotes }));
const StaleChecks = lazy(async () => ({ default: (await import("./CoachNotes.tsx")).StaleChecks }));

interface CriterionEditorProps {
	readonly criterion: CriterionDraft;
	readonly all: readonly CriterionDraft[];
	readonly showsFaults: boolean;
	readonly findings: readonly LintFinding[];
	readonly coach: Coach;
	/** True if the task has a final round, so that a criterion can be hidden until then. */
	readonly hasFinalRound: boolean;
	readonly onChange: (criterion: CriterionDraft) => void;
	/** Undefined for the only criterion, which cannot be removed. */
	readonly onRemove?: () => void;
}

/** One row of the rubric, with the lint's findings and the coach's notes. */
export function CriterionEditor(props: CriterionEditorProps) {
	const { criterion, all, findings, coach, onChange } = props;
	const faults = findFaults(criterion, all);
	return (
		<div className="criterion">
			<div className="criterion-parts">
				<NameAndWeight {...props} faults={faults} />
				<LongTextInput
					label="What to look for"
					rows={2}
					value={criterion.description}
					onChange={(description) => onChange(editDescription(criterion, description))}
				/>
				<Checks criterion={criterion} faults={faults} isNew={coach.filledKeys.includes(criterion.key)} onChange={onChange} />
				{isStale(criterion) && later(<StaleChecks criterion={criterion} coach={coach} canAsk={isComplete(all)} onChange={onChange} />)}
				<Options {...props} />
				{findings.length > 0 && (
					<ul className="findings" aria-label="What makes it hard to judge">
						{findings.map(({ code, severity, message }) => (
							<li key={code}>
								<span className={`badge badge-${severity}`}>{severity}</span> {message}
							</li>
						))}
					</ul>
				)}
			</div>
			{coach.coaching !== null && later(<CoachNotes criterion={criterion} coach={coach} findings={findings} />)}
		</div>
	);
}

type Faults = ReturnType<typeof findFaults>;

function NameAndWeight({ criterion, showsFaults, faults, onChange }: CriterionEditorProps & { readonly faults: Faults }) {
	const isTouched = criterion.name !== "" || criterion.weight !== "" || showsFaults;
	return (
		<div className="criterion-fields">
			<TextInput
				label="Criterion"
				value={criterion.name}
				onChange={(name) => onChange({ ...criterion, name })}
				error={isTouched ? faults.name : null}
			/>
			<TextInput
				label="Weight"
				after="%"
				inputMode="decimal"
				value={criterion.weight}
				onChange={(weight) => onChange({ ...criterion, weight })}
				error={criterion.weight !== "" ? faults.weight : null}
			/>
		</div>
	);
}

function Options({ criterion, hasFinalRound, onChange, onRemove }: CriterionEditorProps) {
	return (
		<div className="actions actions-split">
			<div className="choices">
				<Checkbox isSelected={criterion.anyEvidence} onChange={(anyEvidence) => onChange({ ...criterion, anyEvidence })}>
					A README or SUBMISSION.md at the root counts as proof
				</Checkbox>
				{hasFinalRound && (
					<Checkbox isSelected={criterion.finalOnly} onChange={(finalOnly) => onChange({ ...criterion, finalOnly })}>
						Hidden from competitors until the final round
					</Checkbox>
				)}
			</div>
			{onRemove !== undefined && <Remove criterion={criterion} onRemove={onRemove} />}
		</div>
	);
}

/** Shows the button that removes the criterion. Asks first if text would be lost. */
function Remove({ criterion, onRemove }: { readonly criterion: CriterionDraft; readonly onRemove: () => void }) {
	const label = `Remove ${criterion.name || "this criterion"}`;
	if (isBlank([criterion]))
		return (
			<Button kind="quiet" aria-label={label} onPress={onRemove}>
				Remove
			</Button>
		);
	return (
		<ConfirmDialog
			trigger="Remove…"
			triggerLabel={`${label}…`}
			triggerKind="quiet"
			title={`${label}?`}
			confirm="Remove the criterion"
			isDangerous
			onConfirm={async () => onRemove()}
		>
			<p>Its text and checks will be lost. You can give its weight to other criteria.</p>
		</ConfirmDialog>
	);
}

interface ChecksProps {
	readonly criterion: CriterionDraft;
	readonly faults: Faults;
	/** True if the coach has just written the checks, so that they are shown. */
	readonly isNew: boolean;
	readonly onChange: (criterion: CriterionDraft) => void;
}

/** The checks that the judge answers. Publishing locks them. */
function Checks({ criterion, faults, isNew, onChange }: ChecksProps) {
	const mustShow = isNew || faults.checks !== undefined;
	const [isOpen, setOpen] = useState(mustShow);
	useEffect(() => {
		if (mustShow) setOpen(true);
	}, [mustShow]);
	const count = readChecks(criterion).length;
	return (
		<details className="checks-editor" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
			<summary>
				Checks{" "}
				<span className="soft">
					{count === 0 ? "none yet: the platform writes them when you publish" : `${count} ${count === 1 ? "check" : "checks"}`}
				</span>
			</summary>
			<div className="form">
				<LongTextInput
					label="Checks"
					hint="Write one sentence per line, each about one thing. The judge answers each check from the files: yes, partly or no. The criterion's score is the mean of its checks, so a single check gives 0, 50 or 100."
					rows={3}
					value={criterion.checks}
					onChange={(checks) => onChange(editChecks(criterion, checks))}
					error={faults.checks}
				/>
			</div>
		</details>
	);
}
