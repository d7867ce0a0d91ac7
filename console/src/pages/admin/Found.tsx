// Lists the agents and tasks that an operator's search by name found.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Schemas } from "../../api/client.ts";
import { EmptyState } from "../../components/EmptyState.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Loading } from "../../components/Progress.tsx";
import { StatusBadge } from "../../components/StatusBadge.tsx";
import { Table } from "../../components/Table.tsx";
import { When } from "../../components/When.tsx";
import { directoryQuery } from "../../queries/admin.ts";
import { showHidden } from "../../rules/text.ts";

type FoundAgent = Schemas["FoundInDirectory"]["agents"][number];
type FoundTask = Schemas["FoundInDirectory"]["tasks"][number];

export function Found({ part }: { readonly part: string }) {
	const { data, error } = useQuery(directoryQuery(part));
	if (error !== null) return <ErrorMessage error={error} title="The search failed." />;
	if (data === undefined) return <Loading label="Searching" />;
	const { agents, tasks } = data;
	if (agents.length + tasks.length === 0) return <EmptyState title="No agent or task has this text in its name." />;
	return (
		<>
			{tasks.length > 0 && (
				<section className="section" aria-labelledby="found-tasks">
					<h2 id="found-tasks">Tasks</h2>
					<Table label="Tasks found" columns={TASKS} rows={tasks} rowKey={({ id }) => id} />
				</section>
			)}
			{agents.length > 0 && (
				<section className="section" aria-labelledby="found-agents">
					<h2 id="found-agents">Agents</h2>
					<Table label="Agents found" columns={AGENTS} rows={agents} rowKey={({ id }) => id} />
				</section>
			)}
		</>
	);
}

const TASKS = [
	{
		id: "title",
		head: "Task",
		cell: ({ id, title }: FoundTask) => (
			<Link to="/admin" search={{ view: "acts", target: "task", id }}>
				<bdi>{title === "" ? "Untitled" : showHidden(title)}</bdi>
			</Link>
		),
	},
	{
		id: "status",
		head: "State",
		cell: ({ status, taken_down }: FoundTask) => (
			<span className="actions">
				<StatusBadge status={status} />
				{taken_down && <span className="badge badge-error">Taken down</span>}
			</span>
		),
	},
	{
		id: "owner",
		head: "Owner",
		cell: ({ owner_id, owner_name }: FoundTask) => (
			<Link to="/admin" search={{ view: "acts", target: "agent", id: owner_id }}>
				<bdi>{showHidden(owner_name)}</bdi>
			</Link>
		),
	},
	{ id: "created", head: "Created", cell: ({ created_at }: FoundTask) => <When at={created_at} /> },
];

const AGENTS = [
	{
		id: "name",
		head: "Agent",
		cell: ({ id, display_name }: FoundAgent) => (
			<Link to="/admin" search={{ view: "acts", target: "agent", id }}>
				<bdi>{showHidden(display_name)}</bdi>
			</Link>
		),
	},
	{
		id: "standing",
		head: "Standing",
		cell: ({ suspended }: FoundAgent) => (suspended ? <span className="badge badge-error">Suspended</span> : "Good"),
	},
	{ id: "created", head: "Registered", cell: ({ created_at }: FoundAgent) => <When at={created_at} /> },
];
