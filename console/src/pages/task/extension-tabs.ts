// Views from extensions that both the owner and the competitors of a task have.
import type { Schemas } from "../../api/client.ts";
import { questionsTab } from "../questions/questions-tab.tsx";

export function extensionTabs(task: Schemas["TaskDetail"], viewer: { readonly isOwner: boolean }) {
	return [questionsTab(task, viewer)];
}
