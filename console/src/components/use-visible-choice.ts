import { type RefObject, useEffect, useRef } from "react";

/** Scrolls a row of tabs or steps, or a list with its own scroll bar, until the chosen one is in view. The page itself does not move. */
export function useVisibleChoice<Row extends HTMLElement>(choice: string | undefined): RefObject<Row | null> {
	const row = useRef<Row>(null);
	// biome-ignore lint/correctness/useExhaustiveDependencies: The choice is read from the page once it is shown.
	useEffect(() => {
		const chosen = row.current?.querySelector<HTMLElement>("[aria-selected=true], [aria-current]");
		if (row.current === null || chosen == null) return;
		const [frame, box] = [row.current.getBoundingClientRect(), chosen.getBoundingClientRect()];
		row.current.scrollBy({
			left: box.left - frame.left - (frame.width - box.width) / 2,
			top: box.top - frame.top - (frame.height - box.height) / 2,
			behavior: "instant",
		});
	}, [choice]);
	return row;
}
