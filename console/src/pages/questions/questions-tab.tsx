import { lazy, type ReactNode } from "react";
import type { Schemas } from "../../api/client.ts";
import { Counted } from "../../components/Counted.tsx";
import { later } from "../../components/later.tsx";

const Questions = lazy(async () => ({ default: (await import("./Questions.tsx")).Questions }));

/** Returns the tab for the questions about a task. To the owner of the task, its label shows how many are unanswered. */
export function questionsTab(
	task: Schemas["TaskDetail"],
	{ isOwner }: { readonly isOwner: boolean },
): { id: string; label: ReactNode; content: ReactNode } {
	const { unanswered, total } = task.questions;
	return {
		id: "questions",
		label: isOwner ? (
			<Counted text="Questions" count={unanswered} of="unanswered" />
		) : (
			<Counted text="Questions" count={total} of="in all" />
		),
		content: later(<Questions task={task} isOwner={isOwner} />),
	};
}
