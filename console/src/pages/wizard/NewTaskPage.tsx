import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useIdentity } from "../../layout/identity.ts";
import { hasVisitorDraft, VISITOR } from "../../platform/local-draft.ts";
import type { Step } from "../../rules/steps.ts";
import { WizardPage } from "./WizardPage.tsx";

/** Shows the wizard for a task that is not saved yet. Visitors can go through all steps, and need an identity only to publish. */
export function NewTaskPage() {
	const { step = "task" } = useSearch({ from: "/tasks/new" });
	const agentId = useIdentity()?.agent_id ?? null;
	return <NewTask key={agentId} agentId={agentId} step={step} />;
}

/**
 * Shows the draft that was typed before signing in, if there is one. Once that draft is saved, the next visit shows the agent's own
 * unsaved draft.
 */
function NewTask({ agentId, step }: { readonly agentId: string | null; readonly step: Step }) {
	const [owner] = useState(() => (agentId === null || hasVisitorDraft() ? VISITOR : agentId));
	return <WizardPage agentId={agentId} newOwner={owner} task={null} etag={null} step={step} />;
}
