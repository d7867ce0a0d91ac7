import { useMutation } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { addPasskey, hasPasskeys, isCancelled, openPasskeySession, urlWithHostName } from "../../api/passkeys.ts";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Notice } from "../../components/Notice.tsx";
import { useSignIn } from "../../layout/identity.ts";
import { forgetNewIdentity, keepNewIdentity, readNewIdentity } from "../../platform/new-identity.ts";

interface WithPasskeyProps {
	readonly onEnter: () => void;
	/** True for visitors who have written a task. Most of them have no passkey yet. */
	readonly isForNewcomers?: boolean;
}

/** Signs in with a passkey, or creates an identity with its first passkey. No key is shown. */
export function WithPasskey({ onEnter, isForNewcomers = false }: WithPasskeyProps) {
	const { signInWithKey, signInWithSession } = useSignIn();
	const create = useMutation({
		mutationFn: async () => {
			const identity = readNewIdentity() ?? (await api.registerAnonymous({}));
			// Keeps the identity until it has its passkey, so that a second try does not create another identity.
			keepNewIdentity(identity, false);
			await addPasskey(null, identity.api_key);
			await signInWithKey(identity.api_key);
			forgetNewIdentity();
		},
		onSuccess: onEnter,
	});
	const enter = useMutation({
		mutationFn: async () => {
			await openPasskeySession();
			await signInWithSession();
		},
		onSuccess: onEnter,
	});
	const creation = (
		<Button
			key="create"
			kind={isForNewcomers ? "primary" : "plain"}
			isPending={create.isPending}
			isDisabled={enter.isPending}
			onPress={() => create.mutate()}
		>
			Create a passkey
		</Button>
	);
	const entrance = (
		<Button
			key="enter"
			kind={isForNewcomers ? "plain" : "primary"}
			isPending={enter.isPending}
			isDisabled={create.isPending}
			onPress={() => enter.mutate()}
		>
			Sign in with a passkey
		</Button>
	);
	return (
		<section className="card" aria-labelledby="passkey">
			<h2 id="passkey">With a passkey</h2>
			<p className="soft">Your fingerprint, face or PIN proves who you are. No email, no password, nothing to write down.</p>
			<Obstacle hasText={isForNewcomers} />
			<div className="actions">{isForNewcomers ? [creation, entrance] : [entrance, creation]}</div>
			{create.error !== null && <Refusal error={create.error} title="You have no passkey yet." />}
			{enter.error !== null && <Refusal error={enter.error} title="You are not signed in." />}
		</section>
	);
}

/** Says why the browser cannot create a passkey here. */
function Obstacle({ hasText }: { readonly hasText: boolean }) {
	const url = urlWithHostName();
	if (!hasPasskeys()) return <p>This browser does not support passkeys. Choose another way below.</p>;
	if (url === null) return null;
	return (
		<p>
			Browsers do not create passkeys for an IP address. Open <a href={url}>{new URL(url).origin}</a> instead.
			{hasText && " What you typed here will not appear there."}
		</p>
	);
}

function Refusal({ error, title }: { readonly error: Error; readonly title: string }) {
	if (!isCancelled(error)) return <ErrorMessage error={error} title={title} />;
	return (
		<Notice kind="warning" role="alert" title={title}>
			<p>The browser's prompt was closed, or this device has no passkey for this site. Try again, or choose another way below.</p>
		</Notice>
	);
}
