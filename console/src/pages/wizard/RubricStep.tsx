import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { emptyCriterion, hasFinalRound } from "../../rules/draft.ts";
import { type CriterionDraft, describeFindings, distributeRest, findRubricFault, isComplete, sumWeights } from "../../rules/rubric.ts";
import { AskCoach } from "./CoachView.tsx";
import { CriterionEditor } from "./CriterionEditor.tsx";
import { lintDraft } from "./lint-draft.ts";
import { useCoach } from "./use-coach.ts";
import { newKey, type StepProps, type Wizard } from "./use-wizard.ts";

const AUTOSAVE_MS = 2000;
const MAX_CRITERIA = 50;

/** The criteria with their weights. A complete rubric is linted in the browser, and saved automatically if the task is on the platform. */
export function RubricStep({ wizard, showsFaults }: StepProps) {
	const { criteria } = wizard.draft;
	const saveError = useAutosave(wizard);
	const coach = useCoach(wizard);
	const rubricFault = findRubricFault(criteria);
	const findings = lintDraft(wizard.draft);
	const setCriteria = (next: readonly CriterionDraft[]) => wizard.change({ criteria: next });
	const add = () => {
		setCriteria([...criteria, emptyCriterion(newKey())]);
		requestAnimationFrame(() => {
			const names = document.querySelectorAll<HTMLElement>(".criterion-fields .field:first-child input");
			names.item(names.length - 1)?.focus();
		});
	};
	const replace = (changed: CriterionDraft) =>
		setCriteria(criteria.map((criterion) => (criterion.key === changed.key ? changed : criterion)));
	return (
		<div className="form">
			<p className="soft">
				Each criterion is judged separately, from 0 to 100. Say what to look for, and where.{" "}
				<a href="/docs/concepts/rubrics">How to write a rubric</a>
			</p>
			<ol className="criteria">
				{criteria.map((criterion) => (
					<li key={criterion.key}>
						<CriterionEditor
							criterion={criterion}
							all={criteria}
							showsFaults={showsFaults}
							findings={(findings ?? []).filter((finding) => finding.criterion === criterion.name.trim())}
							coach={coach}
							hasFinalRound={hasFinalRound(wizard.draft)}
							onChange={replace}
							{...(criteria.length === 1 ? {} : { onRemove: () => setCriteria(criteria.filter(({ key }) => key !== criterion.key)) })}
						/>
					</li>
				))}
			</ol>
			<Sum criteria={criteria} onDistribute={() => setCriteria(distributeRest(criteria))} />
			<div className="actions">
				<Button isDisabled={criteria.length >= MAX_CRITERIA} onPress={add}>
					Add a criterion
				</Button>
			</div>
			{rubricFault !== null && <p className="field-error">{rubricFault}</p>}
			{saveError !== null && <ErrorMessage error={saveError} title="The rubric was not saved. It is kept in this browser." />}
			<LintState findings={findings} />
			<AskCoach wizard={wizard} coach={coach} />
		</div>
	);
}

/** Saves a complete rubric after a pause in typing. Returns the error of the last attempt. */
function useAutosave({ draft, isDirty, isVisitor, save, saving }: Wizard): Error | null {
	const { mutate, error } = useMutation({ mutationFn: save, scope: saving });
	const { criteria } = draft;
	// The rubric that was tried last, so that a rejected one is not sent again and again.
	const tried = useRef<readonly CriterionDraft[] | null>(null);
	useEffect(() => {
		if (isVisitor || !isDirty || !isComplete(criteria) || tried.current === criteria) return;
		const timer = setTimeout(() => {
			tried.current = criteria;
			mutate();
		}, AUTOSAVE_MS);
		return () => clearTimeout(timer);
	}, [isVisitor, isDirty, criteria, mutate]);
	return error;
}

function Sum({ criteria, onDistribute }: { readonly criteria: readonly CriterionDraft[]; readonly onDistribute: () => void }) {
	const sum = sumWeights(criteria);
	const rest = Math.round((100 - sum) * 100) / 100;
	const text = rest === 0 ? "The weights sum to 100 %." : rest > 0 ? `${rest} % is left to distribute.` : `${-rest} % too much.`;
	return (
		<div className={rest === 0 ? "sum sum-complete" : "sum"}>
			<progress value={Math.min(sum, 100)} max={100} aria-label="Sum of the weights" />
			<strong className="number">{sum} %</strong>
			<span role="status">{text}</span>
			<Button isDisabled={rest === 0} onPress={onDistribute}>
				Distribute the rest
			</Button>
		</div>
	);
}

function LintState({ findings }: { readonly findings: ReturnType<typeof lintDraft> }) {
	if (findings === null)
		return <p className="soft">The rubric is checked as soon as every criterion has a name and the weights sum to 100 %.</p>;
	const serious = findings.filter(({ severity }) => severity !== "hint").length;
	return (
		<p role="status" className="soft">
			{serious > 0 && `${describeFindings(serious)} See the notes next to the criteria.`}
		</p>
	);
}
