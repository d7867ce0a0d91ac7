import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Form } from "react-aria-components";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { TextInput } from "../../components/Field.tsx";
import { useSignIn } from "../../layout/identity.ts";

/** Signs in with a key. It stays in this tab only. */
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
					hint="This tab forgets it when you close the tab or sign out."
					type="password"
					value={key}
					onChange={setKey}
					isMono
					maxLength={200}
				/>
				{enter.error !== null && <ErrorMessage error={enter.error} title="The platform did not accept this key." />}
				<div className="actions">
					<Button type="submit" isPending={enter.isPending}>
						Use this key
					</Button>
				</div>
			</Form>
		</section>
	);
}
