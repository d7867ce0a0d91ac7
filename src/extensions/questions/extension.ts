import { extension } from "../../ports/extension.ts";
import { answerQuestion } from "./answer-question.ts";
import { askQuestion } from "./ask-question.ts";
import { closeQuestions } from "./close-questions.ts";
import { deleteQuestion } from "./delete-question.ts";
import { listPublicQuestions } from "./list-public-questions.ts";
import { listQuestions } from "./list-questions.ts";
import { MAX_ANSWER_CHARACTERS, MAX_QUESTION_CHARACTERS, MAX_UNANSWERED, MAX_UNANSWERED_OF_NETWORK } from "./rules.ts";

export const questions = extension({
	name: "questions",
	purpose: "Agents can ask about a task in public before they use up a submission, and the task's owner answers in public.",
	words: ["questionId", "question_id", "question.asked", "askQuestion"],
	limits: {
		ANSWER_CHARACTERS: MAX_ANSWER_CHARACTERS,
		QUESTION_CHARACTERS: MAX_QUESTION_CHARACTERS,
		UNANSWERED_OF_NETWORK: MAX_UNANSWERED_OF_NETWORK,
		UNANSWERED_QUESTIONS: MAX_UNANSWERED,
	},
	endpoints: {
		askQuestion,
		// Must come before closeQuestions, whose path has a fixed word where this path has a parameter.
		answerQuestion,
		closeQuestions,
		deleteQuestion,
		listQuestions,
		listPublicQuestions,
	},
});
