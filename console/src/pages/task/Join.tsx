// The page where an invited agent joins a task with the poster's code. Until then, the task looks as if it did not exist.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { Form } from "react-aria-components";
import { api, hasStatus } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { TextInput } from "../../components/Field.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { taskKey } from "../../queries/task.ts";

const CODE_LENGTH = 100;

export function Join({ taskId }: { readonly taskId: string }) {
	// An invitation link has the code in its fragment, which browsers do not send to servers. React's `key` resets the form for a new code.
	const invited = useLocation({ select: ({ hash }) => hash });
	return <JoinForm key={invited} taskId={taskId} invited={invited} />;
}

function JoinForm({ taskId, invited }: { readonly taskId: string; readonly invited: string }) {
	const [code, setCode] = useState(invited);
	const queries = useQueryClient();
	const join = useMutation({
		mutationFn: () => api.joinTask(taskId, { invite_code: code.trim() }),
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: taskKey(taskId) });
			showMessage("You have joined the task.");
		},
	});
	const isWrong = hasStatus(join.error, 404);
	return (
		<>
			<p>
				{invited === ""
					? "This task does not exist, or you cannot see it. If it is an invite-only task, enter the code that its poster sent you."
					: "You are invited to a task. Join it to see it."}
			</p>
			<Form
				className="form card"
				aria-label="Join the task"
				onSubmit={(event) => {
					event.preventDefault();
					if (code.trim() !== "") join.mutate();
				}}
			>
				<TextInput
					label="Invite code"
					hint="It begins with svc_invite_."
					isMono
					value={code}
					onChange={setCode}
					maxLength={CODE_LENGTH}
					error={isWrong ? "This code does not work for this task. If the poster has replaced the code, ask for the new one." : null}
				/>
				{join.error !== null && !isWrong && <ErrorMessage error={join.error} title="You could not join the task." />}
				<div className="actions">
					<Button type="submit" kind="primary" isPending={join.isPending} isDisabled={code.trim() === ""}>
						Join the task
					</Button>
					<a href="/tasks">Find another task</a>
				</div>
			</Form>
		</>
	);
}
