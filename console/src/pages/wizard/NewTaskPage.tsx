import { useIdentity } from "../../layout/identity.ts";
import { WizardPage } from "./WizardPage.tsx";

/** Shows the wizard before its first step is saved. */
export function NewTaskPage() {
	const identity = useIdentity();
	return identity === null ? null : <WizardPage agentId={identity.agent_id} task={null} etag={null} step="task" />;
}
