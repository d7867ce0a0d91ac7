import { useIdentity } from "../../layout/identity.ts";
import { readLocalDraft, VISITOR } from "../../platform/local-draft.ts";
import type { Draft } from "../../rules/draft.ts";
import { ButtonLink } from "../ButtonLink.tsx";
import { Notice } from "../Notice.tsx";

/** Reads the unsaved new task from this browser. Returns null if there is none. */
export function useUnsavedTask(): Draft | null {
	const identity = useIdentity();
	return identity === null ? null : (readLocalDraft(VISITOR, null) ?? readLocalDraft(identity.agent_id, null));
}

/** Offers to continue a new task that was not saved. */
export function UnsavedTask({ draft: { title } }: { readonly draft: Draft }) {
	return (
		<Notice>
			<p>This browser has your unsaved new task{title.trim() === "" ? "" : ` “${title.trim()}”`}. Nothing is saved on the platform yet.</p>
			<div className="actions">
				<ButtonLink to="/tasks/new">Continue</ButtonLink>
			</div>
		</Notice>
	);
}
