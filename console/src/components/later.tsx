import { type ReactNode, Suspense } from "react";
import { Loading } from "./Progress.tsx";

/** Lets only the view wait for its code. The tabs around it stay, and keep the focus. */
export function later(view: ReactNode): ReactNode {
	return <Suspense fallback={<Loading label="Loading the view" />}>{view}</Suspense>;
}
