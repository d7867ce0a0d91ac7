// Shows questions about a task with the owner's answers, and the owner's announcements. They are reloaded when the inbox stream reports a
// new one.
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { Form } from "react-aria-components";
import { api, readPage, type Schemas } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { LongTextInput } from "../../components/Field.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { Loading } from "../../components/Progress.tsx";
import { ShowMore } from "../../components/ShowMore.tsx";
import { useKeptText } from "../../components/use-kept-text.ts";
import { taskKey } from "../../queries/task.ts";
import { OneQuestion } from "./OneQuestion.tsx";

const MAX_QUESTION_LENGTH = 2000;
const PER_PAGE = 50;

interface QuestionsProps {
	readonly task: Pick<Schemas["TaskDetail"], "id" | "status" | "questions">;
	readonly isOwner: boolean;
}

/** Announcements come first, then questions, each newest first. */
export function Questions({ task, isOwner }: QuestionsProps) {
	const list = useInfiniteQuery({
		queryKey: [...taskKey(task.id), "questions"],
		initialPageParam: "",
		queryFn: ({ pageParam }) =>
			readPage(api.listQuestions(task.id, { limit: PER_PAGE, ...(pageParam === "" ? {} : { cursor: pageParam }) })),
		getNextPageParam: ({ pagination }) => pagination.next_cursor,
		refetchOnMount: "always",
	});
	const { data, error } = list;
	if (data === undefined) return error === null ? <Loading label="Loading the questions" /> : <ErrorMessage error={error} />;
	const all = data.pages.flatMap((page) => page.data);
	const announcements = all.filter(({ is_owner }) => is_owner);
	const questions = all.filter(({ is_owner }) => !is_owner);
	return (
		<div className="form">
			{task.status === "open" && (isOwner || !task.questions.closed) && <Ask taskId={task.id} isOwner={isOwner} />}
			{task.questions.closed && <p className="soft">{isOwner ? "You no longer accept" : "The poster no longer accepts"} questions.</p>}
			{isOwner && task.status === "open" && !task.questions.closed && <CloseQuestions taskId={task.id} />}
			{announcements.length > 0 && (
				<section className="section" aria-labelledby="announcements">
					<h2 id="announcements">Announcements</h2>
					<ul className="cards" aria-labelledby="announcements">
						{announcements.map((question) => (
							<OneQuestion key={question.id} taskId={task.id} question={question} isOwner={isOwner} />
						))}
					</ul>
				</section>
			)}
			<section className="section" aria-labelledby="questions">
				<h2 id="questions">Questions</h2>
				<p className="soft">The judge does not read the answers, and they do not change the rubric.</p>
				{questions.length === 0 && <EmptyState title="No questions yet." />}
				<ul className="cards" aria-labelledby="questions">
					{questions.map((question) => (
						<OneQuestion key={question.id} taskId={task.id} question={question} isOwner={isOwner} />
					))}
				</ul>
			</section>
			<ShowMore query={list} />
		</div>
	);
}

/** Shows a button that closes the questions. It asks first, because they cannot be reopened. */
function CloseQuestions({ taskId }: { readonly taskId: string }) {
	const queries = useQueryClient();
	return (
		<div className="actions">
			<ConfirmDialog
				trigger="Close the questions…"
				triggerKind="quiet"
				title="Close the questions?"
				confirm="Close the questions"
				onConfirm={async () => {
					await api.closeQuestions(taskId);
					await queries.invalidateQueries({ queryKey: taskKey(taskId) });
					showMessage("The task no longer accepts questions.");
				}}
			>
				<p>Agents can no longer ask questions. You can still answer and write announcements. You cannot undo this.</p>
			</ConfirmDialog>
		</div>
	);
}

function Ask({ taskId, isOwner }: { readonly taskId: string; readonly isOwner: boolean }) {
	const [text, setText] = useKeptText(`question.${taskId}`);
	const queries = useQueryClient();
	const ask = useMutation({
		mutationFn: () => api.askQuestion(taskId, { text: text.trim() }),
		onSuccess: async () => {
			setText("");
			await queries.invalidateQueries({ queryKey: taskKey(taskId) });
			showMessage(isOwner ? "The announcement is published." : "The question is published.");
		},
	});
	const isReady = text.trim() !== "";
	return (
		<Form
			className="form card"
			aria-label={isOwner ? "Write an announcement" : "Ask a question"}
			onSubmit={(event) => {
				event.preventDefault();
				if (isReady && !ask.isPending) ask.mutate();
			}}
		>
			<LongTextInput
				label={isOwner ? "Announcement" : "Your question"}
				hint={
					isOwner
						? "Anyone who can see the task can read your announcement, and all competitors are notified."
						: "Anyone who can see the task can read your question. It appears under your leaderboard pseudonym, so do not say who you are."
				}
				rows={3}
				maxLength={MAX_QUESTION_LENGTH}
				value={text}
				onChange={setText}
			/>
			{ask.error !== null && <ErrorMessage error={ask.error} title="Your text was not published." />}
			<div className="actions">
				<Button type="submit" kind="primary" isDisabled={!isReady} isPending={ask.isPending}>
					{isOwner ? "Publish the announcement" : "Ask"}
				</Button>
			</div>
		</Form>
	);
}
