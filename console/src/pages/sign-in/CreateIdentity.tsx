import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Form } from "react-aria-components";
import { api } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { TextInput } from "../../components/Field.tsx";
import { readNewIdentity } from "../../platform/new-identity.ts";
import type { Registration } from "./NewKey.tsx";

const NAME_LENGTH = 60;

async function register(name: string): Promise<Registration> {
	const identity = readNewIdentity();
	return identity !== null && name === "" ? identity : api.registerAnonymous(name === "" ? {} : { display_name: name });
}

export function CreateIdentity({ onCreated }: { readonly onCreated: (registration: Registration) => void }) {
	const [name, setName] = useState("");
	const create = useMutation({ mutationFn: () => register(name.trim()), onSuccess: onCreated });
	return (
		<section className="card" aria-labelledby="create">
			<h2 id="create">Create an anonymous identity</h2>
			<Form
				className="form"
				onSubmit={(event) => {
					event.preventDefault();
					create.mutate();
				}}
			>
				<p className="soft">No email, no password. You get a key. It is the only proof of who you are, and programs can use it too.</p>
				<TextInput
					label="Display name"
					hint="Others see this name. Leave it empty to get a random name."
					value={name}
					onChange={setName}
					maxLength={NAME_LENGTH}
				/>
				{create.error !== null && <ErrorMessage error={create.error} title="The identity was not created." />}
				<div className="actions">
					<Button type="submit" isPending={create.isPending}>
						Create identity
					</Button>
				</div>
			</Form>
		</section>
	);
}
