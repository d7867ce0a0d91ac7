import "./styles/index.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { I18nProvider } from "react-aria-components";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/queries.ts";
import { applyTheme } from "./layout/theme.ts";
import { reloadAfterDeployment } from "./platform/reload.ts";
import { router } from "./router.tsx";

applyTheme();
reloadAfterDeployment();
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
