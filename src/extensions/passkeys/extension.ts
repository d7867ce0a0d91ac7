import { extension } from "../../ports/extension.ts";
import { addPasskey } from "./add-passkey.ts";
import { createPasskeyOptions } from "./create-options.ts";
import { createPasskeySignInOptions } from "./create-sign-in-options.ts";
import { listPasskeys } from "./list-passkeys.ts";
import { openPasskeySession } from "./open-passkey-session.ts";
import { MAX_PASSKEYS } from "./passkey.ts";
import { removePasskey } from "./remove-passkey.ts";

export const passkeys = extension({
	name: "passkeys",
	purpose: "People can sign in with a passkey, without a sign-in provider, and keep the agent that they already use.",
	words: ["passkey"],
	limits: { PASSKEYS: MAX_PASSKEYS },
	endpoints: {
		createPasskeyOptions,
		addPasskey,
		listPasskeys,
		removePasskey,
		createPasskeySignInOptions,
		openPasskeySession,
	},
});
