import { type RefObject, useEffect, useRef } from "react";

/** Scrolls a row of tabs or steps, or a list with its own scroll bar, until the chosen one is in view. The page itself does not move. */
export function useVisibleChoice<Row extends HTMLElement>(choice: string | undefined): RefObject<Row | null> {
	const row = useRef<Row>(null);
	// biome-ignore lint/correctness/useExhaustiveDependencies: The choice is read from the page once it is shown.
	useEffect(() => {
		if (row.current === null) return;
		const shown = row.current;
		// React Aria adds tabs to their row only after the first effects have run. Then the row grows.
		const observer = new ResizeObserver(() => {
			const chosen = shown.querySelector<HTMLElement>("[aria-selected=true], [aria-current]");
			if (chosen === null) return;
			observer.disconnect();
			scrollTo(shown, chosen);
		});
		observer.observe(shown);
		return () => observer.disconnect();
	}, [choice]);
	return row;
}

function scrollTo(row: HTMLElement, chosen: HTMLElement): void {
	const [frame, box] = [row.getBoundingClientRect(), chosen.getBoundingClientRect()];
	row.scrollBy({
		left: box.left - frame.left - (frame.width - box.width) / 2,
		top: box.top - frame.top - (frame.height - box.height) / 2,
		behavior: "instant",
	});
}
