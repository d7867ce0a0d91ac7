// Shows one submission of the caller: the score as soon as it is known, the possible gains, and the caller's rank.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, type ReactNode, useMemo, useState } from "react";
import { formatDateTime, formatScore } from "../../../../src/domain/formats.ts";
import type { Schemas } from "../../api/client.ts";
import { api } from "../../api/client.ts";
import { useStream } from "../../api/use-stream.ts";
import { ButtonLink } from "../../components/ButtonLink.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Facts } from "../../components/Facts.tsx";
import { later } from "../../components/later.tsx";
import { Notice } from "../../components/Notice.tsx";
import { Loading, Progress } from "../../components/Progress.tsx";
import { SubmissionBadge } from "../../components/StatusBadge.tsx";
import { Tabs } from "../../components/Tabs.tsx";
import { Page } from "../../layout/Page.tsx";
import { evaluationsKey, ownSubmissionsKey, submissionKey, submissionQuery } from "../../queries/submissions.ts";
import { taskKey, taskQuery } from "../../queries/task.ts";
import { readQuotes } from "../../rules/quotes.ts";
import { isReplaced } from "../../rules/reviews.ts";
import { readSubmissionView } from "../../rules/task-views.ts";
import { showHidden } from "../../rules/text.ts";
import { describeWait } from "../../rules/waits.ts";
import type { FilePlace } from "../received/Files.tsx";
import { AppealView } from "../reviews/AppealView.tsx";
import { OpenAppeal } from "../reviews/OwnAppeal.tsx";
import { AttemptsLeft } from "../task/AttemptsLeft.tsx";
import { RivalBoard } from "../task/RivalBoard.tsx";
import { Changes } from "./Changes.tsx";
import { Gains } from "./Gains.tsx";
import { GainsChart } from "./GainsChart.tsx";
import { JudgeAgain } from "./JudgeAgain.tsx";

const Files = lazy(async () => ({ default: (await import("../received/Files.tsx")).Files }));
const Evaluations = lazy(async () => ({ default: (await import("../received/Evaluations.tsx")).Evaluations }));

type Submission = Schemas["Submission"];

const isJudging = ({ status }: Submission): boolean => status === "registered" || status === "running";

export function MySubmissionPage() {
	const { submissionId } = useParams({ from: "/member/my-submissions/$submissionId" });
	const { data: submission, error } = useQuery(submissionQuery(submissionId));
	if (submission === undefined)
		return <Page title="Submission">{error === null ? <Loading label="Loading the submission" /> : <ErrorMessage error={error} />}</Page>;
	return <Shown key={submission.id} submission={submission} />;
}

function Shown({ submission }: { readonly submission: Submission }) {
	const { data: task } = useQuery(taskQuery(submission.task_id));
	const params = { taskId: submission.task_id };
	const isOpen = task?.status === "open";
	return (
		<Page
			title="Submission"
			above={
				<Link to="/tasks/$taskId" params={params}>
					{task?.title ?? "The task"}
				</Link>
			}
			actions={
				<>
					{!isJudging(submission) && <JudgeAgain submission={submission} />}
					{submission.evaluated && submission.appeal === null && <OpenAppeal submission={submission} />}
					{isOpen && submission.quota.remaining > 0 && !isJudging(submission) && (
						<ButtonLink to="/tasks/$taskId/submit" params={params} kind="primary">
							Submit again
						</ButtonLink>
					)}
				</>
			}
		>
			<Facts facts={factsOf(submission)} />
			{submission.error_message !== undefined && (
				<Notice kind="error">
					<p>{submission.error_message}</p>
				</Notice>
			)}
			{submission.missing_sections.length > 0 && (
				<Notice kind="warning">
					<p>SUBMISSION.md has no section {submission.missing_sections.map((name) => `“${name}”`).join(", ")}. That lowers the score.</p>
				</Notice>
			)}
			{submission.appeal !== null && <AppealView appeal={submission.appeal} isReplaced={isReplaced(submission)} />}
			{submission.appeal === null && submission.review !== null && (
				<Notice>
					<p>The poster reviewed this submission and {submission.review.decision === "changed" ? "changed" : "kept"} the scores:</p>
					<p className="quoted">{showHidden(submission.review.reason)}</p>
				</Notice>
			)}
			{isJudging(submission) ? <Judging submission={submission} /> : <Judged submission={submission} />}
		</Page>
	);
}

function factsOf(submission: Submission): readonly (readonly [string, ReactNode])[] {
	const { scores, position, created_at, iteration, quota } = submission;
	return [
		["State", <SubmissionBadge key="status" submission={submission} />],
		["Score", scores === null ? "–" : formatScore(scores.final_score)],
		["Your rank", position ?? "–"],
		["Submitted", formatDateTime(created_at)],
		["Evaluations", iteration],
		["Attempts left", <AttemptsLeft key="attempts" quota={quota} />],
	];
}

/** Follows the submission until it is judged. */
function Judging({ submission: { id, task_id, status, waiting_for, next_step } }: { readonly submission: Submission }) {
	const queries = useQueryClient();
	const { error } = useStream(
		id,
		(submissionId, options) => api.streamSubmission(submissionId, options),
		({ type, data }) => {
			queries.setQueryData(submissionKey(id), data);
			if (type === "terminal")
				for (const queryKey of [taskKey(task_id), ownSubmissionsKey(task_id), evaluationsKey(id), ["stats"]])
					void queries.invalidateQueries({ queryKey });
		},
	);
	if (error !== null) return <ErrorMessage error={error} title="Live updates of the submission are not working." />;
	if (status === "registered")
		return (
			<Notice>
				<p>The platform is waiting for the files of this submission. {next_step?.description}</p>
			</Notice>
		);
	const wait = describeWait(waiting_for);
	if (wait !== null) {
		return (
			<Notice kind="warning" role="status" title="The submission is waiting.">
				<p>{wait}</p>
			</Notice>
		);
	}
	return <Progress label="The judge is reading the files…" value={null} />;
}

function Judged({ submission }: { readonly submission: Submission }) {
	const { view = "result" } = useSearch({ from: "/member/my-submissions/$submissionId" });
	const navigate = useNavigate({ from: "/my-submissions/$submissionId" });
	const [place, setPlace] = useState<FilePlace | null>(null);
	const quotes = useMemo(() => readQuotes(submission.dimensions), [submission.dimensions]);
	const tabs = [
		{ id: "result", label: "Result", content: <Result submission={submission} /> },
		{
			id: "files",
			label: "Files",
			content: later(<Files submission={submission} quotes={quotes} place={place} onChoose={setPlace} />),
		},
		{ id: "evaluations", label: "Evaluations", content: later(<Evaluations submissionId={submission.id} />) },
	];
	return (
		<Tabs
			label="Views of the submission"
			tabs={tabs}
			selected={tabs.some(({ id }) => id === view) ? view : "result"}
			onSelect={(id) => void navigate({ search: { view: readSubmissionView(id) }, replace: true, resetScroll: false })}
		/>
	);
}

function Result({ submission }: { readonly submission: Submission }) {
	return (
		<div className="form">
			{submission.scores !== null && <Changes submission={submission} />}
			{submission.scores !== null && <Gains submission={submission} />}
			{submission.scores !== null && <GainsChart dimensions={submission.dimensions} score={submission.scores.final_score} />}
			<section className="section" aria-labelledby="place">
				<h2 id="place">Your place</h2>
				<RivalBoard taskId={submission.task_id} />
			</section>
		</div>
	);
}
