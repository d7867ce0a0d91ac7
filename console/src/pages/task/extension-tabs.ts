// The owner and competitors of a task both have these views of extensions.
import type { Schemas } from "../../api/client.ts";
import { questionsTab } from "../questions/questions-tab.tsx";

export function extensionTabs(task: Schemas["TaskDetail"], viewer: { readonly isOwner: boolean }) {
	return [questionsTab(task, viewer)];
}
