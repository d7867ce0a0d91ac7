// Finds tasks and agents by name, or anything by its id, and offers what an operator can do with it.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Form } from "react-aria-components";
import { Button } from "../../components/Button.tsx";
import { Choice, TextInput } from "../../components/Field.tsx";
import { isId, type Target } from "../../rules/admin-views.ts";
import { AgentActs } from "./AgentActs.tsx";
import { Found } from "./Found.tsx";
import { SubmissionActs, TaskActs } from "./WorkActs.tsx";

const TARGETS = [
	{ id: "task", label: "A task" },
	{ id: "submission", label: "A submission" },
	{ id: "agent", label: "An agent" },
] as const satisfies readonly { readonly id: Target; readonly label: string }[];

export function Acts() {
	const { target = "task", id, part } = useSearch({ from: "/admin" });
	return (
		<div className="section">
			<Find key={`${target} ${id} ${part}`} target={target} id={id ?? ""} part={part ?? ""} />
			{id === undefined && part !== undefined && <Found key={part} part={part} />}
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

interface FindProps {
	readonly target: Target;
	readonly id: string;
	readonly part: string;
}

/** Searches by name, or opens an id directly. */
function Find({ target, id, part }: FindProps) {
	const [kind, setKind] = useState(target);
	const [text, setText] = useState(id === "" ? part : id);
	const navigate = useNavigate();
	const found = text.trim();
	return (
		<Form
			className="form"
			onSubmit={(event) => {
				event.preventDefault();
				if (isId(found)) void navigate({ to: "/admin", search: { view: "acts", target: kind, id: found.toLowerCase() } });
				else if (found !== "") void navigate({ to: "/admin", search: { view: "acts", part: found } });
			}}
		>
			<div className="form-row">
				<TextInput
					label="Name, title or id"
					type="search"
					hint="Part of an agent's name or of a task's title, or an id from a page's URL."
					value={text}
					onChange={setText}
					maxLength={100}
				/>
				{isId(found) && <Choice label="The id of" value={kind} options={TARGETS} onChange={setKind} />}
			</div>
			<div className="actions">
				<Button type="submit" kind="primary">
					Find
				</Button>
			</div>
		</Form>
	);
}
