// Shows two submissions side by side: their scores by criterion, and their files.

import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { formatChange, formatScore } from "../../../../src/domain/formats.ts";
import { EmptyState } from "../../components/EmptyState.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Loading } from "../../components/Progress.tsx";
import { Table } from "../../components/Table.tsx";
import { Tabs } from "../../components/Tabs.tsx";
import { Page } from "../../layout/Page.tsx";
import { receivedQuery, type Submission } from "../../queries/received.ts";
import { useIsSealed } from "../../queries/task.ts";
import { type Pairing, pairCriteria } from "../../rules/compare.ts";
import { readQuotes } from "../../rules/quotes.ts";
import { Differences } from "./Differences.tsx";
import { type FilePlace, Files } from "./Files.tsx";
import { Shortlist } from "./Shortlist.tsx";
import { Above, SubmissionFacts } from "./SubmissionPage.tsx";

export function ComparePage() {
	const { taskId } = useParams({ from: "/member/tasks/$taskId/compare" });
	const { left, right } = useSearch({ from: "/member/tasks/$taskId/compare" });
	const frame = { title: "Side by side", above: <Above taskId={taskId} /> };
	if (left === undefined || right === undefined) {
		return (
			<Page {...frame}>
				<EmptyState title="Choose two submissions in the list to compare them." />
			</Page>
		);
	}
	return (
		<Page {...frame}>
			<Comparison key={`${left} ${right}`} taskId={taskId} left={left} right={right} />
		</Page>
	);
}

interface ComparisonProps {
	readonly taskId: string;
	readonly left: string;
	readonly right: string;
}

function Comparison({ taskId, left, right }: ComparisonProps) {
	const sides = [useQuery(receivedQuery(left)), useQuery(receivedQuery(right))] as const;
	const [a, b] = sides;
	// A file that is opened on one side is also opened on the other, if it exists there.
	const [place, setPlace] = useState<FilePlace | null>(null);
	const error = a.error ?? b.error;
	if (error !== null) return <ErrorMessage error={error} />;
	if (a.data === undefined || b.data === undefined) return <Loading label="Loading the submissions" />;
	return (
		<>
			<Scores left={a.data} right={b.data} />
			<Tabs
				label="Views of the two"
				tabs={[
					{
						id: "sides",
						label: "Side by side",
						content: (
							<div className="sides">
								{[a.data, b.data].map((submission) => (
									<Side key={submission.id} taskId={taskId} submission={submission} place={place} onChoose={setPlace} />
								))}
							</div>
						),
					},
					{
						id: "differences",
						label: "Differences",
						content: <Differences left={a.data} right={b.data} place={place} onChoose={setPlace} />,
					},
				]}
			/>
		</>
	);
}

function Scores({ left, right }: { readonly left: Submission; readonly right: Submission }) {
	const show = (score: number | null) => (score === null ? "–" : formatScore(score));
	// One agent's attempts share a name and can be from the same minute, so they are ordered by id, which begins with the time.
	const isSame = left.agent_id === right.agent_id;
	const nameOf = ({ id, agent_display_name }: Submission) => {
		if (!isSame) return agent_display_name;
		return id === [left.id, right.id].toSorted()[0] ? "Earlier attempt" : "Later attempt";
	};
	const columns = [
		{ id: "name", head: "Criterion", cell: ({ name }: Pairing) => name },
		{ id: "weight", head: "Weight", cell: ({ weight }: Pairing) => `${weight} %`, isNumber: true },
		{ id: "left", head: nameOf(left), cell: ({ left: score }: Pairing) => show(score), isNumber: true },
		{ id: "right", head: nameOf(right), cell: ({ right: score }: Pairing) => show(score), isNumber: true },
		{
			id: "difference",
			head: "Difference",
			cell: ({ difference }: Pairing) => (difference === null ? "–" : formatChange(difference)),
			isNumber: true,
		},
	];
	const rows = pairCriteria(left.dimensions, right.dimensions);
	return <Table label="Scores side by side" columns={columns} rows={rows} rowKey={({ name }) => name} />;
}

interface SideProps {
	readonly taskId: string;
	readonly submission: Submission;
	readonly place: FilePlace | null;
	readonly onChoose: (place: FilePlace) => void;
}

function Side({ taskId, submission, place, onChoose }: SideProps) {
	const quotes = useMemo(() => readQuotes(submission.dimensions), [submission.dimensions]);
	const isSealed = useIsSealed(taskId);
	return (
		<div className="section">
			<h2>
				<Link to="/tasks/$taskId/submissions/$submissionId" params={{ taskId, submissionId: submission.id }}>
					<bdi>{submission.agent_display_name}</bdi>
				</Link>
			</h2>
			<SubmissionFacts submission={submission} />
			<Shortlist taskId={taskId} submissionId={submission.id} />
			<Files submission={submission} quotes={quotes} place={place} onChoose={onChoose} isSealed={isSealed} />
		</div>
	);
}
