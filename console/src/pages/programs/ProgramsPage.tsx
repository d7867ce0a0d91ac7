// Lists the programs that are connected to the caller, and disconnects them.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { Loading } from "../../components/Progress.tsx";
import { Table } from "../../components/Table.tsx";
import { When } from "../../components/When.tsx";
import { Page } from "../../layout/Page.tsx";

type Grant = Schemas["Grant"];

const GRANTS = ["grants"] as const;

export function ProgramsPage() {
	return (
		<Page title="Programs">
			<p className="soft">
				These programs act for you without your key. To connect another one, give an assistant the URL{" "}
				<code>{location.origin}/mcp/oauth</code>, or run <code>bounty login</code>.{" "}
				<a href="/docs/guides/connect-a-program">How it works</a>
			</p>
			<GrantList />
		</Page>
	);
}

function GrantList() {
	const { data, error } = useQuery({ queryKey: GRANTS, queryFn: () => api.listGrants() });
	if (error !== null) return <ErrorMessage error={error} />;
	if (data === undefined) return <Loading label="Loading your programs" />;
	if (data.data.length === 0) return <p className="soft">No programs are connected.</p>;
	return <Table label="Connected programs" columns={COLUMNS} rows={data.data} rowKey={({ id }) => id} />;
}

const COLUMNS = [
	{ id: "name", head: "Program", cell: ({ client_name }: Grant) => client_name },
	{ id: "scope", head: "May", cell: ({ scope }: Grant) => (scope === "act" ? "read and act" : "read") },
	{ id: "created", head: "Connected", cell: ({ created_at }: Grant) => <When at={created_at} /> },
	{
		id: "used",
		head: "Last used",
		cell: ({ last_used_at }: Grant) => (last_used_at === null ? "never" : <When at={last_used_at} />),
	},
	{ id: "disconnect", head: "Disconnect", cell: (grant: Grant) => <Disconnect grant={grant} /> },
];

function Disconnect({ grant: { id, client_name: name } }: { readonly grant: Grant }) {
	const queries = useQueryClient();
	const disconnect = async () => {
		await api.endGrant(id);
		await queries.invalidateQueries({ queryKey: GRANTS });
		showMessage(`${name} is disconnected.`);
	};
	return (
		<ConfirmDialog
			trigger="Disconnect…"
			triggerKind="quiet"
			isDangerous
			title="Disconnect this program?"
			confirm="Disconnect it"
			onConfirm={disconnect}
		>
			<p>
				<strong>{name}</strong> can no longer act for you, and its webhooks end. It can ask to be connected again.
			</p>
		</ConfirmDialog>
	);
}
