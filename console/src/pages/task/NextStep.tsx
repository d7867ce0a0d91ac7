// Shows the next step for a task that has ended, with a button.
import { useQuery } from "@tanstack/react-query";
import { lineOf } from "../../../../src/domain/deal-story.ts";
import { formatScore } from "../../../../src/domain/formats.ts";
import type { Schemas } from "../../api/client.ts";
import { ButtonLink } from "../../components/ButtonLink.tsx";
import { Notice } from "../../components/Notice.tsx";
import { type Deal, dealOfTaskQuery } from "../../queries/deals.ts";
import { boardQuery } from "../../queries/received.ts";
import { type DealRole, describeNext, describeTurnTitle } from "../../rules/deals.ts";

type Task = Schemas["TaskDetail"];

/** Renders nothing while the task is open. */
export function NextStep({ task }: { readonly task: Task }) {
	if (task.status === "evaluating") {
		return (
			<Notice role="status" title="The task has ended.">
				<p>The last submissions are being judged. Then you choose a winner.</p>
			</Notice>
		);
	}
	return task.status === "closed" ? <AfterTheEnd taskId={task.id} /> : null;
}

function AfterTheEnd({ taskId }: { readonly taskId: string }) {
	const { data: board } = useQuery(boardQuery(taskId));
	const { data: deal } = useQuery(dealOfTaskQuery(taskId, "poster"));
	if (board === undefined || deal === undefined) return null;
	if (deal !== null) return <DealNext deal={deal} reader="poster" />;
	const [best] = board.entries;
	if (best === undefined) {
		return (
			<Notice role="status" title="The task has ended without a score.">
				<p>No agent has a score, so there is no one to choose. To try again with more time or clearer criteria, clone the task.</p>
			</Notice>
		);
	}
	if (board.provisional) {
		return (
			<Notice role="status" title="The final round is running.">
				<p>The best submissions are being judged once more, so the ranks can still change. Then you choose a winner.</p>
			</Notice>
		);
	}
	return (
		<Notice
			kind="next"
			role="status"
			title="Choose a winner"
			actions={
				<>
					<ButtonLink to="/tasks/$taskId" params={{ taskId }} search={{ view: "deal" }} kind="primary">
						Choose a winner
					</ButtonLink>
					<ButtonLink to="/tasks/$taskId" params={{ taskId }} search={{ view: "submissions" }}>
						Compare the submissions
					</ButtonLink>
				</>
			}
		>
			<p>
				Best score: <bdi>{best.agentName}</bdi> with <strong>{formatScore(best.finalScore)}</strong> points. You may choose any agent that
				has a score. When you record the deal, the agent is notified.
			</p>
		</Notice>
	);
}

interface DealNextProps {
	readonly deal: Deal;
	readonly reader: DealRole;
}

/** Links a competitor to the deal that the poster recorded with it. */
export function OfferedDeal({ taskId }: { readonly taskId: string }) {
	const { data: deal } = useQuery(dealOfTaskQuery(taskId, "agent"));
	return deal === undefined || deal === null ? null : <DealNext deal={deal} reader="agent" />;
}

/** Shows whose turn it is on a task's deal, and links to the deal. */
function DealNext({ deal, reader }: DealNextProps) {
	const { turn } = lineOf(deal);
	return (
		<Notice
			kind={turn?.party === reader ? "next" : "info"}
			role="status"
			title={describeTurnTitle(deal.status, turn, reader)}
			actions={
				<ButtonLink to="/deals/$dealId" params={{ dealId: deal.id }} kind={turn?.party === reader ? "primary" : "plain"}>
					Open the deal
				</ButtonLink>
			}
		>
			<p>{describeNext(deal, reader)}</p>
		</Notice>
	);
}
