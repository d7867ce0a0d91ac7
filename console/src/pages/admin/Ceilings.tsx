import { useState } from "react";
import { adminApi } from "../../api/admin.ts";
import type { Schemas } from "../../api/client.ts";
import { TextInput } from "../../components/Field.tsx";
import { Table } from "../../components/Table.tsx";
import {
	type Ceiling,
	findCeilingFault,
	formatCeiling,
	labelOfUnit,
	toCeilings,
	toChange,
	toConfigured,
	writeCeiling,
} from "../../rules/ceilings.ts";
import { ActDialog } from "./ActDialog.tsx";

export function Ceilings({ ceilings }: { readonly ceilings: Schemas["Spend"]["ceilings"] }) {
	return <Table label="All ceilings" columns={COLUMNS} rows={toCeilings(ceilings)} rowKey={({ id }) => id} />;
}

const COLUMNS = [
	{ id: "name", head: "For", cell: ({ label }: Ceiling) => label },
	{ id: "limit", head: "At most", cell: formatCeiling },
	{
		id: "act",
		head: "Change",
		cell: (ceiling: Ceiling) => (
			<div className="actions">
				<Change key={writeCeiling(ceiling)} ceiling={ceiling} />
				<AsConfigured ceiling={ceiling} />
			</div>
		),
	},
];

async function set(change: Omit<Schemas["CeilingsRequest"], "reason">, reason: string): Promise<string> {
	await adminApi.setCeilings({ ...change, reason });
	return "The ceiling is set.";
}

function Change({ ceiling }: { readonly ceiling: Ceiling }) {
	const [text, setText] = useState(() => writeCeiling(ceiling));
	const change = toChange(ceiling, text);
	return (
		<ActDialog
			trigger="Change…"
			triggerKind="quiet"
			title={`${ceiling.label}: change the ceiling?`}
			confirm="Set the ceiling"
			canConfirm={change !== null}
			act={(reason) => set(change ?? {}, reason)}
		>
			<p>
				The new ceiling applies to evaluations that begin at least 10 seconds later. It stays until an operator changes it again, even after
				a deployment.
			</p>
			<TextInput
				label={labelOfUnit(ceiling)}
				hint="Leave it empty for no ceiling."
				inputMode="decimal"
				value={text}
				onChange={setText}
				error={findCeilingFault(text, ceiling)}
			/>
		</ActDialog>
	);
}

function AsConfigured({ ceiling }: { readonly ceiling: Ceiling }) {
	return (
		<ActDialog
			trigger="As configured…"
			triggerKind="quiet"
			title={`${ceiling.label}: reset the ceiling?`}
			confirm="Reset the ceiling"
			act={(reason) => set(toConfigured(ceiling), reason)}
		>
			<p>
				The ceiling goes back to the value in the deployment's configuration. That value applies to evaluations that begin at least 10
				seconds later.
			</p>
		</ActDialog>
	);
}
