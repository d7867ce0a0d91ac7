import { BountyApiError, BountyConnectionError, BountyTimeoutError, type NextAction } from "../api/sdk.ts";
import { wordsForPeople } from "../rules/error-words.ts";
import { Notice } from "./Notice.tsx";

interface ErrorMessageProps {
	readonly error: Error;
	/** What failed, such as "The draft was not saved." */
	readonly title?: string;
}

/** Shows an error with the API's message, the faults of each field, its next steps, and the id that an operator can look up. */
export function ErrorMessage({ error, title }: ErrorMessageProps) {
	const refusal = error instanceof BountyApiError ? error : null;
	const words = refusal === null ? null : wordsForPeople(refusal.code);
	// If there is only one fault, its message is the same as the error's.
	const faults = words === null ? (refusal?.faults.filter(({ message }) => message !== error.message) ?? []) : [];
	return (
		<Notice kind="error" role="alert" {...(title === undefined ? {} : { title })}>
			<p>{words ?? messageOf(error)}</p>
			{faults.length > 0 && (
				<ul>
					{faults.map(({ path, message }) => (
						<li key={`${path} ${message}`}>
							{path !== "" && !message.startsWith(path) && <code>{path}</code>} {message}
						</li>
					))}
				</ul>
			)}
			{refusal !== null && refusal.nextActions.length > 0 && <NextSteps actions={refusal.nextActions} />}
			{refusal !== null && (
				<p className="notice-small">
					{refusal.code}
					{refusal.requestId !== undefined && <> · request {refusal.requestId}</>}
				</p>
			)}
		</Notice>
	);
}

/** Returns a plain message for a lost connection, because the browser's own message does not help a reader. */
function messageOf(error: Error): string {
	const isLost = error instanceof BountyConnectionError || error instanceof BountyTimeoutError;
	return isLost ? "The platform could not be reached. Check your connection, then try again." : error.message;
}

function NextSteps({ actions }: { readonly actions: readonly NextAction[] }) {
	return (
		<>
			<p>What you can do:</p>
			<ul>
				{actions.map(({ method, href, description }) => (
					<li key={`${method} ${href}`}>{description}</li>
				))}
			</ul>
		</>
	);
}
