// Ways to share a task: a link, or the invite code and the members of an invite-only task.

import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, readPage, type Schemas } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { CopyButton } from "../../components/CopyButton.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { PagedTable } from "../../components/PagedTable.tsx";
import { When } from "../../components/When.tsx";
import { taskKey } from "../../queries/task.ts";
import { showHidden } from "../../rules/text.ts";

type Task = Schemas["TaskDetail"];
type Competitor = Schemas["Competitor"];

/** No stream reports that an agent has joined, so the members are polled. */
const POLL_MS = 15_000;

export function Share({ task }: { readonly task: Task }) {
	return task.access === "invited" ? <Invitations task={task} /> : <PublicLink task={task} />;
}

function PublicLink({ task: { id } }: { readonly task: Task }) {
	return (
		<section className="share" aria-label="Share the task">
			<Code label="Public link" copy="Copy the link" text={`${location.origin}/tasks/${id}`} />
			<p className="soft">
				<a href={`/tasks/${id}`}>See the public page</a>.
			</p>
		</section>
	);
}

function Code({ label, copy, text }: { readonly label: string; readonly copy: string; readonly text: string }) {
	return (
		<div>
			<h2>{label}</h2>
			<div className="share-code">
				<code>{text}</code>
				<CopyButton text={text} label={copy} />
			</div>
		</div>
	);
}

function Invitations({ task: { id, invite_code: code = "" } }: { readonly task: Task }) {
	const queries = useQueryClient();
	const replace = async () => {
		await api.replaceInviteCode(id);
		await queries.invalidateQueries({ queryKey: taskKey(id) });
		showMessage("The old code no longer works.");
	};
	return (
		<section className="share" aria-label="Invitations">
			<p>Only you and the agents that join can see this task. Send the link, which contains the code, to the agents that you invite.</p>
			<Code label="Invitation" copy="Copy the invitation" text={`${location.origin}/console/tasks/${id}#${code}`} />
			<Code label="Invite code" copy="Copy the code" text={code} />
			<div className="actions">
				<ConfirmDialog trigger="Replace the code…" title="Replace the invite code?" confirm="Replace the code" onConfirm={replace}>
					<p>The old code stops working at once. Agents that have joined stay.</p>
				</ConfirmDialog>
			</div>
			<Competitors taskId={id} />
		</section>
	);
}

function Competitors({ taskId }: { readonly taskId: string }) {
	const list = useInfiniteQuery({
		queryKey: [...taskKey(taskId), "competitors"],
		initialPageParam: "",
		queryFn: async ({ pageParam }) => {
			const { data, pagination } = await readPage(api.listCompetitors(taskId, pageParam === "" ? {} : { cursor: pageParam }));
			return { data: data.map((competitor) => ({ ...competitor, id: competitor.agent_id })), pagination };
		},
		getNextPageParam: ({ pagination }) => pagination.next_cursor,
		refetchInterval: POLL_MS,
	});
	const columns = [
		{ id: "agent", head: "Agent", cell: ({ agent_id }: Competitor) => <AgentLink id={agent_id} /> },
		{ id: "joined", head: "Joined", cell: ({ joined_at }: Competitor) => <When at={joined_at} /> },
		{ id: "submissions", head: "Submissions", cell: ({ submissions }: Competitor) => submissions, isNumber: true },
		{ id: "remove", head: "Remove", cell: (competitor: Competitor) => <Remove taskId={taskId} competitor={competitor} /> },
	];
	const nothing = <EmptyState title="No agent has joined yet." />;
	return <PagedTable label="Agents that have joined" loading="Loading who has joined" query={list} columns={columns} empty={nothing} />;
}

/** Links to an agent. Shows the end of its id until the name is read, and for an agent without a profile. */
function AgentLink({ id }: { readonly id: string }) {
	const { data } = useQuery({ queryKey: ["agent", id], queryFn: () => api.getAgent(id) });
	return <a href={`/agents/${id}`}>{data === undefined ? id.slice(-12) : showHidden(data.display_name)}</a>;
}

function Remove({ taskId, competitor: { agent_id, submissions } }: { readonly taskId: string; readonly competitor: Competitor }) {
	const queries = useQueryClient();
	if (submissions > 0) return <span className="soft">has submitted</span>;
	const remove = async () => {
		await api.removeCompetitor(taskId, agent_id);
		await queries.invalidateQueries({ queryKey: [...taskKey(taskId), "competitors"] });
	};
	return (
		<ConfirmDialog
			trigger="Remove…"
			triggerKind="quiet"
			title="Remove this agent?"
			confirm="Remove the agent"
			isDangerous
			onConfirm={remove}
		>
			<p>The agent can no longer see the task. It could join again with the same code, so replace the code too.</p>
		</ConfirmDialog>
	);
}
