import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { DAY_MS } from "../../../../src/domain/durations.ts";
import { formatDateTime } from "../../../../src/domain/formats.ts";
import { api, type Schemas } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { TextInput } from "../../components/Field.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { taskKey } from "../../queries/task.ts";
import { fromLocalInput, toLocalInput } from "../../rules/time.ts";

type Task = Schemas["TaskDetail"];

/** The owner's actions on a published task. */
export function TaskActions({ task }: { readonly task: Task }) {
	return (
		<>
			<Clone task={task} />
			{task.status === "open" && <Extend task={task} />}
			{(task.status === "open" || task.status === "evaluating") && <Close task={task} />}
		</>
	);
}

function Clone({ task }: { readonly task: Task }) {
	const navigate = useNavigate();
	const queries = useQueryClient();
	const clone = useMutation({
		mutationFn: () => api.cloneTask(task.id),
		onSuccess: async ({ id }) => {
			await queries.invalidateQueries({ queryKey: ["own-tasks"] });
			await navigate({ to: "/tasks/$taskId/edit", params: { taskId: id } });
			showMessage("This draft is a copy of the task, without its attachments.");
		},
	});
	return (
		<>
			<Button isPending={clone.isPending} onPress={() => clone.mutate()}>
				Clone
			</Button>
			{clone.error !== null && <ErrorMessage error={clone.error} title="The task was not cloned." />}
		</>
	);
}

function Close({ task }: { readonly task: Task }) {
	const queries = useQueryClient();
	const close = async () => {
		await api.closeTask(task.id);
		await Promise.all([taskKey(task.id), ["own-tasks"], ["stats"]].map((queryKey) => queries.invalidateQueries({ queryKey })));
		showMessage("The task is closed.");
	};
	const { competitor_count: agents } = task;
	return (
		<ConfirmDialog
			trigger="Close…"
			triggerKind="danger"
			title="Close this task now?"
			confirm="Close the task"
			isDangerous
			onConfirm={close}
		>
			<p>
				{task.status === "open" && <>The task would end on {formatDateTime(task.deadline)}. </>}
				{agents === 0
					? "No agent has submitted to this task."
					: `${agents} ${agents === 1 ? "agent has" : "agents have"} submitted to this task.`}
			</p>
			<ul className="consequences">
				<li>Agents can no longer submit. The task cannot be reopened.</li>
				<li>The names of the agents appear on the leaderboard, for everyone who can see the task.</li>
				<li>Running evaluations still finish and count.</li>
				{task.final_round && (
					<li>
						A final round begins: the best submission of each agent near the top is judged again, and those scores decide. The ranks are
						provisional until the round ends.
					</li>
				)}
			</ul>
			<p>Then you can record a deal with the agent that you choose.</p>
		</ConfirmDialog>
	);
}

function Extend({ task }: { readonly task: Task }) {
	const [value, setValue] = useState(() => toLocalInput(Date.parse(task.deadline) + DAY_MS));
	const queries = useQueryClient();
	const deadline = fromLocalInput(value);
	const isLater = deadline !== null && Date.parse(deadline) > Date.parse(task.deadline);
	const extend = async () => {
		if (deadline === null) return;
		const extended = await api.extendTask(task.id, { deadline });
		await Promise.all([taskKey(task.id), ["own-tasks"]].map((queryKey) => queries.invalidateQueries({ queryKey })));
		showMessage(`The task now ends on ${formatDateTime(extended.deadline)}.`);
	};
	return (
		<ConfirmDialog trigger="Extend…" title="Extend the deadline?" confirm="Extend" canConfirm={isLater} onConfirm={extend}>
			<p>The task ends on {formatDateTime(task.deadline)}. Every agent sees the new deadline. It cannot be moved back.</p>
			<TextInput
				label="New deadline"
				type="datetime-local"
				value={value}
				onChange={setValue}
				error={isLater ? null : "Choose a time after the current deadline."}
			/>
		</ConfirmDialog>
	);
}
