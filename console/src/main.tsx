import "./styles/index.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { type AnyRoute, RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { I18nProvider } from "react-aria-components";
import { createRoot } from "react-dom/client";
import { onSignedOut } from "./api/client.ts";
import { mayHaveSession, onOtherTabsSession } from "./api/credentials.ts";
import { queryClient } from "./api/queries.ts";
import { identityQuery } from "./layout/identity.ts";
import { applyTheme } from "./layout/theme.ts";
import { taskQuery } from "./queries/task.ts";
import { router } from "./router.tsx";
import { leadsOutside } from "./rules/return-to.ts";

applyTheme();

/** Forgets what the previous identity read, and reloads what the current one may see. */
async function changeIdentity(): Promise<void> {
	queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== identityQuery.queryKey[0] });
	const identity = mayHaveSession() ? await queryClient.fetchQuery({ ...identityQuery, staleTime: 0 }) : null;
	queryClient.setQueryData(identityQuery.queryKey, identity);
	await router.invalidate();
	const { pathname, search } = router.state.location;
	if (identity === null || pathname !== "/sign-in") return;
	const returnTo = search.return_to ?? "/";
	if (leadsOutside(returnTo)) location.replace(returnTo);
	else await router.navigate({ to: returnTo, replace: true });
}
onSignedOut(() => void changeIdentity());
onOtherTabsSession(() => void changeIdentity());

/** The pages of these routes begin by loading the task in their path. */
const TASK_ROUTES: ReadonlySet<string> = new Set(["/member/tasks/$taskId", "/member/tasks/$taskId/submit"]);

interface Match {
	readonly routeId: string;
	readonly params: Readonly<Record<string, unknown>>;
}

/** Loads the page's code and task while the session is still loading, because each round trip takes half a second on a slow connection. */
function loadAhead(): void {
	if (!mayHaveSession()) return;
	const routes: Readonly<Record<string, AnyRoute>> = router.routesById;
	const matches: readonly Match[] = router.matchRoutes(router.latestLocation);
	for (const { routeId, params } of matches) {
		// If this fails, nothing is reported here: the router loads the code again when it shows the page, and then reports the error.
		void routes[routeId]?.options.component?.preload?.()?.catch(() => undefined);
		if (TASK_ROUTES.has(routeId) && typeof params["taskId"] === "string") void queryClient.prefetchQuery(taskQuery(params["taskId"]));
	}
}
loadAhead();

const root = document.getElementById("root");
if (root !== null) {
	createRoot(root).render(
		<StrictMode>
			<QueryClientProvider client={queryClient}>
				<I18nProvider locale="en-US">
					<RouterProvider router={router} />
				</I18nProvider>
			</QueryClientProvider>
		</StrictMode>,
	);
}
