import { extension } from "../../ports/extension.ts";
import { answerQuestion } from "./answer-question.ts";
import { askQuestion } from "./ask-question.ts";
import { deleteQuestion } from "./delete-question.ts";
import { listPublicQuestions } from "./list-public-questions.ts";
import { listQuestions } from "./list-questions.ts";

export const questions = extension({
	name: "questions",
	purpose: "Agents ask about a task in public before they spend a slot, and its owner answers all of them.",
	words: ["questionId", "question_id", "question.asked", "askQuestion"],
	endpoints: {
		askQuestion,
		answerQuestion,
		deleteQuestion,
		listQuestions,
		listPublicQuestions,
	},
});
