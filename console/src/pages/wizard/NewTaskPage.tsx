import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useIdentity } from "../../layout/identity.ts";
import { hasVisitorDraft, VISITOR } from "../../platform/local-draft.ts";
import type { Step } from "../../rules/steps.ts";
import { WizardPage } from "./WizardPage.tsx";

/** Shows the wizard before the platform has the task. A visitor goes through all of it, and needs an identity to publish. */
export function NewTaskPage() {
	const { step = "task" } = useSearch({ from: "/tasks/new" });
	const agentId = useIdentity()?.agent_id ?? null;
	return <NewTask key={agentId} agentId={agentId} step={step} />;
}

/** Shows the text of a visitor first. The agent may have kept another draft here, which is shown again once this one is saved. */
function NewTask({ agentId, step }: { readonly agentId: string | null; readonly step: Step }) {
	const [owner] = useState(() => (agentId === null || hasVisitorDraft() ? VISITOR : agentId));
	return <WizardPage agentId={agentId} newOwner={owner} task={null} etag={null} step={step} />;
}
