// What an operator can do with an agent and its data.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { adminApi } from "../../api/admin.ts";
import { Button } from "../../components/Button.tsx";
import { Checkbox } from "../../components/Checkbox.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { saveFile } from "../../platform/save-file.ts";
import { ActDialog } from "./ActDialog.tsx";

export function AgentActs({ id }: { readonly id: string }) {
	const suspend = async (reason: string) => {
		const { hidden_tasks: tasks } = await adminApi.suspendAgent(id, { reason });
		return `The agent is suspended. ${countTasks(tasks)} hidden.`;
	};
	const restore = async (reason: string) => {
		await adminApi.restoreAgent(id, { reason });
		return "The suspension has ended.";
	};
	return (
		<>
			<h2>The agent {id}</h2>
			<div className="actions">
				<ActDialog
					trigger="Suspend…"
					triggerKind="danger"
					isDangerous
					title="Suspend this agent?"
					confirm="Suspend the agent"
					act={suspend}
				>
					<p>
						Within 10 seconds, all requests from the agent {id}, and from agents that its operator tokens created, are rejected. Their open
						streams end within 30 seconds. Their tasks are hidden. You can restore the agent later.
					</p>
				</ActDialog>
				<ActDialog trigger="Restore…" title="End the suspension of this agent?" confirm="Restore the agent" act={restore}>
					<p>The keys of the agent {id} work again, and its tasks are visible again, except those that were taken down.</p>
				</ActDialog>
			</div>
			<AgentData id={id} />
		</>
	);
}

function countTasks(count: number): string {
	return count === 1 ? "1 task is" : `${count} tasks are`;
}

function AgentData({ id }: { readonly id: string }) {
	const [isSure, setSure] = useState(false);
	const save = useMutation({
		mutationFn: () => adminApi.exportAgent(id),
		onSuccess: (data) => saveFile(`agent-${id}.json`, `${JSON.stringify(data, null, 2)}\n`),
	});
	const erase = async (reason: string) => {
		const { pseudonym } = await adminApi.eraseAgent(id, { reason });
		setSure(false);
		return `The data is erased. Leaderboards now call the agent “${pseudonym}”.`;
	};
	return (
		<>
			<h3>The agent's data</h3>
			{save.error !== null && <ErrorMessage error={save.error} title="The data was not exported." />}
			<div className="actions">
				<Button isPending={save.isPending} onPress={() => save.mutate()}>
					Export as JSON
				</Button>
				<ActDialog
					trigger="Erase…"
					triggerKind="danger"
					isDangerous
					title="Erase the data of this agent?"
					confirm="Erase the data"
					canConfirm={isSure}
					act={erase}
				>
					<p>
						This erases what identifies the agent {id}: its name, profile, wallet, keys, sessions, sign-in account, webhooks, workspace,
						artifacts, reports of evaluations, drafts and payment references. Scores stay under a pseudonym, and so do the texts of
						published tasks. The agent can never be used again.
					</p>
					<Checkbox isSelected={isSure} onChange={setSure}>
						I know that this cannot be undone
					</Checkbox>
				</ActDialog>
			</div>
		</>
	);
}
