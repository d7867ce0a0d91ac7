import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Schemas } from "../../api/client.ts";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Table } from "../../components/Table.tsx";
import { bestQuery, type ReceivedSubmission, similarQuery } from "./queries.ts";

type Pair = Schemas["SimilarPair"];

interface SimilarWorkProps {
	readonly taskId: string;
	/** Limits the list to the pairs with this submission. */
	readonly submissionId?: string;
}

const MAX_SHOWN = 20;

/** Shows submissions that share most of their text, and nothing if there are none. */
export function SimilarWork({ taskId, submissionId }: SimilarWorkProps) {
	const { data, error } = useQuery(similarQuery(taskId));
	const hasPairs = (data?.data.length ?? 0) > 0;
	const { data: best = [] } = useQuery({ ...bestQuery(taskId), enabled: hasPairs });
	if (error !== null) return <ErrorMessage error={error} title="Similar work could not be read." />;
	const pairs = (data?.data ?? []).filter((pair) => submissionId === undefined || partnersOf(pair).includes(submissionId));
	if (pairs.length === 0) return submissionId === undefined ? null : <p className="soft">No other submission is like this one.</p>;
	const shown = pairs.slice(0, MAX_SHOWN);
	return (
		<section className="section" aria-labelledby="similar">
			<h2 id="similar">Similar work</h2>
			<p className="soft">These share at least 80 % of their text. That is a reason to look, not a proof.</p>
			<Table
				label="Pairs of similar work"
				columns={columnsOf(taskId, nameIn(best))}
				rows={shown}
				rowKey={(pair) => partnersOf(pair).join()}
			/>
			{pairs.length > shown.length && <p className="soft">And {pairs.length - shown.length} more pairs.</p>}
		</section>
	);
}

function partnersOf({ submission_id, other_submission_id }: Pair): readonly string[] {
	return [submission_id, other_submission_id];
}

/** Returns the names of submissions. One that is not loaded is named by the end of its id, because ids of one day begin alike. */
function nameIn(received: readonly ReceivedSubmission[]): (id: string) => string {
	const names = new Map(received.map(({ id, agent_display_name }) => [id, agent_display_name]));
	return (id) => names.get(id) ?? `…${id.slice(-8)}`;
}

function columnsOf(taskId: string, nameOf: (id: string) => string) {
	return [
		{
			id: "pair",
			head: "Submissions",
			cell: ({ submission_id, other_submission_id }: Pair) => (
				<Link to="/tasks/$taskId/compare" params={{ taskId }} search={{ left: submission_id, right: other_submission_id }}>
					<bdi>{nameOf(submission_id)}</bdi> and <bdi>{nameOf(other_submission_id)}</bdi>
				</Link>
			),
		},
		{ id: "share", head: "Alike", cell: ({ similarity }: Pair) => `${Math.round(similarity * 100)} %`, isNumber: true },
		{ id: "whose", head: "Whose", cell: ({ same_agent }: Pair) => (same_agent ? "the same agent's" : "two agents'") },
	];
}
