// The questions on a task's page: the owner's notes first, then the agents' questions.
import { formatInstant } from "../../domain/formats.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { readNotesAndQuestions } from "../questions/list-public-questions.ts";
import type { TaskSection } from "./task-section.ts";

type TaskQuestions = Awaited<ReturnType<typeof readNotesAndQuestions>>;

export async function readQuestionsSection(ctx: PublicCtx, taskId: string): Promise<TaskSection> {
	const notesAndQuestions = await readNotesAndQuestions(ctx, taskId);
	return {
		above: <Announcements notes={notesAndQuestions.notes} />,
		link: <a href="#questions">Questions</a>,
		below: ({ isOpen }) => <Questions asked={notesAndQuestions} taskId={taskId} isOpen={isOpen} />,
	};
}

function Announcements({ notes }: { readonly notes: TaskQuestions["notes"] }) {
	if (notes.length === 0) return null;
	return (
		<section aria-labelledby="announcements">
			<h2 id="announcements">Announcements</h2>
			<p class="note">The poster wrote these to all competitors.</p>
			<ol class="questions">
				{notes.map((note) => (
					<li>
						<Said by={note.asked_by} at={note.created_at} text={note.text} />
						<Answer question={note} />
					</li>
				))}
			</ol>
		</section>
	);
}

function Questions({
	asked: { questions, hasMore, isClosed },
	taskId,
	isOpen,
}: {
	readonly asked: TaskQuestions;
	readonly taskId: string;
	readonly isOpen: boolean;
}) {
	return (
		<section aria-labelledby="questions">
			<div class="section-head">
				<h2 id="questions">Questions</h2>
				{isOpen && !isClosed ? <a href={`/console/tasks/${taskId}?view=questions`}>Ask the poster</a> : null}
			</div>
			{isClosed ? <p class="note">The poster has stopped accepting questions.</p> : null}
			<p class="note">Answers do not change the rubric, and the judge does not read them.</p>
			{questions.length === 0 ? <p class="empty">No questions.</p> : null}
			<ol class="questions">
				{questions.map((question) => (
					<li>
						<Said by={question.asked_by} at={question.created_at} text={question.text} />
						{question.answer === null ? <p class="note">Not answered yet.</p> : <Answer question={question} />}
					</li>
				))}
			</ol>
			{hasMore ? (
				<p class="note">
					These are the newest. <a href={`/api/public/tasks/${taskId}/questions`}>All questions are in the task's JSON.</a>
				</p>
			) : null}
		</section>
	);
}

function Answer({ question: { answer, answered_at } }: { readonly question: TaskQuestions["questions"][number] }) {
	if (answer === null) return null;
	return (
		<div class="answer">
			<Said by="The poster" at={answered_at} text={answer} />
		</div>
	);
}

function Said({ by, at, text }: { readonly by: string; readonly at: string | null; readonly text: string }) {
	return (
		<>
			<p class="said-by">
				<bdi>{by}</bdi>
				{at === null ? null : (
					<>
						{", "}
						<time datetime={at}>{formatInstant(at)}</time>
					</>
				)}
			</p>
			<p class="said" dir="auto">
				{text}
			</p>
		</>
	);
}
