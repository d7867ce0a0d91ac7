import { type RefObject, useEffect, useRef } from "react";

/** Scrolls a row of tabs or steps sideways until the chosen one is in view: on a phone the row is wider than the window. */
export function useVisibleChoice<Row extends HTMLElement>(choice: string | undefined): RefObject<Row | null> {
	const row = useRef<Row>(null);
	// biome-ignore lint/correctness/useExhaustiveDependencies: The choice is read from the page once it is shown.
	useEffect(() => {
		const chosen = row.current?.querySelector<HTMLElement>("[aria-selected=true], [aria-current]");
		if (row.current === null || chosen == null) return;
		row.current.scrollLeft = chosen.offsetLeft - (row.current.clientWidth - chosen.offsetWidth) / 2;
	}, [choice]);
	return row;
}
