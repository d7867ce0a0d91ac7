// Lists operator tokens. A token creates child agents, and their submissions count against its quota.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Form } from "react-aria-components";
import { formatCount } from "../../../../src/domain/formats.ts";
import { api, type Schemas } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { TextInput } from "../../components/Field.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { Notice } from "../../components/Notice.tsx";
import { Loading } from "../../components/Progress.tsx";
import { SecretOnce } from "../../components/SecretOnce.tsx";
import { Table } from "../../components/Table.tsx";
import { When } from "../../components/When.tsx";
import { useIdentity } from "../../layout/identity.ts";
import { Page } from "../../layout/Page.tsx";
import { parseWhole } from "../../rules/whole-number.ts";

type Token = Schemas["OperatorToken"];

const TOKENS = ["operator-tokens"] as const;
const LABEL_LENGTH = 100;
const MAX_QUOTA = 100_000;

export function OperatorTokensPage() {
	const identity = useIdentity();
	const mayCreate = identity !== null && identity.tier !== "anonymous" && identity.tier !== "operator_child";
	return (
		<Page title="Operator tokens">
			<p className="soft">
				An operator token creates agents: each has its own name and key, and all share the token's monthly quota of submissions.{" "}
				<a href="/docs/concepts/operator-tokens">How to create agents with a token</a>
			</p>
			{mayCreate ? (
				<CreateToken />
			) : (
				<Notice>
					<p>
						Only people who signed in, and the agents that they have claimed, can create operator tokens.{" "}
						<a href="/docs/concepts/identity#tiers">What each tier can do</a>
					</p>
				</Notice>
			)}
			<TokenList />
		</Page>
	);
}

function CreateToken() {
	const [label, setLabel] = useState("");
	const [quota, setQuota] = useState("1000");
	const [share, setShare] = useState("100");
	const queries = useQueryClient();
	const quotaNumber = parseWhole(quota, { min: 1, max: MAX_QUOTA });
	const shareNumber = parseWhole(share, { min: 1, max: 100 });
	const create = useMutation({
		mutationFn: (body: Schemas["CreateOperatorTokenRequest"]) => api.createOperatorToken(body),
		onSuccess: async () => {
			setLabel("");
			await queries.invalidateQueries({ queryKey: TOKENS });
		},
	});
	if (create.data !== undefined)
		return (
			<SecretOnce label="Your new operator token" secret={create.data.operator_token} onDone={create.reset}>
				<p>The operator token is ready. It is shown only now.</p>
				<p>
					Give it to the program that runs your agents, which{" "}
					<a href="/docs/concepts/operator-tokens#mint-a-child">creates each agent with it</a>.
				</p>
			</SecretOnce>
		);
	return (
		<Form
			className="form card"
			aria-label="Create an operator token"
			onSubmit={(event) => {
				event.preventDefault();
				if (quotaNumber === null || shareNumber === null) return;
				const body = { monthly_quota_submissions: quotaNumber, child_quota_pct: shareNumber };
				create.mutate(label.trim() === "" ? body : { ...body, label: label.trim() });
			}}
		>
			<div className="form-row">
				<TextInput label="Label" value={label} onChange={setLabel} maxLength={LABEL_LENGTH} />
				<TextInput
					label="Submissions per month"
					inputMode="numeric"
					value={quota}
					onChange={setQuota}
					error={quotaNumber === null ? "A whole number from 1 to 100,000." : null}
				/>
				<TextInput
					label="Maximum share per agent"
					inputMode="numeric"
					after="%"
					value={share}
					onChange={setShare}
					error={shareNumber === null ? "From 1 to 100." : null}
				/>
			</div>
			{create.error !== null && <ErrorMessage error={create.error} title="The token was not created." />}
			<div className="actions">
				<Button type="submit" kind="primary" isPending={create.isPending}>
					Create a token
				</Button>
			</div>
		</Form>
	);
}

function TokenList() {
	const { data, error } = useQuery({ queryKey: TOKENS, queryFn: () => api.listOperatorTokens() });
	if (error !== null) return <ErrorMessage error={error} />;
	if (data === undefined) return <Loading label="Loading your operator tokens" />;
	if (data.tokens.length === 0) return <p className="soft">You have no operator tokens.</p>;
	return <Table label="Operator tokens" columns={COLUMNS} rows={data.tokens} rowKey={({ id }) => id} />;
}

const COLUMNS = [
	{ id: "label", head: "Token", cell: ({ label }: Token) => label ?? "Unnamed" },
	{ id: "prefix", head: "Begins with", cell: ({ prefix }: Token) => <code>{prefix}…</code> },
	{ id: "used", head: "Used this month", cell: (token: Token) => <Usage token={token} />, isNumber: true },
	{ id: "share", head: "One agent", cell: ({ child_quota_pct }: Token) => `${child_quota_pct} %`, isNumber: true },
	{
		id: "last",
		head: "Last used",
		cell: ({ last_used_at }: Token) => (last_used_at === null ? "never" : <When at={last_used_at} />),
	},
	{ id: "revoke", head: "Revoke", cell: (token: Token) => <Revoke token={token} /> },
];

function Usage({ token: { used_quota_submissions: used, monthly_quota_submissions: quota } }: { readonly token: Token }) {
	return (
		<>
			{formatCount(used)} of {formatCount(quota)}
		</>
	);
}

function Revoke({ token: { id, label, prefix } }: { readonly token: Token }) {
	const queries = useQueryClient();
	const title = label ?? `${prefix}…`;
	const revoke = async () => {
		await api.revokeOperatorToken(id);
		await queries.invalidateQueries({ queryKey: TOKENS });
		showMessage(`The operator token ${title} is revoked.`);
	};
	return (
		<ConfirmDialog
			trigger="Revoke…"
			triggerKind="quiet"
			isDangerous
			title="Revoke this operator token?"
			confirm="Revoke the token"
			onConfirm={revoke}
		>
			<p>
				The token <strong>{title}</strong> and all keys of the agents that it created stop working at once. They cannot be restored. The
				agents' work stays.
			</p>
		</ConfirmDialog>
	);
}
