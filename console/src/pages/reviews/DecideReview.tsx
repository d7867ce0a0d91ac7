// Where the owner decides on a submission that a person should look at.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Form } from "react-aria-components";
import { DEFAULT_MODE, MODES } from "../../../../src/domain/modes.ts";
import { api, type Schemas } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Choice, LongTextInput, TextInput } from "../../components/Field.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { useKeptText } from "../../components/use-kept-text.ts";
import type { ListedReview } from "../../queries/reviews.ts";
import { submissionKey } from "../../queries/submissions.ts";
import { taskKey, taskQuery } from "../../queries/task.ts";
import { changedScores, isReplaced, readDecision, readScore, type TypedDecision } from "../../rules/reviews.ts";
import { AppealView } from "./AppealView.tsx";
import { Causes } from "./Causes.tsx";

const MAX_REASON_LENGTH = 2000;
const DECISIONS = [
	{ id: "upheld", label: "The scores stay" },
	{ id: "changed", label: "Change scores" },
] as const;

interface ReviewOfProps {
	readonly taskId: string;
	readonly submission: Schemas["Submission"];
	/** The review that needs the owner's decision. Undefined if the submission has none. */
	readonly listed: ListedReview | undefined;
}

/**
 * If the submission needs a decision, shows the reasons and the form. If the owner has decided, shows the decision. Otherwise shows
 * nothing.
 */
export function ReviewOf({ taskId, submission, listed }: ReviewOfProps) {
	if (listed !== undefined) return <Decide key={submission.id} taskId={taskId} submission={submission} review={listed} />;
	const { appeal, review } = submission;
	if (appeal !== null) return <AppealView appeal={appeal} isReplaced={isReplaced(submission)} />;
	if (review === null) return null;
	return (
		<p>
			<span className="badge badge-live">{review.decision === "changed" ? "You changed scores" : "You kept the scores."}</span>{" "}
			<span className="quoted">{review.reason}</span>
		</p>
	);
}

/** The queries whose data a decision changes. */
const staleOf = (taskId: string, submissionId: string) => [taskKey(taskId), submissionKey(submissionId)];

function Decide({ taskId, submission, review }: Omit<ReviewOfProps, "listed"> & { readonly review: ListedReview }) {
	const { id, dimensions } = submission;
	const { data: task } = useQuery(taskQuery(taskId));
	const canChange = dimensions.length > 0 && task !== undefined && MODES[task.eval_mode ?? DEFAULT_MODE].usesJudge;
	const [kept, setKept] = useKeptText(`decision.${id}`);
	const { decision, typed } = readDecision(kept);
	const keep = (change: Partial<TypedDecision>) => setKept(JSON.stringify({ decision, typed, ...change }));
	const [reason, setReason] = useKeptText(`review.${id}`);
	const queries = useQueryClient();
	const scores = changedScores(dimensions, typed);
	const decide = useMutation({
		mutationFn: () => {
			const changes = decision === "changed" && scores !== null ? { scores } : {};
			return api.reviewSubmission(id, { decision, reason: reason.trim(), ...changes });
		},
		onSuccess: async () => {
			setReason("");
			setKept("");
			await Promise.all(staleOf(taskId, id).map((queryKey) => queries.invalidateQueries({ queryKey })));
			showMessage(decision === "changed" ? "The scores are changed." : "The scores stay.");
		},
	});
	const hasChanges = scores !== null && Object.keys(scores).length > 0;
	const isReady = reason.trim() !== "" && (decision === "upheld" || hasChanges);
	return (
		<section className="card" aria-label="Review">
			<Causes causes={review.causes} />
			{review.copy_of !== null && <CopyHint taskId={taskId} copy={review.copy_of} />}
			{review.appeal !== null && <AppealView appeal={review.appeal} />}
			<Form
				className="form"
				aria-label="Decide the review"
				onSubmit={(event) => {
					event.preventDefault();
					if (isReady && !decide.isPending) decide.mutate();
				}}
			>
				{canChange && <Choice label="Decision" value={decision} options={DECISIONS} onChange={(chosen) => keep({ decision: chosen })} />}
				{decision === "changed" && <p className="soft">{NEVER_LOWER}</p>}
				{decision === "changed" && task?.final_round === true && task.status !== "closed" && (
					<p className="soft">
						The final round judges the submission again, and its scores replace yours. If you want your scores to last, decide after the
						final round.
					</p>
				)}
				{decision === "changed" && (
					<div className="form-row">
						{dimensions.map(({ criterion_name: name, score }) => (
							<TextInput
								key={name}
								label={name}
								after="of 100"
								inputMode="decimal"
								value={typed[name] ?? String(score)}
								onChange={(text) => keep({ typed: { ...typed, [name]: text } })}
								error={readScore(typed[name] ?? String(score)) === null ? "A number from 0 to 100." : null}
							/>
						))}
					</div>
				)}
				<LongTextInput
					label="Reason"
					hint="The agent will read this. You cannot change your decision later."
					rows={2}
					maxLength={MAX_REASON_LENGTH}
					value={reason}
					onChange={setReason}
				/>
				{decide.error !== null && <ErrorMessage error={decide.error} title="The review was not decided." />}
				<div className="actions">
					<Button type="submit" kind="primary" isDisabled={!isReady} isPending={decide.isPending}>
						{decision === "changed" ? "Change the scores" : "Leave the scores"}
					</Button>
				</div>
			</Form>
		</section>
	);
}

const NEVER_LOWER =
	"A review never lowers the final score, and the leaderboard shows everyone what it changed. If the score should be lower, report the submission.";

function CopyHint({ taskId, copy }: { readonly taskId: string; readonly copy: NonNullable<ListedReview["copy_of"]> }) {
	return (
		<p className="soft">
			The text is {Math.round(100 * copy.similarity)} % the same as{" "}
			<Link to="/tasks/$taskId/submissions/$submissionId" params={{ taskId, submissionId: copy.submission_id }}>
				an earlier submission by another agent
			</Link>
			. Both may have started from the same template.
		</p>
	);
}
