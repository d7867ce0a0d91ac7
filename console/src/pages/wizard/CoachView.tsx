import { HAS_CHECKS_NOTE } from "../../../../src/core/judging/checks/has-checks-note.ts";
import type { LintFinding } from "../../../../src/core/judging/checks/lint-findings.ts";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { type Advice, adviceOn, type Coaching, hasProposedChecks, isCurrent, isStale } from "../../rules/coach.ts";
import { type CriterionDraft, isComplete } from "../../rules/rubric.ts";
import type { Coach } from "./use-coach.ts";
import type { Wizard } from "./use-wizard.ts";

/** Asks the coach about the rubric, and says what came of it and who spoke. */
export function AskCoach({ wizard, coach }: { readonly wizard: Wizard; readonly coach: Coach }) {
	const { coaching, outcome, isAsking, error } = coach;
	const canAsk = isComplete(wizard.draft.criteria);
	return (
		<section className="card" aria-labelledby="coach">
			<h2 id="coach">Ask the coach</h2>
			<p className="soft">
				It says what a judge would look for in each criterion, and what it could not see. Criteria without checks get its proposal. A judge
				only reads files: it cannot run them, open links or see pictures.
			</p>
			<div className="actions">
				<Button isDisabled={!canAsk} isPending={isAsking} onPress={coach.ask}>
					{isAsking ? "Reading the rubric…" : "Ask about this rubric"}
				</Button>
				{!canAsk && <span className="soft">First give every criterion a name and a weight.</span>}
			</div>
			{error !== null && <ErrorMessage error={error} title="The coach did not answer." />}
			<p role="status">{outcome}</p>
			{coaching !== null && <p className="soft">{sourceOf(coaching, wizard.isVisitor)}</p>}
		</section>
	);
}

function sourceOf({ source }: Coaching, isVisitor: boolean): string {
	if (source === "model") return "The model that judges on this platform has read the rubric. Its notes are next to the criteria.";
	const reason = isVisitor ? "These are rules in your browser" : "No model has read the rubric, so these are rules";
	const next = isVisitor ? " After you have signed in, you can ask the platform's judge." : "";
	return `${reason}: they take your sentences as checks and do not understand them.${next}`;
}

interface CoachNotesProps {
	readonly criterion: CriterionDraft;
	readonly coach: Coach;
	/** The page shows these already. */
	readonly findings: readonly LintFinding[];
}

/** Shows next to a criterion what a judge would look for, and what it could not see. */
export function CoachNotes({ criterion, coach, findings }: CoachNotesProps) {
	const { coaching } = coach;
	const advice = coaching === null ? null : adviceOn(criterion, coaching);
	if (coaching === null || advice === null) return null;
	const notes = advice.notes.filter((note) => note !== HAS_CHECKS_NOTE && findings.every(({ message }) => message !== note));
	const isModel = coaching.source === "model";
	return (
		<section className="coach" aria-label={`The coach about ${criterion.name}`}>
			{!isCurrent(advice, criterion) && <p className="soft">About the text before your last change.</p>}
			<Sought criterion={criterion} advice={advice} isModel={isModel} onTake={() => coach.take(criterion)} />
			<h2>{isModel ? "What it could not see" : "Notes of the rules"}</h2>
			{notes.length > 0 ? (
				<ul className="checks">
					{notes.map((note) => (
						<li key={note}>{note}</li>
					))}
				</ul>
			) : (
				<p className="soft">{isModel ? "It named nothing." : "None of the rules applies. That does not mean that the text is clear."}</p>
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
				<p className="soft">{isModel ? "The checks of this criterion." : "They are the checks of this criterion."}</p>
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
	/** The platform would accept the rubric, so the coach can be asked. */
	readonly canAsk: boolean;
	readonly onChange: (criterion: CriterionDraft) => void;
}

/** Says that the checks were written for another description, because publishing locks both. */
export function StaleChecks({ criterion, coach, canAsk, onChange }: StaleChecksProps) {
	if (!isStale(criterion)) return null;
	return (
		<div className="notice notice-warning">
			<p>The description has changed since these checks were written. Publishing locks both.</p>
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
