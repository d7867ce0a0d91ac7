import { HAS_CHECKS_NOTE } from "../../../../src/core/judging/checks/has-checks-note.ts";
import type { LintFinding } from "../../../../src/core/judging/checks/lint-findings.ts";
import { Button } from "../../components/Button.tsx";
import type { Advice, Coaching } from "../../rules/coach.ts";
import { adviceOn, hasProposedChecks, isCurrent } from "../../rules/coaching.ts";
import type { CriterionDraft } from "../../rules/rubric.ts";
import type { Coach } from "./use-coach.ts";

interface CoachNotesProps {
	readonly criterion: CriterionDraft;
	readonly coach: Coach;
	/** The findings that the page already shows. */
	readonly findings: readonly LintFinding[];
}

/** Shows what a judge would look for in a criterion, and what it could not see. */
export function CoachNotes({ criterion, coach, findings }: CoachNotesProps) {
	const { coaching } = coach;
	const advice = coaching === null ? null : adviceOn(criterion, coaching);
	if (coaching === null || advice === null) return null;
	const notes = advice.notes.filter((note) => note !== HAS_CHECKS_NOTE && findings.every(({ message }) => message !== note));
	const isModel = advice.source === "model";
	return (
		<section className="coach" aria-label={`The coach about ${criterion.name}`}>
			{!isCurrent(advice, criterion) && <p className="soft">These notes are about the text before your last change.</p>}
			<Sought criterion={criterion} advice={advice} isModel={isModel} onTake={() => coach.take(criterion)} />
			<h2>{isModel ? "What it could not see" : "Notes from the rules"}</h2>
			{notes.length > 0 ? (
				<ul className="checks">
					{notes.map((note) => (
						<li key={note}>{note}</li>
					))}
				</ul>
			) : (
				<p className="soft">
					{isModel ? "The coach found nothing." : "The rules found nothing. That does not mean that the text is clear."}
				</p>
			)}
		</section>
	);
}

interface SoughtProps {
	readonly criterion: CriterionDraft;
	readonly advice: Advice;
	readonly isModel: boolean;
	readonly onTake: () => void;
}

function Sought({ criterion, advice, isModel, onTake }: SoughtProps) {
	const hasThem = hasProposedChecks(criterion, advice);
	return (
		<>
			<h2>{isModel ? "What a judge would look for" : "Your sentences as checks"}</h2>
			{hasThem ? (
				<p className="soft">
					{isModel ? "This criterion already uses the coach's checks." : "This criterion already uses your sentences as checks."}
				</p>
			) : (
				<>
					<ul className="checks">
						{advice.checks.map((check) => (
							<li key={check}>{check}</li>
						))}
					</ul>
					<div className="actions">
						<Button kind="quiet" aria-label={`Use these checks for ${criterion.name}`} onPress={onTake}>
							Use these checks
						</Button>
					</div>
				</>
			)}
		</>
	);
}

interface StaleChecksProps {
	readonly criterion: CriterionDraft;
	readonly coach: Coach;
	/** True if the platform would accept the rubric, so that the coach can be asked. */
	readonly canAsk: boolean;
	readonly onChange: (criterion: CriterionDraft) => void;
}

/** Warns that the checks were written for another description, because publishing locks both. */
export function StaleChecks({ criterion, coach, canAsk, onChange }: StaleChecksProps) {
	return (
		<div className="notice notice-warning">
			<p>The description has changed since these checks were written. Publishing will lock both.</p>
			<div className="actions">
				<Button
					aria-label={`Renew the checks of ${criterion.name}`}
					isDisabled={!canAsk}
					isPending={coach.isAsking}
					onPress={() => coach.renew(criterion)}
				>
					Renew the checks
				</Button>
				<Button
					kind="quiet"
					aria-label={`They still fit: the checks of ${criterion.name}`}
					onPress={() => onChange({ ...criterion, checksOf: null })}
				>
					They still fit
				</Button>
			</div>
		</div>
	);
}

/** Says where the notes come from: a model, or rules. */
export function CoachSource({ coaching, isVisitor }: { readonly coaching: Coaching; readonly isVisitor: boolean }) {
	return <p className="soft">{sourceOf(coaching, isVisitor)}</p>;
}

function sourceOf({ advice }: Coaching, isVisitor: boolean): string {
	const byRules = advice.filter(({ source }) => source === "rules");
	if (byRules.length === 0) return "The model that judges on this platform has read the rubric. Its notes are next to the criteria.";
	if (byRules.length < advice.length) {
		const names = byRules.map(({ name }) => `“${name}”`).join(", ");
		return `The model that judges on this platform has read the rubric, but gave no usable proposal for ${names}. For these criteria, rules turned your sentences into checks without understanding them.`;
	}
	const reason = isVisitor ? "These notes come from rules in your browser" : "No model has read the rubric, so these notes come from rules";
	const next = isVisitor ? " After you have signed in, you can ask the platform's judge." : "";
	return `${reason}: they turn your sentences into checks without understanding them.${next}`;
}
