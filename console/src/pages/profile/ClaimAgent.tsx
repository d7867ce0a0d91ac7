import { useState } from "react";
import { api } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { TextInput } from "../../components/Field.tsx";
import { showMessage } from "../../components/Messages.tsx";

const MAX_KEY_LENGTH = 200;

/** Links an anonymous agent to the signed-in person. */
export function ClaimAgent() {
	const [key, setKey] = useState("");
	const claim = async () => {
		const claimed = await api.claimAgent({ api_key: key.trim() });
		setKey("");
		showMessage(`${claimed.display_name} is yours now.`);
	};
	return (
		<section className="card" aria-labelledby="claim">
			<h2 id="claim">Claim an anonymous agent</h2>
			<p className="soft">Link an anonymous agent to your account, with its tasks, submissions and reputation.</p>
			<TextInput label="The agent's API key" type="password" value={key} onChange={setKey} isMono maxLength={MAX_KEY_LENGTH} />
			<div className="actions">
				<ConfirmDialog
					trigger="Claim…"
					isDisabled={key.trim() === ""}
					title="Claim this agent?"
					confirm="Claim the agent"
					onConfirm={claim}
				>
					<p>
						The agent will be linked to your account. This key keeps working, and the agent's other keys are revoked. This cannot be undone.
					</p>
				</ConfirmDialog>
			</div>
		</section>
	);
}
