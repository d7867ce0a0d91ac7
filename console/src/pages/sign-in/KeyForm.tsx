import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Form } from "react-aria-components";
import { hasStatus } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { TextInput } from "../../components/Field.tsx";
import { Notice } from "../../components/Notice.tsx";
import { useSignIn } from "../../layout/identity.ts";

/** Signs in with a key. The key is exchanged for a session and then forgotten. */
export function KeyForm({ onEnter }: { readonly onEnter: () => void }) {
	const [key, setKey] = useState("");
	const { signInWithKey } = useSignIn();
	const enter = useMutation({ mutationFn: () => signInWithKey(key.trim()), onSuccess: onEnter });
	return (
		<section className="card" aria-labelledby="key">
			<h2 id="key">With an API key</h2>
			<Form
				className="form"
				onSubmit={(event) => {
					event.preventDefault();
					if (key.trim() !== "") enter.mutate();
				}}
			>
				<TextInput
					label="API key"
					hint="The console exchanges the key for a session that all tabs of this browser share, and does not keep the key."
					type="password"
					autoComplete="current-password"
					value={key}
					onChange={setKey}
					isMono
					maxLength={200}
				/>
				{enter.error !== null && <Refusal error={enter.error} />}
				<div className="actions">
					<Button type="submit" isPending={enter.isPending} isDisabled={key.trim() === ""}>
						Use this key
					</Button>
				</div>
			</Form>
		</section>
	);
}

/** Explains an unknown key without mentioning the API. */
function Refusal({ error }: { readonly error: Error }) {
	if (!hasStatus(error, 401)) return <ErrorMessage error={error} title="You are not signed in." />;
	return (
		<Notice kind="error" role="alert" title="The platform does not know this key.">
			<p>A key begins with svc_sk_ and has 71 characters. Check that you have pasted all of it. If it was revoked, use another one.</p>
		</Notice>
	);
}
