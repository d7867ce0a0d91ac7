import type { Schemas } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { Checkbox } from "../../components/Checkbox.tsx";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { LongTextInput, TextInput } from "../../components/Field.tsx";
import { type CriterionDraft, findFaults, isBlank, readChecks } from "../../rules/rubric.ts";

interface CriterionEditorProps {
	readonly criterion: CriterionDraft;
	readonly all: readonly CriterionDraft[];
	readonly showsFaults: boolean;
	readonly findings: readonly Schemas["LintFinding"][];
	/** The task has a final round, so a criterion can be for it only. */
	readonly hasFinalRound: boolean;
	readonly onChange: (criterion: CriterionDraft) => void;
	/** The only criterion cannot be removed, so it has no handler. */
	readonly onRemove?: () => void;
}

/** Shows one row of the rubric, with its findings of the lint. */
export function CriterionEditor({ criterion, all, showsFaults, findings, hasFinalRound, onChange, onRemove }: CriterionEditorProps) {
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
			<Anchoring criterion={criterion} faults={faults} onChange={onChange} />
			<div className="actions actions-split">
				<div className="choices">
					<Checkbox isSelected={criterion.anyEvidence} onChange={(anyEvidence) => onChange({ ...criterion, anyEvidence })}>
						READMEs and SUBMISSION.md count as proof
					</Checkbox>
					{hasFinalRound && (
						<Checkbox isSelected={criterion.finalOnly} onChange={(finalOnly) => onChange({ ...criterion, finalOnly })}>
							Hidden from competitors until the final round
						</Checkbox>
					)}
				</div>
				{onRemove !== undefined && <Remove criterion={criterion} onRemove={onRemove} />}
			</div>
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
	);
}

/** Asks before text is lost. */
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
			<p>Its text is lost, with its checks and levels. Its weight is left to give to other criteria.</p>
		</ConfirmDialog>
	);
}

interface AnchoringProps {
	readonly criterion: CriterionDraft;
	readonly faults: ReturnType<typeof findFaults>;
	readonly onChange: (criterion: CriterionDraft) => void;
}

const LEVELS = [
	{ level: 1, label: "A poor solution", hint: "What level 1 of 5 looks like." },
	{ level: 3, label: "A fair solution", hint: "What level 3 of 5 looks like." },
	{ level: 5, label: "An excellent solution", hint: "What level 5 of 5 looks like." },
] as const;

/** Shows the questions that the judge answers, and the meaning of its levels. Publishing locks both. */
function Anchoring({ criterion, faults, onChange }: AnchoringProps) {
	const count = readChecks(criterion).length;
	const isFaulty = faults.checks !== undefined || faults.anchors !== undefined;
	return (
		<details className="anchoring" {...(isFaulty ? { open: true } : {})}>
			<summary>
				Checks and levels{" "}
				<span className="soft">
					{count === 0 ? "none yet: publishing takes the sentences above" : `${count} ${count === 1 ? "check" : "checks"}`}
				</span>
			</summary>
			<div className="form">
				<LongTextInput
					label="Checks"
					hint="One question or statement in each line. The judge decides from the files: yes, partly or no."
					rows={3}
					value={criterion.checks}
					onChange={(checks) => onChange({ ...criterion, checks })}
					error={faults.checks}
				/>
				<div className="form-row">
					{LEVELS.map(({ level, label, hint }) => (
						<LongTextInput
							key={level}
							label={label}
							hint={hint}
							rows={2}
							maxLength={500}
							value={criterion.anchors[level]}
							onChange={(text) => onChange({ ...criterion, anchors: { ...criterion.anchors, [level]: text } })}
						/>
					))}
				</div>
				{faults.anchors !== undefined && <p className="field-error">{faults.anchors}</p>}
			</div>
		</details>
	);
}
