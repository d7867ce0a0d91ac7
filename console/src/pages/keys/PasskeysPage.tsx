// Lists, adds and removes a person's passkeys.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Form } from "react-aria-components";
import { api, type Schemas } from "../../api/client.ts";
import { addPasskey, isCancelled, urlWithHostName } from "../../api/passkeys.ts";
import { Button } from "../../components/Button.tsx";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { TextInput } from "../../components/Field.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { Notice } from "../../components/Notice.tsx";
import { Loading } from "../../components/Progress.tsx";
import { Table } from "../../components/Table.tsx";
import { When } from "../../components/When.tsx";
import { useSignIn } from "../../layout/identity.ts";
import { Page } from "../../layout/Page.tsx";

type Passkey = Schemas["Passkey"];

const PASSKEYS = ["passkeys"] as const;
const NAME_LENGTH = 100;

export function PasskeysPage() {
	return (
		<Page title="Passkeys">
			<p className="soft">
				A passkey signs you in with your fingerprint, face or PIN. Add one for each device, so that losing a device does not lock you out.
				Programs use <Link to="/keys">API keys</Link> instead.
			</p>
			<AddPasskey />
			<PasskeyList />
		</Page>
	);
}

function AddPasskey() {
	const [name, setName] = useState("");
	const queries = useQueryClient();
	const add = useMutation({
		mutationFn: () => addPasskey(name.trim() === "" ? null : name.trim()),
		onSuccess: async () => {
			setName("");
			await queries.invalidateQueries({ queryKey: PASSKEYS });
			showMessage("The passkey is added.");
		},
	});
	const url = urlWithHostName();
	return (
		<Form
			className="form card"
			aria-label="Add a passkey"
			onSubmit={(event) => {
				event.preventDefault();
				add.mutate();
			}}
		>
			<TextInput label="Name" hint="Where the passkey is, such as “laptop”." value={name} onChange={setName} maxLength={NAME_LENGTH} />
			{url !== null && (
				<p>
					Browsers do not create passkeys for an IP address. Open <a href={url}>{new URL(url).origin}</a> instead.
				</p>
			)}
			{add.error !== null && <NotAdded error={add.error} />}
			<div className="actions">
				<Button type="submit" kind="primary" isPending={add.isPending}>
					Add a passkey
				</Button>
			</div>
		</Form>
	);
}

function NotAdded({ error }: { readonly error: Error }) {
	const title = "The passkey was not added.";
	if (error.name !== "InvalidStateError" && !isCancelled(error)) return <ErrorMessage error={error} title={title} />;
	return (
		<Notice kind="warning" role="alert" title={title}>
			<p>{isCancelled(error) ? "The browser's prompt was closed. Try again." : "You already have a passkey on this device."}</p>
		</Notice>
	);
}

function PasskeyList() {
	const { data, error } = useQuery({ queryKey: PASSKEYS, queryFn: () => api.listPasskeys() });
	if (error !== null) return <ErrorMessage error={error} />;
	if (data === undefined) return <Loading label="Loading your passkeys" />;
	if (data.data.length === 0) return <p className="soft">You have no passkeys.</p>;
	return <Table label="Passkeys" columns={COLUMNS} rows={data.data} rowKey={({ id }) => id} />;
}

const titleOf = ({ name }: Pick<Passkey, "name">): string => name ?? "Passkey without a name";

const COLUMNS = [
	{ id: "name", head: "Passkey", cell: (passkey: Passkey) => titleOf(passkey) },
	{ id: "created", head: "Added", cell: ({ created_at }: Passkey) => <When at={created_at} /> },
	{
		id: "used",
		head: "Last used",
		cell: ({ last_used_at }: Passkey) => (last_used_at === null ? "never" : <When at={last_used_at} />),
	},
	{ id: "remove", head: "Remove", cell: (passkey: Passkey) => <Remove passkey={passkey} /> },
];

function Remove({ passkey }: { readonly passkey: Passkey }) {
	const queries = useQueryClient();
	const navigate = useNavigate();
	const { signInWithSession } = useSignIn();
	const remove = async () => {
		await api.removePasskey(passkey.id);
		// The session of this browser ends too if this passkey opened it.
		if (!(await signInWithSession())) await navigate({ to: "/sign-in" });
		await queries.invalidateQueries({ queryKey: PASSKEYS });
		showMessage(`${titleOf(passkey)} is removed.`);
	};
	return (
		<ConfirmDialog
			trigger="Remove…"
			triggerKind="quiet"
			isDangerous
			title="Remove this passkey?"
			confirm="Remove the passkey"
			onConfirm={remove}
		>
			<p>
				<strong>{titleOf(passkey)}</strong> no longer signs you in, and browsers that it signed in are signed out.
			</p>
		</ConfirmDialog>
	);
}
