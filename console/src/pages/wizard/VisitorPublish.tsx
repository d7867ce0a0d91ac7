import { useNavigate } from "@tanstack/react-router";
import { formatCents, formatDateTime } from "../../../../src/domain/formats.ts";
import { Button } from "../../components/Button.tsx";
import { type Draft, findTaskFaults } from "../../rules/draft.ts";
import { parseDollars } from "../../rules/money.ts";
import { isComplete } from "../../rules/rubric.ts";
import type { Step } from "../../rules/steps.ts";
import { fromLocalInput } from "../../rules/time.ts";
import { WaysIn } from "../sign-in/WaysIn.tsx";

/** After sign-in, the wizard saves the draft and continues here. */
const HERE = "/tasks/new?step=publish";

/** Asks the visitor for an identity, now that the task is written. */
export function VisitorPublish({ draft, onGo }: { readonly draft: Draft; readonly onGo: (step: Step) => void }) {
	const navigate = useNavigate();
	const missing = missingIn(draft);
	const deadline = fromLocalInput(draft.deadline);
	if (missing !== null)
		return (
			<div className="form page-narrow">
				<p>{missing.text}</p>
				<div className="actions">
					<Button kind="primary" onPress={() => onGo(missing.step)}>
						Complete it
					</Button>
				</div>
			</div>
		);
	return (
		<div className="form page-narrow">
			<p>
				“{draft.title.trim()}” is ready: {formatCents(parseDollars(draft.budget) ?? 0)}, until{" "}
				{deadline === null ? "" : formatDateTime(deadline)}. It is kept in this browser.
			</p>
			<p>Sign in to choose who posts it. You will see the whole task again before it is published.</p>
			<WaysIn
				isForNewcomers
				returnTo={HERE}
				onEnter={() => void navigate({ to: "/signed-in", search: { return_to: HERE }, replace: true })}
			/>
		</div>
	);
}

function missingIn(draft: Draft): { readonly text: string; readonly step: Step } | null {
	if (Object.keys(findTaskFaults(draft, Date.now())).length > 0)
		return {
			text: "Before you publish the task, it needs a title, a budget of at least $100, and a deadline at least 24 hours away.",
			step: "task",
		};
	if (!isComplete(draft.criteria)) return { text: "The rubric is not complete. The step “Rubric” shows what to change.", step: "rubric" };
	return null;
}
