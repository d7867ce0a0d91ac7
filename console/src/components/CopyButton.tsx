import { Button } from "./Button.tsx";
import { showMessage } from "./Messages.tsx";

interface CopyButtonProps {
	readonly text: string;
	readonly label?: string;
	readonly autoFocus?: boolean;
}

/** Copies text, and confirms that it was copied. */
export function CopyButton({ text, label = "Copy", autoFocus = false }: CopyButtonProps) {
	const copy = async () => {
		try {
			await navigator.clipboard.writeText(text);
			showMessage("Copied.");
		} catch {
			showMessage("The browser did not allow copying. Select the text and copy it yourself.");
		}
	};
	return (
		<Button autoFocus={autoFocus} onPress={() => void copy()}>
			{label}
		</Button>
	);
}
