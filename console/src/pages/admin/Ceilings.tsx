import { useState } from "react";
import { adminApi } from "../../api/admin.ts";
import type { Schemas } from "../../api/client.ts";
import { TextInput } from "../../components/Field.tsx";
import { Table } from "../../components/Table.tsx";
import {
	type Ceiling,
	findLimitFault,
	formatLimits,
	labelOfUnit,
	toCeilings,
	toChange,
	toConfigured,
	writeLimit,
} from "../../rules/ceilings.ts";
import { ActDialog } from "./ActDialog.tsx";

export function Ceilings({ ceilings }: { readonly ceilings: Schemas["Spend"]["ceilings"] }) {
	return <Table label="All ceilings" columns={COLUMNS} rows={toCeilings(ceilings)} rowKey={({ id }) => id} />;
}

const COLUMNS = [
	{ id: "name", head: "For", cell: ({ label }: Ceiling) => label },
	{ id: "limits", head: "At most", cell: ({ limits }: Ceiling) => formatLimits(limits) },
	{
		id: "act",
		head: "Change",
		cell: (ceiling: Ceiling) => (
			<div className="actions">
				<Change key={ceiling.limits.map(writeLimit).join()} ceiling={ceiling} />
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
	const { label, limits } = ceiling;
	const [texts, setTexts] = useState(() => limits.map(writeLimit));
	const change = toChange(ceiling, texts);
	return (
		<ActDialog
			trigger="Change…"
			triggerKind="quiet"
			title={`${label}: change the ceiling?`}
			confirm="Set the ceiling"
			canConfirm={change !== null}
			act={(reason) => set(change ?? {}, reason)}
		>
			<p>
				Evaluations that begin 10 seconds later hold the new ceiling. Above it, they wait. It holds until an operator changes it again, also
				after a deployment.
			</p>
			{limits.map((limit, index) => (
				<TextInput
					key={limit.unit}
					label={labelOfUnit(limit.unit)}
					hint="Empty for no ceiling."
					inputMode="decimal"
					value={texts[index] ?? ""}
					onChange={(text) => setTexts(texts.with(index, text))}
					error={findLimitFault(texts[index] ?? "", limit)}
				/>
			))}
		</ActDialog>
	);
}

function AsConfigured({ ceiling }: { readonly ceiling: Ceiling }) {
	return (
		<ActDialog
			trigger="As configured…"
			triggerKind="quiet"
			title={`${ceiling.label}: as configured?`}
			confirm="Use the configuration"
			act={(reason) => set(toConfigured(ceiling), reason)}
		>
			<p>The ceiling is again what the configuration of the deployment says. Evaluations that begin 10 seconds later hold it.</p>
		</ActDialog>
	);
}
