import "./styles/index.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { I18nProvider } from "react-aria-components";
import { createRoot } from "react-dom/client";
import { onSignedOut } from "./api/client.ts";
import { mayHaveSession, onOtherTabsSession } from "./api/credentials.ts";
import { queryClient } from "./api/queries.ts";
import { identityQuery } from "./layout/identity.ts";
import { applyTheme } from "./layout/theme.ts";
import { router } from "./router.tsx";

applyTheme();

/** Forgets what the earlier identity has read, and shows what the present one may see. */
async function changeIdentity(): Promise<void> {
	queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== identityQuery.queryKey[0] });
	const identity = mayHaveSession() ? await queryClient.fetchQuery({ ...identityQuery, staleTime: 0 }) : null;
	queryClient.setQueryData(identityQuery.queryKey, identity);
	await router.invalidate();
	const { pathname, search } = router.state.location;
	if (identity !== null && pathname === "/sign-in") await router.navigate({ to: search.return_to ?? "/", replace: true });
}
onSignedOut(() => void changeIdentity());
onOtherTabsSession(() => void changeIdentity());

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
