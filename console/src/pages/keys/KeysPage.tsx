// Lists, creates and revokes the API keys of the caller.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Form } from "react-aria-components";
import { api, type Schemas } from "../../api/client.ts";
import { getSessionFacts } from "../../api/credentials.ts";
import { Button } from "../../components/Button.tsx";
import { Checkbox } from "../../components/Checkbox.tsx";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { TextInput } from "../../components/Field.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { Loading } from "../../components/Progress.tsx";
import { SecretOnce } from "../../components/SecretOnce.tsx";
import { Table } from "../../components/Table.tsx";
import { When } from "../../components/When.tsx";
import { useSignIn } from "../../layout/identity.ts";
import { Page } from "../../layout/Page.tsx";

type ApiKey = Schemas["ApiKey"];

const KEYS = ["api-keys"] as const;
const NAME_LENGTH = 100;

export function KeysPage() {
	return (
		<Page title="API keys">
			<p className="soft">A key lets a program act as you. Give each program its own key, so that you can revoke one without the others.</p>
			<CreateKey />
			<KeyList />
		</Page>
	);
}

function CreateKey() {
	const [name, setName] = useState("");
	const queries = useQueryClient();
	const create = useMutation({
		mutationFn: () => api.createApiKey(name.trim() === "" ? {} : { name: name.trim() }),
		onSuccess: async () => {
			setName("");
			await queries.invalidateQueries({ queryKey: KEYS });
		},
	});
	if (create.data !== undefined)
		return (
			<SecretOnce label="Your new key" secret={create.data.api_key} onDone={create.reset}>
				<p>
					The key {create.data.name === null ? "" : <strong>{create.data.name}</strong>} is ready. It is shown only now: the platform keeps
					no copy of it.
				</p>
			</SecretOnce>
		);
	return (
		<Form
			className="form card"
			aria-label="Create a key"
			onSubmit={(event) => {
				event.preventDefault();
				create.mutate();
			}}
		>
			<TextInput label="Name" hint="What the key is for, such as “laptop”." value={name} onChange={setName} maxLength={NAME_LENGTH} />
			{create.error !== null && <ErrorMessage error={create.error} title="The key was not created." />}
			<div className="actions">
				<Button type="submit" kind="primary" isPending={create.isPending}>
					Create a key
				</Button>
			</div>
		</Form>
	);
}

function KeyList() {
	const { data, error } = useQuery({ queryKey: KEYS, queryFn: () => api.listApiKeys() });
	if (error !== null) return <ErrorMessage error={error} />;
	if (data === undefined) return <Loading label="Loading your keys" />;
	if (data.data.length === 0) return <p className="soft">You have no keys.</p>;
	return <Table label="API keys" columns={COLUMNS} rows={data.data} rowKey={({ id }) => id} />;
}

/** Returns true if this browser signed in with the key. */
function isOwnKey({ id }: Pick<ApiKey, "id">): boolean {
	return getSessionFacts()?.keyId === id;
}

const COLUMNS = [
	{ id: "name", head: "Key", cell: (key: ApiKey) => (key.name ?? "Unnamed") + (isOwnKey(key) ? " (this browser)" : "") },
	{ id: "prefix", head: "Begins with", cell: ({ prefix }: ApiKey) => <code>{prefix}…</code> },
	{ id: "created", head: "Created", cell: ({ created_at }: ApiKey) => <When at={created_at} /> },
	{
		id: "used",
		head: "Last used",
		cell: ({ last_used_at }: ApiKey) => (last_used_at === null ? "never" : <When at={last_used_at} />),
	},
	{ id: "revoke", head: "Revoke", cell: (key: ApiKey) => <Revoke apiKey={key} /> },
];

function Revoke({ apiKey: { id, name, prefix } }: { readonly apiKey: ApiKey }) {
	const queries = useQueryClient();
	const title = name ?? `${prefix}…`;
	const isOwn = isOwnKey({ id });
	const { forget } = useSignIn();
	const navigate = useNavigate();
	const [keepsWebhooks, setKeepsWebhooks] = useState(false);
	const revoke = async () => {
		const { ended_webhooks: ended } = await api.revokeApiKey({ id, ...(keepsWebhooks ? { keep_webhooks: "true" } : {}) });
		if (isOwn) {
			forget();
			await navigate({ to: "/sign-in" });
		} else await queries.invalidateQueries({ queryKey: KEYS });
		const consequence = ended.length === 0 ? "" : ` ${ended.length === 1 ? "1 webhook" : `${ended.length} webhooks`} ended with it.`;
		showMessage(`The key ${title} is revoked.${consequence}`);
	};
	return (
		<ConfirmDialog trigger="Revoke…" triggerKind="quiet" isDangerous title="Revoke this key?" confirm="Revoke the key" onConfirm={revoke}>
			<p>
				Programs that use the key <strong>{title}</strong> are rejected from now on. A revoked key cannot be restored. Passkeys that were
				added with it stop working too, except the one that you signed in with. Webhooks that were created with it end.
			</p>
			{!isOwn && (
				<Checkbox isSelected={keepsWebhooks} onChange={setKeepsWebhooks}>
					Keep its webhooks. No one else has had the key.
				</Checkbox>
			)}
			{isOwn && (
				<p>
					<strong>This browser signed in with this key.</strong> You will be signed out, and need another way to sign in again. To keep a
					passkey that was added with this key, sign out, sign in with that passkey, then revoke the key.
				</p>
			)}
		</ConfirmDialog>
	);
}
