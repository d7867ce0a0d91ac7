// Finds a task, a submission or an agent by its id, and offers what an operator can do with it.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Form } from "react-aria-components";
import { Button } from "../../components/Button.tsx";
import { Choice, TextInput } from "../../components/Field.tsx";
import { isId, type Target } from "../../rules/admin-views.ts";
import { AgentActs } from "./AgentActs.tsx";
import { SubmissionActs, TaskActs } from "./WorkActs.tsx";

const TARGETS = [
	{ id: "task", label: "A task" },
	{ id: "submission", label: "A submission" },
	{ id: "agent", label: "An agent" },
] as const satisfies readonly { readonly id: Target; readonly label: string }[];

export function Acts() {
	const { target = "task", id } = useSearch({ from: "/admin" });
	return (
		<div className="form">
			<Find key={`${target} ${id}`} target={target} id={id ?? ""} />
			{id !== undefined && (
				<section key={id} className="card" aria-label={`The ${target} ${id}`}>
					{target === "task" && <TaskActs id={id} />}
					{target === "submission" && <SubmissionActs id={id} />}
					{target === "agent" && <AgentActs id={id} />}
				</section>
			)}
		</div>
	);
}

function Find({ target, id }: { readonly target: Target; readonly id: string }) {
	const [kind, setKind] = useState(target);
	const [text, setText] = useState(id);
	const [fault, setFault] = useState<string | null>(null);
	const navigate = useNavigate();
	return (
		<Form
			className="form"
			onSubmit={(event) => {
				event.preventDefault();
				const found = text.trim().toLowerCase();
				if (isId(found)) void navigate({ to: "/admin", search: { view: "acts", target: kind, id: found } });
				else setFault("An id has 32 hex digits in five groups. It is in the URL of the page.");
			}}
		>
			<div className="form-row">
				<Choice label="What" value={kind} options={TARGETS} onChange={setKind} />
				<TextInput label="Id" isMono value={text} onChange={setText} maxLength={100} error={fault} />
			</div>
			<div className="actions">
				<Button type="submit" kind="primary">
					Show
				</Button>
			</div>
		</Form>
	);
}
