import { and, count, eq, sql } from "drizzle-orm";
import { isUnanswered, questions, withdrawnQuestions } from "../../db/task/schema/questions.ts";
import type { Holding } from "../../ports/joints.ts";
import { type TaskStore, taskVerb } from "../../ports/task.ts";
import { writeAskerCards } from "./store.ts";

export const questionHolding: Holding = {
	erase: eraseQuestions,
	export: ({ agentId }) => ({ questions: sql`agent_id = ${agentId}` }),
	tasksOf: (agentId) => sql`select task_id from asker_cards where agent_id = ${agentId}`,
	async announce(deps, taskId) {
		await writeAskerCards(deps, taskId, await listAskers(deps, taskId, null));
	},
	waiting(task, { isOwner }) {
		const unanswered = isOwner ? countUnanswered(task) : 0;
		return unanswered === 0 ? [] : [{ kind: "answer_questions", count: unanswered }];
	},
};

/** Deletes unanswered questions. An answered one stays without its text, for readers of the answer. Notes stay, like the task's text. */
function eraseQuestions({ db }: TaskStore, { agentId }: { readonly agentId: string }): void {
	const isOwn = and(eq(questions.agentId, agentId), eq(questions.isNote, false));
	db.delete(questions).where(and(isOwn, isUnanswered)).run();
	db.update(questions).set({ text: ERASED_QUESTION, textSha256: null, network: null }).where(isOwn).run();
	db.delete(withdrawnQuestions).where(eq(withdrawnQuestions.agentId, agentId)).run();
}

const ERASED_QUESTION = "This question was erased.";

function countUnanswered({ db }: TaskStore): number {
	return db.select({ rows: count() }).from(questions).where(isUnanswered).get()?.rows ?? 0;
}

const listAskers = taskVerb("listAskers", ({ db }, _: null): string[] => {
	const isQuestion = eq(questions.isNote, false);
	const rows = db.selectDistinct({ agentId: questions.agentId }).from(questions).where(isQuestion).all();
	return rows.map(({ agentId }) => agentId);
});
