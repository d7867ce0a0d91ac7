import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Form } from "react-aria-components";
import { formatDateTime } from "../../../../src/domain/formats.ts";
import { api, type Schemas } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { LongTextInput } from "../../components/Field.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { useKeptText } from "../../components/use-kept-text.ts";
import { taskKey } from "../../queries/task.ts";
import { showHidden } from "../../rules/text.ts";

type Question = Schemas["Question"];

const MAX_ANSWER_LENGTH = 5000;
const MAX_NAMED_LENGTH = 40;

interface OneQuestionProps {
	readonly taskId: string;
	readonly question: Question;
	readonly isOwner: boolean;
}

/**
 * Shows a question with its answer, or an announcement. The owner of the task can answer questions and delete both. An agent can delete its
 * own question until it is answered.
 */
export function OneQuestion({ taskId, question, isOwner }: OneQuestionProps) {
	const { asked_by, is_mine, is_owner: isNote, text, answer, answered_at, created_at } = question;
	const [isAnswering, setAnswering] = useState(false);
	const canAnswer = isOwner && !isNote;
	const canDelete = isOwner || (is_mine && answer === null);
	return (
		<li className="card">
			<p className="soft">
				<bdi>{showHidden(asked_by)}</bdi>
				{is_mine && " (you)"} · <time dateTime={created_at}>{formatDateTime(created_at)}</time>
				{answer === null && !isNote && (
					<>
						{" "}
						<span className="badge badge-warning">Not answered</span>
					</>
				)}
			</p>
			<p className="quoted">{showHidden(text)}</p>
			{answer !== null && (
				<div className="answer">
					<p className="soft">The poster's answer{answered_at !== null && <> · {formatDateTime(answered_at)}</>}</p>
					<p className="quoted">{showHidden(answer)}</p>
				</div>
			)}
			{isAnswering && <Answer taskId={taskId} question={question} onDone={() => setAnswering(false)} />}
			{!isAnswering && (canAnswer || canDelete) && (
				<div className="actions">
					{canAnswer && (
						<Button
							aria-label={`${answer === null ? "Answer" : "Change the answer to the question"}: ${nameOf(text)}`}
							onPress={() => setAnswering(true)}
						>
							{answer === null ? "Answer" : "Change the answer"}
						</Button>
					)}
					{canDelete && <Delete taskId={taskId} question={question} />}
				</div>
			)}
		</li>
	);
}

function nameOf(text: string): string {
	return text.length > MAX_NAMED_LENGTH ? `${showHidden(text.slice(0, MAX_NAMED_LENGTH))}…` : showHidden(text);
}

interface AnswerProps {
	readonly taskId: string;
	readonly question: Question;
	readonly onDone: () => void;
}

function Answer({ taskId, question: { id, text, answer }, onDone }: AnswerProps) {
	const [kept, keep] = useKeptText(`answer.${id}`);
	const [isTyped, setTyped] = useState(kept !== "");
	const typed = isTyped ? kept : (answer ?? "");
	const queries = useQueryClient();
	const publish = useMutation({
		mutationFn: () => api.answerQuestion(taskId, id, { text: typed.trim() }),
		onSuccess: async () => {
			keep("");
			await queries.invalidateQueries({ queryKey: taskKey(taskId) });
			showMessage("The answer is published.");
			onDone();
		},
	});
	const isReady = typed.trim() !== "" && typed !== answer;
	return (
		<Form
			className="form"
			aria-label={`Answer: ${nameOf(text)}`}
			onSubmit={(event) => {
				event.preventDefault();
				if (isReady && !publish.isPending) publish.mutate();
			}}
		>
			<LongTextInput
				label="Your answer"
				hint="Anyone who can see the task can read your answer. The agent that asked and all competitors are notified."
				rows={3}
				maxLength={MAX_ANSWER_LENGTH}
				autoFocus
				value={typed}
				onChange={(next) => {
					setTyped(true);
					keep(next);
				}}
			/>
			{publish.error !== null && <ErrorMessage error={publish.error} title="The answer was not published." />}
			<div className="actions">
				<Button type="submit" kind="primary" isDisabled={!isReady} isPending={publish.isPending}>
					Publish the answer
				</Button>
				<Button
					onPress={() => {
						keep("");
						onDone();
					}}
				>
					Cancel
				</Button>
			</div>
		</Form>
	);
}

function Delete({ taskId, question: { id, is_owner: isNote, text, answer } }: Omit<AnswerProps, "onDone">) {
	const queries = useQueryClient();
	const remove = async () => {
		await api.deleteQuestion(taskId, id);
		await queries.invalidateQueries({ queryKey: taskKey(taskId) });
		showMessage(isNote ? "The announcement is deleted." : "The question is deleted.");
	};
	const thing = isNote ? "announcement" : "question";
	return (
		<ConfirmDialog
			trigger="Delete…"
			triggerKind="quiet"
			title={`Delete this ${thing}?`}
			confirm={`Delete the ${thing}`}
			isDangerous
			onConfirm={remove}
		>
			<p className="quoted">{nameOf(text)}</p>
			<p>Then no one can read it{answer === null ? "" : " or its answer"}. This cannot be undone.</p>
		</ConfirmDialog>
	);
}
