import { useEffect } from "react";

/** Makes the browser ask before the page is closed, while something on it would be lost. */
export function useLeaveWarning(isNeeded: boolean): void {
	useEffect(() => {
		if (!isNeeded) return;
		const ask = (event: BeforeUnloadEvent) => event.preventDefault();
		window.addEventListener("beforeunload", ask);
		return () => window.removeEventListener("beforeunload", ask);
	}, [isNeeded]);
}
