// Shows a submission to the owner of its task: scores with the judge's quotes, files, evaluations, and the owner's notes.

import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, useMemo, useState } from "react";
import { formatDateTime, formatScore } from "../../../../src/domain/formats.ts";
import { EmptyState } from "../../components/EmptyState.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Facts } from "../../components/Facts.tsx";
import { later } from "../../components/later.tsx";
import { Notice } from "../../components/Notice.tsx";
import { Loading } from "../../components/Progress.tsx";
import { SubmissionBadge } from "../../components/StatusBadge.tsx";
import { Tabs } from "../../components/Tabs.tsx";
import { Page } from "../../layout/Page.tsx";
import { receivedQuery, type Submission } from "../../queries/received.ts";
import { reviewsQuery } from "../../queries/reviews.ts";
import { taskQuery, useIsSealed } from "../../queries/task.ts";
import { readQuotes } from "../../rules/quotes.ts";
import { readSubmissionView } from "../../rules/task-views.ts";
import { describeWait } from "../../rules/waits.ts";
import { Criteria } from "./Criteria.tsx";
import { Compare, Desk } from "./Desk.tsx";
import { type FilePlace, Files } from "./Files.tsx";
import { Shortlist } from "./Shortlist.tsx";

const ReviewOf = lazy(async () => ({ default: (await import("../reviews/DecideReview.tsx")).ReviewOf }));
const Evaluations = lazy(async () => ({ default: (await import("./Evaluations.tsx")).Evaluations }));

export function SubmissionPage() {
	const { taskId, submissionId } = useParams({ from: "/member/tasks/$taskId/submissions/$submissionId" });
	const { list = "all" } = useSearch({ from: "/member/tasks/$taskId/submissions/$submissionId" });
	const { data: submission, error } = useQuery(receivedQuery(submissionId));
	return (
		<Page
			title={submission?.agent_display_name ?? "Submission"}
			above={<Above taskId={taskId} />}
			actions={submission !== undefined && <Compare taskId={taskId} submission={submission} list={list} />}
		>
			<Desk taskId={taskId} submissionId={submissionId} list={list}>
				{submission === undefined && (error === null ? <Loading label="Loading the submission" /> : <ErrorMessage error={error} />)}
				{submission !== undefined && (
					<>
						<SubmissionFacts submission={submission} />
						<Reviewed taskId={taskId} submission={submission} />
						<Views key={submission.id} submission={submission} taskId={taskId} />
					</>
				)}
			</Desk>
		</Page>
	);
}

/** Shows the appeal or the review of a submission. Its code is loaded separately, because few submissions have either. */
function Reviewed({ taskId, submission }: { readonly taskId: string; readonly submission: Submission }) {
	const { data } = useQuery(reviewsQuery(taskId));
	const listed = data?.data.find(({ submission_id }) => submission_id === submission.id);
	if (listed === undefined && submission.appeal === null && submission.review === null) return null;
	return later(<ReviewOf taskId={taskId} submission={submission} listed={listed} />);
}

/** Links to the submissions of the task. */
export function Above({ taskId }: { readonly taskId: string }) {
	const { data: task } = useQuery(taskQuery(taskId));
	return (
		<Link to="/tasks/$taskId" params={{ taskId }} search={{ view: "submissions" }}>
			{task === undefined ? "Submissions" : `Submissions to “${task.title}”`}
		</Link>
	);
}

export function SubmissionFacts({ submission }: { readonly submission: Submission }) {
	const { scores, position, iteration, created_at } = submission;
	const facts = [
		["State", <SubmissionBadge key="status" submission={submission} />],
		["Score", scores === null ? "–" : formatScore(scores.final_score)],
		...(scores?.test_score == null ? [] : [["Tests", formatScore(scores.test_score)] as const]),
		...(scores?.llm_score == null || scores.test_score === null ? [] : [["Language model", formatScore(scores.llm_score)] as const]),
		["Agent's rank", position ?? "–"],
		["Evaluations", iteration],
		["Received", formatDateTime(created_at)],
	] as const;
	return (
		<>
			<Facts facts={facts} />
			<Troubles submission={submission} />
		</>
	);
}

function Troubles({ submission: { error_message, waiting_for, missing_sections } }: { readonly submission: Submission }) {
	const texts = [
		error_message,
		describeWait(waiting_for) ?? undefined,
		missing_sections.length === 0 ? undefined : `SUBMISSION.md lacks these sections: ${missing_sections.join(", ")}.`,
	].filter((text) => text !== undefined);
	if (texts.length === 0) return null;
	return (
		<Notice kind="warning">
			{texts.map((text) => (
				<p key={text} className="quoted">
					{text}
				</p>
			))}
		</Notice>
	);
}

function Views({ submission, taskId }: { readonly submission: Submission; readonly taskId: string }) {
	const isSealed = useIsSealed(taskId);
	const { view = "judgement" } = useSearch({ from: "/member/tasks/$taskId/submissions/$submissionId" });
	const navigate = useNavigate({ from: "/tasks/$taskId/submissions/$submissionId" });
	const [place, setPlace] = useState<FilePlace | null>(null);
	const setView = (id: string) =>
		void navigate({ search: (search) => ({ ...search, view: readSubmissionView(id) }), replace: true, resetScroll: false });
	const quotes = useMemo(() => readQuotes(submission.dimensions), [submission.dimensions]);
	const show = (wanted: FilePlace) => {
		setPlace(wanted);
		setView("files");
	};
	const tabs = [
		{ id: "judgement", label: "Judgement", content: <Judgement submission={submission} quotes={quotes} onShow={show} /> },
		{
			id: "files",
			label: "Files",
			content: <Files submission={submission} quotes={quotes} place={place} onChoose={setPlace} isSealed={isSealed} />,
		},
		{ id: "evaluations", label: "Evaluations", content: later(<Evaluations submissionId={submission.id} />) },
	];
	return (
		<>
			<Shortlist taskId={taskId} submissionId={submission.id} />
			<Tabs
				label="Views of the submission"
				tabs={tabs}
				selected={tabs.some(({ id }) => id === view) ? view : "judgement"}
				onSelect={setView}
			/>
		</>
	);
}

type JudgementProps = Omit<Parameters<typeof Criteria>[0], "dimensions" | "taskId"> & { readonly submission: Submission };

function Judgement({ submission: { dimensions, status, task_id: taskId }, quotes, onShow }: JudgementProps) {
	if (dimensions.length > 0) return <Criteria dimensions={dimensions} quotes={quotes} onShow={onShow} taskId={taskId} />;
	const isRunning = status === "running";
	return (
		<EmptyState title={isRunning ? "The submission is being judged. Its scores will appear here." : "There are no scores by criterion."} />
	);
}
