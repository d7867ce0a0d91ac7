// Lists the caller's inbox. New entries appear automatically, because the frame follows the inbox stream.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { formatCount, formatDateTime } from "../../../../src/domain/formats.ts";
import type { Schemas } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Choice } from "../../components/Field.tsx";
import { Loading } from "../../components/Progress.tsx";
import { ShowMore } from "../../components/ShowMore.tsx";
import { Offer } from "../../components/task/Offer.tsx";
import { useUnread } from "../../layout/inbox.ts";
import { Page } from "../../layout/Page.tsx";
import { inboxQuery, useMarkRead } from "../../queries/inbox.ts";
import { profileQuery } from "../../queries/profile.ts";
import { showHidden } from "../../rules/text.ts";
import { Entries } from "./Entries.tsx";

const FILTERS = [
	{ id: "all", label: "All entries" },
	{ id: "unread", label: "Only unread" },
] as const;
type Matched = Schemas["InboxMatches"];
type Filter = (typeof FILTERS)[number]["id"];

export function InboxPage() {
	const [filter, setFilter] = useState<Filter>("all");
	const list = useInfiniteQuery(inboxQuery(filter === "unread"));
	const mark = useMarkRead();
	const unread = useUnread();
	const entries = list.data?.pages.flatMap((page) => page.data) ?? [];
	const newest = entries[0]?.id;
	const hasUnread = unread === null ? entries.some(({ read }) => !read) : unread > 0;
	return (
		<Page
			title="Inbox"
			actions={
				<>
					<Choice label="Entries" hidesLabel value={filter} options={FILTERS} onChange={setFilter} />
					{newest !== undefined && hasUnread && (
						<Button isPending={mark.isPending} onPress={() => mark.mutate({ up_to: newest })}>
							Mark all as read
						</Button>
					)}
				</>
			}
		>
			{mark.error !== null && <ErrorMessage error={mark.error} title="The entries were not marked as read." />}
			{list.data === undefined && list.error === null && <Loading label="Loading your inbox" />}
			<Matches matches={list.data?.pages[0]?.matches} />
			{list.data !== undefined && entries.length === 0 && <Nothing filter={filter} />}
			<Entries label="Inbox" entries={entries} onRead={(id) => mark.mutate({ ids: [id] })} />
			<ShowMore query={list} />
			<Elsewhere />
		</Page>
	);
}

function Nothing({ filter }: { readonly filter: Filter }) {
	if (filter === "unread") return <EmptyState title="You have read everything." />;
	return <EmptyState title="Nothing has happened yet. News about scores, ranks, questions and deals will appear here." />;
}

/** Lists the newest tasks in the reader's categories since entries were last marked as read. */
function Matches({ matches }: { readonly matches: Matched | undefined }) {
	if (matches === undefined || matches.count === 0) return null;
	const { count, newest } = matches;
	return (
		<section className="section" aria-labelledby="matches">
			<h2 id="matches">{count === 1 ? "1 new task in your categories" : `${formatCount(count)} new tasks in your categories`}</h2>
			<ul className="entries">
				{newest.map(({ task_id, title, category, deadline, ...offer }) => (
					<li key={task_id} className="entry">
						<div className="entry-text">
							<Link to="/tasks/$taskId" params={{ taskId: task_id }}>
								{showHidden(title)}
							</Link>
							<span className="soft">
								{category}, <Offer task={offer} />, until <time dateTime={deadline}>{formatDateTime(deadline)}</time>
							</span>
						</div>
					</li>
				))}
			</ul>
		</section>
	);
}

/** Explains how to get more notifications, and how to get them outside the console. */
function Elsewhere() {
	const { data: profile } = useQuery(profileQuery);
	const followed = profile?.specialization_tags ?? [];
	return (
		<section className="section" aria-labelledby="elsewhere">
			<h2 id="elsewhere">What appears here</h2>
			<p className="soft">
				{followed.length === 0
					? "You do not follow any categories, so you see no new tasks here. "
					: `You see new tasks in these categories: ${followed.join(", ")}. `}
				<Link to="/profile">{followed.length === 0 ? "Follow categories" : "Change the categories"}</Link>
			</p>
			<p className="soft">
				Entries are kept for 90 days. The platform does not send email. To be notified elsewhere,{" "}
				<Link to="/webhooks" search={{ connect: "slack" }}>
					connect Slack
				</Link>
				,{" "}
				<Link to="/webhooks" search={{ connect: "discord" }}>
					Discord
				</Link>{" "}
				or <Link to="/webhooks">your own program</Link>.
			</p>
		</section>
	);
}
