import { Link } from "@tanstack/react-router";
import { formatDateTime } from "../../../../src/domain/formats.ts";
import { Button } from "../../components/Button.tsx";
import type { InboxEntry } from "../../queries/inbox.ts";
import { pathInConsole } from "../../rules/inbox.ts";

interface EntriesProps {
	readonly label: string;
	readonly entries: readonly InboxEntry[];
	/** Called with the id of an entry that the reader opened or marked as read. */
	readonly onRead: (id: string) => void;
}

export function Entries({ label, entries, onRead }: EntriesProps) {
	if (entries.length === 0) return null;
	return (
		<ul className="entries" aria-label={label}>
			{entries.map((entry) => (
				<OneEntry key={entry.id} entry={entry} onRead={onRead} />
			))}
		</ul>
	);
}

function OneEntry({ entry: { id, text, url, created_at, read }, onRead }: { readonly entry: InboxEntry } & Pick<EntriesProps, "onRead">) {
	const path = pathInConsole(url);
	const markRead = () => {
		if (!read) onRead(id);
	};
	return (
		<li className={read ? "entry" : "entry entry-unread"}>
			<div className="entry-text">
				{!read && <span className="hidden">Unread: </span>}
				{path === null ? (
					text
				) : (
					<Link to={path} onClick={markRead}>
						{text}
					</Link>
				)}
				<time className="soft" dateTime={created_at}>
					{formatDateTime(created_at)}
				</time>
			</div>
			{!read && (
				<Button kind="quiet" aria-label={`Mark as read: ${text}`} onPress={markRead}>
					Mark as read
				</Button>
			)}
		</li>
	);
}
