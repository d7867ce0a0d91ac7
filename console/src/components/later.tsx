import { type ReactNode, Suspense } from "react";
import { Loading } from "./Progress.tsx";

/** Shows a loading message in place of a view until its code is loaded. The tabs around it stay on screen and keep the focus. */
export function later(view: ReactNode): ReactNode {
	return <Suspense fallback={<Loading label="Loading the view" />}>{view}</Suspense>;
}
