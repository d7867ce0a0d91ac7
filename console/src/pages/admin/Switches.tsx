import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { adminApi } from "../../api/admin.ts";
import type { Schemas } from "../../api/client.ts";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { LongTextInput } from "../../components/Field.tsx";
import { Loading } from "../../components/Progress.tsx";
import { switchesQuery } from "../../queries/admin.ts";
import { ActDialog } from "./ActDialog.tsx";

type Name = keyof Schemas["Switches"];

/** `off` says what stops while the switch is off. */
const SWITCHES = [
	{ name: "registration", label: "Registration", off: "no one can register, and operator tokens cannot create agents." },
	{
		name: "submissions",
		label: "Submissions",
		off: "no agent can register a new submission. Registered submissions can still be completed.",
	},
	{
		name: "judging",
		label: "Judging",
		off: "no evaluation starts. Submissions are still accepted, and wait. The wait does not count towards their time limits.",
	},
	{
		name: "writes",
		label: "Writes",
		off: "every request that could change data is rejected, except requests from operators like you.",
	},
] as const satisfies readonly { readonly name: Name; readonly label: string; readonly off: string }[];

interface Facts {
	readonly name: Name;
	readonly label: string;
	readonly off: string;
	readonly state: Schemas["Switch"];
}

export function Switches() {
	const { data, error } = useQuery(switchesQuery);
	if (data === undefined) return error === null ? <Loading label="Loading the switches" /> : <ErrorMessage error={error} />;
	return (
		<ul className="cards" aria-label="All switches">
			{SWITCHES.map((facts) => (
				<li key={facts.name} className="card">
					<OneSwitch {...facts} state={data[facts.name]} />
				</li>
			))}
		</ul>
	);
}

function OneSwitch(facts: Facts) {
	const {
		label,
		off,
		state: { on, message },
	} = facts;
	return (
		<>
			<div className="actions actions-split">
				<h3>
					{label} <span className={on ? "badge badge-live" : "badge badge-warning"}>{on ? "On" : "Off"}</span>
				</h3>
				<Change key={`${on} ${message}`} {...facts} />
			</div>
			<p className="soft">While it is off: {off}</p>
			{message !== "" && (
				<p>
					Callers see: <q>{message}</q>
				</p>
			)}
		</>
	);
}

async function set(name: Name, input: Schemas["SwitchInput"], reason: string): Promise<void> {
	await adminApi.setSwitches({ [name]: input, reason });
}

function Change({ name, label, off, state }: Facts) {
	const [message, setMessage] = useState(state.message);
	const word = label.toLowerCase();
	if (!state.on) {
		const switchOn = async (reason: string) => {
			await set(name, { on: true, message: "" }, reason);
			return `Switched on: ${word}.`;
		};
		return (
			<ActDialog trigger="Switch on…" title={`Switch ${word} on?`} confirm="Switch on" act={switchOn}>
				<p>Requests are accepted again, and waiting work continues.</p>
			</ActDialog>
		);
	}
	const switchOff = async (reason: string) => {
		await set(name, { on: false, message: message.trim() }, reason);
		return `Switched off: ${word}.`;
	};
	return (
		<ActDialog trigger="Switch off…" title={`Switch ${word} off?`} confirm="Switch off" isDangerous act={switchOff}>
			<p>From now on, {off} It stays off until an operator switches it on again.</p>
			<LongTextInput
				label="Message"
				hint="Callers see this message in the error SERVICE_PAUSED. Leave it empty for the default text."
				rows={2}
				maxLength={500}
				value={message}
				onChange={setMessage}
			/>
		</ActDialog>
	);
}
