import { Button as AriaButton, type ButtonProps as AriaButtonProps } from "react-aria-components";

interface ButtonProps extends Omit<AriaButtonProps, "className" | "style"> {
	/** `primary` once per view; `danger` for what cannot be undone; `quiet` inside of tables and lists. */
	readonly kind?: "primary" | "plain" | "danger" | "quiet";
}

/** A button. While `isPending`, it keeps the focus and takes no presses. */
export function Button({ kind = "plain", ...props }: ButtonProps) {
	return <AriaButton {...props} className={`button button-${kind}`} />;
}
