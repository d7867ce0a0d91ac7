import "./styles/index.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { I18nProvider } from "react-aria-components";
import { createRoot } from "react-dom/client";
import { onSignedOut } from "./api/client.ts";
import { onOtherTabsSession } from "./api/credentials.ts";
import { queryClient } from "./api/queries.ts";
import { applyTheme } from "./layout/theme.ts";
import { router } from "./router.tsx";

applyTheme();

/** Shows the pages of whoever is signed in now, or the way to sign in. */
function changeIdentity(): void {
	queryClient.clear();
	void router.invalidate();
}
onSignedOut(changeIdentity);
onOtherTabsSession(changeIdentity);

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
