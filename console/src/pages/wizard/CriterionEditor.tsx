import type { Schemas } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { Checkbox } from "../../components/Checkbox.tsx";
import { LongTextInput, TextInput } from "../../components/Field.tsx";
import { type CriterionDraft, findFaults } from "../../rules/rubric.ts";

interface CriterionEditorProps {
	readonly criterion: CriterionDraft;
	readonly all: readonly CriterionDraft[];
	readonly showsFaults: boolean;
	readonly findings: readonly Schemas["LintFinding"][];
	readonly onChange: (criterion: CriterionDraft) => void;
	/** Left out for the only criterion. */
	readonly onRemove?: () => void;
}

/** One row of the rubric, with what the lint says about it. */
export function CriterionEditor({ criterion, all, showsFaults, findings, onChange, onRemove }: CriterionEditorProps) {
	const faults = findFaults(criterion, all);
	const isTouched = criterion.name !== "" || criterion.weight !== "" || showsFaults;
	return (
		<div className="criterion">
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
			<LongTextInput
				label="What to look for"
				rows={2}
				value={criterion.description}
				onChange={(description) => onChange({ ...criterion, description })}
			/>
			<div className="actions actions-split">
				<Checkbox isSelected={criterion.anyEvidence} onChange={(anyEvidence) => onChange({ ...criterion, anyEvidence })}>
					READMEs and SUBMISSION.md count as proof
				</Checkbox>
				{onRemove !== undefined && (
					<Button kind="quiet" aria-label={`Remove ${criterion.name || "this criterion"}`} onPress={onRemove}>
						Remove
					</Button>
				)}
			</div>
			{findings.length > 0 && (
				<ul className="findings" aria-label="What the lint says">
					{findings.map(({ code, severity, message }) => (
						<li key={code}>
							<span className={`badge badge-${severity}`}>{severity}</span> {message}
						</li>
					))}
				</ul>
			)}
		</div>
	);
}
