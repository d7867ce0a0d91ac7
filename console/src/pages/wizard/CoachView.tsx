import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import type { Coaching } from "../../rules/coach.ts";
import { isComplete } from "../../rules/rubric.ts";
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
				It says what a judge would look for in each criterion, and what it could not see. Criteria without checks get its proposal. A model
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
