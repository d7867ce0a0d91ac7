import { Button as AriaButton, type ButtonProps as AriaButtonProps } from "react-aria-components";

interface ButtonProps extends Omit<AriaButtonProps, "className" | "style" | "isPending"> {
	/** A view has one `primary` button. `danger` is for acts that cannot be undone, `quiet` for tables and lists. */
	readonly kind?: "primary" | "plain" | "danger" | "quiet";
	/** While its act runs, the button keeps the focus and ignores presses. */
	readonly isPending?: boolean;
}

/** Shows a button. React Aria's own `isPending` leaves an announcement behind that axe-core finds without a name. */
export function Button({ kind = "plain", isPending = false, ...props }: ButtonProps) {
	const waiting = isPending ? ({ onPress: () => {}, type: "button", "data-pending": true } as const) : {};
	return <AriaButton {...props} {...waiting} className={`button button-${kind}`} />;
}
