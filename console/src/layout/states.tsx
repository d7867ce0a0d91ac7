// What the router shows while there is no page.
import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { noteFailure } from "../api/connection.ts";
import { Button } from "../components/Button.tsx";
import { EmptyState } from "../components/EmptyState.tsx";
import { ErrorMessage } from "../components/ErrorMessage.tsx";
import { Loading } from "../components/Progress.tsx";
import { isReachable, PageUnavailableError } from "../platform/load-page.ts";
import { Page } from "./Page.tsx";

export function NotFound() {
	return (
		<Page title="Page not found">
			<EmptyState title="There is no page at this URL.">
				<Link to="/">Go to the console's start page</Link>
			</EmptyState>
		</Page>
	);
}

export function PageError({ error }: ErrorComponentProps) {
	if (error instanceof PageUnavailableError) return <PageUnavailable />;
	return (
		<Page title="This page could not be shown">
			<ErrorMessage error={error instanceof Error ? error : new Error(String(error))} />
		</Page>
	);
}

const ASK_AGAIN_MS = 5_000;

/** Reloads the page automatically once the platform can be reached. */
function PageUnavailable() {
	useEffect(() => {
		const reloadIfReachable = async () => {
			if (await isReachable()) location.reload();
			// A response that arrived late may have told the banner that the platform can be reached. Correct that.
			else noteFailure(null);
		};
		const timer = setInterval(() => void reloadIfReachable(), ASK_AGAIN_MS);
		window.addEventListener("online", reloadIfReachable);
		return () => {
			clearInterval(timer);
			window.removeEventListener("online", reloadIfReachable);
		};
	}, []);
	return (
		<Page title="This page could not be loaded">
			<p>The platform cannot be reached. The page will appear when it is back. What you typed is kept in this browser.</p>
			<div className="actions">
				<Button kind="primary" onPress={() => location.reload()}>
					Try again
				</Button>
			</div>
		</Page>
	);
}

export function PageLoading() {
	return <Loading label="Loading the page" />;
}
