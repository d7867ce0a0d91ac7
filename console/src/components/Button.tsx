import { type MouseEvent, useRef } from "react";
import { Button as AriaButton, type ButtonProps as AriaButtonProps, type PressEvent } from "react-aria-components";

interface ButtonProps extends Omit<AriaButtonProps, "className" | "style" | "isPending"> {
	/** A view has one `primary` button. `danger` is for actions that cannot be undone, `quiet` for tables and lists. */
	readonly kind?: "primary" | "plain" | "danger" | "quiet";
	/** While its action runs, the button keeps the focus and ignores presses. */
	readonly isPending?: boolean;
}

/** Shows a button. Does not use React Aria's `isPending`, which leaves behind an announcement that axe-core reports as unnamed. */
export function Button({ kind = "plain", isPending, ...props }: ButtonProps) {
	const once = useActOnce(props.onPress);
	const acting = isPending === undefined ? {} : once;
	const waiting = isPending === true ? ({ onPress: () => {}, type: "button", "data-pending": true } as const) : {};
	return <AriaButton {...props} {...acting} {...waiting} className={`button button-${kind}`} />;
}

/** Ignores the second click of a double click. A quick action may have finished by then, so `isPending` alone would let it run twice. */
function useActOnce(onPress: AriaButtonProps["onPress"]) {
	const isRepeated = useRef(false);
	return {
		onClickCapture: (event: MouseEvent) => {
			isRepeated.current = event.detail > 1;
			if (isRepeated.current) event.preventDefault();
		},
		onPress: (event: PressEvent) => {
			if (event.pointerType === "keyboard" || !isRepeated.current) onPress?.(event);
		},
	};
}
