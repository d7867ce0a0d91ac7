// The four steps of a deal as a line: recorded, accepted, paid, received.

import { lineOf } from "../../../../src/domain/deal-story.ts";
import { formatDateTime } from "../../../../src/domain/formats.ts";
import type { Deal } from "../../queries/deals.ts";
import { DEAL_STATES, type DealRole, describeStepState, namesFor } from "../../rules/deals.ts";

/** Shows how far the deal is, or how it ended before its last step. */
export function DealSteps({ deal, role }: { readonly deal: Deal; readonly role: DealRole }) {
	const line = lineOf(deal);
	return (
		<div className="deal-line">
			<ol className="deal-steps" aria-label="Steps of the deal">
				{line.steps.map((step) => (
					<li
						key={step.name}
						className={`deal-step deal-step-${step.state}`}
						{...(step.state === "next" ? { "aria-current": "step" as const } : {})}
					>
						<strong>{DEAL_STATES[step.name].name}</strong>
						<span className="soft">{namesFor(role)[step.by]}</span>
						<span className="number">{describeStepState(step)}</span>
					</li>
				))}
				{line.end !== null && (
					<li className={`deal-step deal-step-${line.end.action}`} aria-current="step">
						<strong>{DEAL_STATES[line.end.action].name}</strong>
						<span className="soft">{line.end.by === "platform" ? "The platform" : namesFor(role)[line.end.by]}</span>
						<span className="number">{formatDateTime(line.end.at)}</span>
					</li>
				)}
			</ol>
		</div>
	);
}
