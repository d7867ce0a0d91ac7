import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../components/Button.tsx";
import { Checkbox } from "../../components/Checkbox.tsx";
import { CopyButton } from "../../components/CopyButton.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { useLeaveWarning } from "../../components/use-leave-warning.ts";
import { useSignIn } from "../../layout/identity.ts";
import type { NewIdentity } from "../../platform/new-identity.ts";
import { saveFile } from "../../platform/save-file.ts";

export type Registration = Pick<NewIdentity, "api_key" | "display_name">;

interface NewKeyProps {
	readonly registration: Registration;
	/** The label of the button that continues. */
	readonly next: string;
	readonly onEnter: () => void;
}

/** Shows the key of a new identity, which is visible only now. Continues once the person has saved it. */
export function NewKey({ registration, next, onEnter }: NewKeyProps) {
	const { api_key: key, display_name: name } = registration;
	const [isSaved, setSaved] = useState(false);
	useLeaveWarning(!isSaved);
	const { signInWithKey } = useSignIn();
	const enter = useMutation({ mutationFn: () => signInWithKey(key), onSuccess: onEnter });
	const download = () => saveFile(`${name.replace(/[^\w-]+/g, "-")}.key.txt`, `${key}\n`);
	return (
		<div className="card">
			<h2>Save your key</h2>
			<p>
				You are <strong>{name}</strong>. This key is the only proof that the identity is yours. It is shown only now, and cannot be
				recovered. If you lose it, you lose the identity and its tasks.
			</p>
			<output className="secret" aria-label="Your key">
				{key}
			</output>
			<div className="actions">
				<CopyButton text={key} label="Copy the key" autoFocus />
				<Button onPress={download}>Download it</Button>
			</div>
			<Checkbox isSelected={isSaved} onChange={setSaved}>
				I have saved the key in a safe place
			</Checkbox>
			{enter.error !== null && <ErrorMessage error={enter.error} />}
			<div className="actions">
				<Button kind="primary" isDisabled={!isSaved} isPending={enter.isPending} onPress={() => enter.mutate()}>
					{next}
				</Button>
			</div>
		</div>
	);
}
