import { ApiError, type NextAction } from "../api/error.ts";

interface ErrorMessageProps {
	readonly error: Error;
	/** What failed, such as "The draft was not saved." */
	readonly title?: string;
}

/** An error with the API's message, the faults of each field, its next steps, and the id that an operator can look up. */
export function ErrorMessage({ error, title }: ErrorMessageProps) {
	const facts = error instanceof ApiError ? error.facts : null;
	return (
		<div className="notice notice-error" role="alert">
			{title !== undefined && <p className="notice-title">{title}</p>}
			<p>{error.message}</p>
			{facts !== null && facts.faults.length > 0 && (
				<ul>
					{facts.faults.map(({ path, message }) => (
						<li key={`${path} ${message}`}>
							{path !== "" && <code>{path}</code>} {message}
						</li>
					))}
				</ul>
			)}
			{facts !== null && facts.nextActions.length > 0 && <NextSteps actions={facts.nextActions} />}
			{facts !== null && facts.status !== 0 && (
				<p className="notice-small">
					{facts.code}
					{facts.requestId !== null && <> · request {facts.requestId}</>}
				</p>
			)}
		</div>
	);
}

function NextSteps({ actions }: { readonly actions: readonly NextAction[] }) {
	return (
		<>
			<p>What you can do:</p>
			<ul>
				{actions.map(({ method, href, description }) => (
					<li key={`${method} ${href}`}>
						{description}{" "}
						<code>
							{method} {pathOf(href)}
						</code>
					</li>
				))}
			</ul>
		</>
	);
}

function pathOf(href: string): string {
	const url = URL.parse(href);
	return url === null ? href : url.pathname + url.search;
}
