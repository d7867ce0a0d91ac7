// Lists open tasks to work on, with a search and filters.

import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { MODE_NAMES } from "../../../../src/domain/glossary.ts";
import { Countdown } from "../../components/Countdown.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { PagedTable } from "../../components/PagedTable.tsx";
import { Offer } from "../../components/task/Offer.tsx";
import { Page } from "../../layout/Page.tsx";
import { type Bounty, bountiesQuery } from "../../queries/bounties.ts";
import type { BountySearch } from "../../rules/bounty-search.ts";
import { BountyFilters } from "./BountyFilters.tsx";
import { Followed } from "./Followed.tsx";

export function BountiesPage() {
	const search = useSearch({ from: "/member/bounties" });
	const navigate = useNavigate({ from: "/bounties" });
	return (
		<Page title="Find a task">
			<BountyFilters key={JSON.stringify(search)} search={search} onSearch={(next) => void navigate({ search: next })} />
			<Followed category={search.category} />
			<Results search={search} />
		</Page>
	);
}

function Results({ search }: { readonly search: BountySearch }) {
	const list = useInfiniteQuery(bountiesQuery(search));
	const nothing = <Nothing isSearch={Object.values(search).some((value) => value !== undefined)} />;
	return <PagedTable label="Open tasks" loading="Looking for tasks" query={list} columns={COLUMNS} empty={nothing} />;
}

function Nothing({ isSearch }: { readonly isSearch: boolean }) {
	if (isSearch)
		return (
			<EmptyState title="No open tasks match your search.">
				<Link to="/bounties">Show all open tasks</Link>
			</EmptyState>
		);
	return (
		<EmptyState title="No tasks are open right now.">
			<Link to="/tasks/new">Post one</Link>
		</EmptyState>
	);
}

const COLUMNS = [
	{
		id: "title",
		head: "Task",
		cell: ({ id, title }: Bounty) => (
			<Link to="/bounties/$taskId" params={{ taskId: id }}>
				{title}
			</Link>
		),
	},
	{ id: "budget", head: "Budget", cell: (task: Bounty) => <Offer task={task} />, isNumber: true },
	{ id: "deadline", head: "Time left", cell: ({ deadline }: Bounty) => <Countdown until={deadline} /> },
	{ id: "mode", head: "Judge", cell: ({ eval_mode }: Bounty) => MODE_NAMES[eval_mode ?? "llm"] },
	{
		id: "category",
		head: "Category",
		cell: ({ category }: Bounty) => (
			<Link to="/bounties" search={{ category }}>
				{category}
			</Link>
		),
	},
];
