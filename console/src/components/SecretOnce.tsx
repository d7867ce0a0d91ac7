import type { ReactNode } from "react";
import { Button } from "./Button.tsx";
import { CopyButton } from "./CopyButton.tsx";
import { useLeaveWarning } from "./use-leave-warning.ts";

interface SecretOnceProps {
	/** The name of the secret, such as "Your new key". */
	readonly label: string;
	readonly secret: string;
	readonly children: ReactNode;
	readonly onDone: () => void;
}

/** Shows a secret that the platform never shows again. */
export function SecretOnce({ label, secret, children, onDone }: SecretOnceProps) {
	useLeaveWarning(true);
	return (
		<section className="card" aria-label={label}>
			<div role="status">{children}</div>
			<output className="secret" aria-label={label}>
				{secret}
			</output>
			<div className="actions">
				<CopyButton text={secret} autoFocus />
				<Button onPress={onDone}>I have saved it</Button>
			</div>
		</section>
	);
}
