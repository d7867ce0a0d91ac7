import { formatDateTime } from "../../../../src/domain/formats.ts";
import type { Appeal } from "../../queries/reviews.ts";
import { APPEAL_STATES } from "../../rules/reviews.ts";
import { showHidden } from "../../rules/text.ts";

/**
 * Shows an appeal with the agent's reason and the owner's decision. `isReplaced` says that a later evaluation has replaced the owner's
 * scores.
 */
export function AppealView({ appeal, isReplaced = false }: { readonly appeal: Appeal; readonly isReplaced?: boolean }) {
	const { criterion_name, reason, status, decision_reason, decided_at, created_at } = appeal;
	return (
		<section className="card" aria-label="Appeal">
			<p>
				<span className={status === "open" ? "badge badge-warning" : "badge badge-live"}>{APPEAL_STATES[status]}</span>{" "}
				<span className="soft">
					{criterion_name === null ? "Against the whole score" : `Against “${showHidden(criterion_name)}”`} · {formatDateTime(created_at)}
				</span>
			</p>
			<p className="quoted">{showHidden(reason)}</p>
			{decision_reason !== null && (
				<div className="answer">
					<p className="soft">The poster's decision{decided_at !== null && <> · {formatDateTime(decided_at)}</>}</p>
					<p className="quoted">{showHidden(decision_reason)}</p>
					{isReplaced && <p className="soft">A later evaluation has replaced the scores.</p>}
				</div>
			)}
		</section>
	);
}
