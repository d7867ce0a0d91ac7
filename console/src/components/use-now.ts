import { useEffect, useState } from "react";

const TICK_MS = 1000;

/** Returns the current time in milliseconds, and renders the component again each second. */
export function useNow(): number {
	const [now, setNow] = useState(() => Date.now());
	useEffect(() => {
		const timer = setInterval(() => setNow(Date.now()), TICK_MS);
		return () => clearInterval(timer);
	}, []);
	return now;
}
