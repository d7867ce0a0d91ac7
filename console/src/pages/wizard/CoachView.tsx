import { lazy } from "react";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { later } from "../../components/later.tsx";
import { isComplete } from "../../rules/rubric.ts";
import type { Coach } from "./use-coach.ts";
import type { Wizard } from "./use-wizard.ts";

const CoachSource = lazy(async () => ({ default: (await import("./CoachNotes.tsx")).CoachSource }));

/** Asks the coach about the rubric, and shows the result and whether it came from a model or from rules. */
export function AskCoach({ wizard, coach }: { readonly wizard: Wizard; readonly coach: Coach }) {
	const { coaching, outcome, isAsking, error } = coach;
	const canAsk = isComplete(wizard.draft.criteria);
	return (
		<section className="card" aria-labelledby="coach">
			<h2 id="coach">Ask the coach</h2>
			<p className="soft">
				The coach says what a judge would look for in each criterion and what it could not see, and proposes checks for criteria that have
				none. A model only reads files: it cannot run them, open links or see pictures.
			</p>
			<div className="actions">
				<Button isDisabled={!canAsk} isPending={isAsking} onPress={coach.ask}>
					{isAsking ? "Reading the rubric…" : "Ask about this rubric"}
				</Button>
				{!canAsk && <span className="soft">First give every criterion a name and a weight.</span>}
			</div>
			{error !== null && <ErrorMessage error={error} title="The coach did not respond." />}
			<p role="status">{outcome}</p>
			{coaching !== null && later(<CoachSource coaching={coaching} isVisitor={wizard.isVisitor} />)}
		</section>
	);
}
