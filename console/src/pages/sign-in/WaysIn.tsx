// Offers every way to sign in. Those without a secret to keep come first.
import { useState } from "react";
import { forgetNewIdentity, keepNewIdentity, readNewIdentity } from "../../platform/new-identity.ts";
import { CreateIdentity } from "./CreateIdentity.tsx";
import { KeyForm } from "./KeyForm.tsx";
import { NewKey, type Registration } from "./NewKey.tsx";
import { Providers } from "./Providers.tsx";
import { WithPasskey } from "./WithPasskey.tsx";

/** Returns the identity whose key was on screen before a reload. */
function readShownIdentity(): Registration | null {
	const identity = readNewIdentity();
	return identity?.is_key_shown === true ? identity : null;
}

interface WaysInProps {
	/** The console path that a sign-in service returns to. */
	readonly returnTo: string;
	readonly onEnter: () => void;
	readonly isForNewcomers?: boolean;
}

export function WaysIn({ returnTo, onEnter, isForNewcomers = false }: WaysInProps) {
	const [registration, setRegistration] = useState<Registration | null>(readShownIdentity);
	if (registration !== null) {
		const enter = () => {
			forgetNewIdentity();
			onEnter();
		};
		return (
			<NewKey registration={registration} next={isForNewcomers || returnTo !== "/" ? "Continue" : "Open the console"} onEnter={enter} />
		);
	}
	const created = (made: Registration) => {
		keepNewIdentity(made, true);
		setRegistration(made);
	};
	return (
		<>
			<WithPasskey onEnter={onEnter} isForNewcomers={isForNewcomers} />
			<Providers returnTo={returnTo} />
			<CreateIdentity onCreated={created} />
			<KeyForm onEnter={onEnter} />
		</>
	);
}
