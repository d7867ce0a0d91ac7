// The audit log: everything that operators did.

import { useInfiniteQuery } from "@tanstack/react-query";
import type { Schemas } from "../../api/client.ts";
import { EmptyState } from "../../components/EmptyState.tsx";
import { PagedTable } from "../../components/PagedTable.tsx";
import { When } from "../../components/When.tsx";
import { auditQuery } from "../../queries/admin.ts";
import { findChanges, readTarget } from "../../rules/admin-views.ts";
import { showHidden } from "../../rules/text.ts";
import { TargetLink } from "./TargetLink.tsx";

type Entry = Schemas["AuditEntry"];

export function Audit() {
	const list = useInfiniteQuery(auditQuery);
	const nothing = <EmptyState title="No operator has done anything yet." />;
	return (
		<div className="section">
			<p className="soft">Newest first. No entry is ever changed or deleted.</p>
			<PagedTable label="Audit log" loading="Loading the audit log" query={list} columns={COLUMNS} empty={nothing} />
		</div>
	);
}

const COLUMNS = [
	{ id: "at", head: "When", cell: ({ at }: Entry) => <When at={at} /> },
	{ id: "action", head: "Action", cell: ({ action }: Entry) => <code>{action}</code> },
	{ id: "target", head: "Target", cell: (entry: Entry) => <Acted entry={entry} /> },
	{ id: "reason", head: "Reason", cell: ({ reason }: Entry) => <span className="reasoning">{showHidden(reason)}</span> },
	{ id: "actor", head: "By", cell: ({ actor }: Entry) => <code>{actor}</code> },
	{ id: "change", head: "Before and after", cell: (entry: Entry) => <Change entry={entry} /> },
];

function Acted({ entry: { action, target } }: { readonly entry: Entry }) {
	const kind = readTarget(action.split(".")[0]);
	return kind === undefined ? <code>{target}</code> : <TargetLink target={kind} id={target} />;
}

function Change({ entry: { before, after } }: { readonly entry: Entry }) {
	return (
		<details>
			<summary>Show</summary>
			<pre>
				<code>{showHidden(JSON.stringify(findChanges(before, after), null, 2))}</code>
			</pre>
		</details>
	);
}
