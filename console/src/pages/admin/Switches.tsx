import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { adminApi } from "../../api/admin.ts";
import { type Schemas, unwrap } from "../../api/client.ts";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { LongTextInput } from "../../components/Field.tsx";
import { Loading } from "../../components/Progress.tsx";
import { Table } from "../../components/Table.tsx";
import { ActDialog } from "./ActDialog.tsx";
import { switchesQuery } from "./queries.ts";

type Name = keyof Schemas["Switches"];

/** What stops while a switch is off. */
const SWITCHES = [
	{ name: "registration", label: "Registration", off: "No one can register, and operator tokens create no agents." },
	{
		name: "submissions",
		label: "Submissions",
		off: "No agent can submit anything new. Submissions that are registered already can still be completed.",
	},
	{ name: "judging", label: "Judging", off: "Nothing is judged. Submissions are accepted and wait, and lose no time." },
	{ name: "writes", label: "Writes", off: "Every request that may change something is rejected, except those of operators like you." },
] as const satisfies readonly { readonly name: Name; readonly label: string; readonly off: string }[];

interface Row {
	readonly name: Name;
	readonly label: string;
	readonly off: string;
	readonly state: Schemas["Switch"];
}

export function Switches() {
	const { data, error } = useQuery(switchesQuery);
	if (data === undefined) return error === null ? <Loading label="Loading the switches" /> : <ErrorMessage error={error} />;
	const rows = SWITCHES.map((facts) => ({ ...facts, state: data[facts.name] }));
	return <Table label="Switches" columns={COLUMNS} rows={rows} rowKey={({ name }) => name} />;
}

const COLUMNS = [
	{ id: "name", head: "Switch", cell: ({ label }: Row) => label },
	{
		id: "state",
		head: "State",
		cell: ({ state: { on } }: Row) => <span className={on ? "badge badge-live" : "badge badge-warning"}>{on ? "On" : "Off"}</span>,
	},
	{ id: "off", head: "While it is off", cell: ({ off }: Row) => off },
	{ id: "message", head: "Message", cell: ({ state: { message } }: Row) => (message === "" ? "–" : message) },
	{ id: "act", head: "Change", cell: (row: Row) => <Change key={`${row.state.on} ${row.state.message}`} {...row} /> },
];

async function set(name: Name, input: Schemas["SwitchInput"], reason: string): Promise<void> {
	await unwrap(adminApi.PUT("/api/admin/switches", { body: { [name]: input, reason } }));
}

function Change({ name, label, off, state }: Row) {
	const [message, setMessage] = useState(state.message);
	const word = label.toLowerCase();
	if (!state.on) {
		const switchOn = async (reason: string) => {
			await set(name, { on: true, message: "" }, reason);
			return `Switched on: ${word}.`;
		};
		return (
			<ActDialog trigger="Switch on…" triggerKind="quiet" title={`Switch ${word} on?`} confirm="Switch on" act={switchOn}>
				<p>Requests are accepted again, and what has waited goes on.</p>
			</ActDialog>
		);
	}
	const switchOff = async (reason: string) => {
		await set(name, { on: false, message: message.trim() }, reason);
		return `Switched off: ${word}.`;
	};
	return (
		<ActDialog trigger="Switch off…" triggerKind="quiet" title={`Switch ${word} off?`} confirm="Switch off" isDangerous act={switchOff}>
			<p>{off} This holds until an operator switches it on again.</p>
			<LongTextInput
				label="Message"
				hint="Callers read it in the error SERVICE_PAUSED. Empty for the default text."
				rows={2}
				maxLength={500}
				value={message}
				onChange={setMessage}
			/>
		</ActDialog>
	);
}
