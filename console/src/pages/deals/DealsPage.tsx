// Lists the caller's deals, as poster and as agent.

import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lineOf } from "../../../../src/domain/deal-story.ts";
import { formatCents } from "../../../../src/domain/formats.ts";
import { api, readPage, type Schemas } from "../../api/client.ts";
import { ButtonLink } from "../../components/ButtonLink.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { PagedTable } from "../../components/PagedTable.tsx";
import { When } from "../../components/When.tsx";
import { Page } from "../../layout/Page.tsx";
import { dealsKey } from "../../queries/deals.ts";
import { describeNext, describeSide, describeTurn, titleOf } from "../../rules/deals.ts";
import { DealBadge } from "./DealBadge.tsx";

type ListedDeal = Schemas["ListedDeal"];

export function DealsPage() {
	return (
		<Page title="Deals">
			<DealList />
		</Page>
	);
}

function DealList() {
	const list = useInfiniteQuery({
		queryKey: [...dealsKey, "all"],
		initialPageParam: "",
		queryFn: ({ pageParam }) => readPage(api.listDeals(pageParam === "" ? {} : { cursor: pageParam })),
		getNextPageParam: ({ pagination }) => pagination.next_cursor,
	});
	const nothing = (
		<EmptyState title="You have no deals yet. A poster records a deal after a task has closed.">
			<ButtonLink to="/tasks">My tasks</ButtonLink>
		</EmptyState>
	);
	return <PagedTable label="Deals" loading="Loading your deals" query={list} columns={COLUMNS} empty={nothing} />;
}

function Next({ deal }: { readonly deal: ListedDeal }) {
	const turn = describeTurn(lineOf(deal), deal.role);
	return (
		<>
			{describeNext(deal, deal.role)} {turn !== null && <span className="soft">{turn}</span>}
		</>
	);
}

const COLUMNS = [
	{
		id: "task",
		head: "Task",
		cell: ({ id, task_title }: ListedDeal) => (
			<Link to="/deals/$dealId" params={{ dealId: id }}>
				{titleOf(task_title)}
			</Link>
		),
	},
	{ id: "side", head: "Your side", cell: (deal: ListedDeal) => describeSide(deal, deal.role) },
	{ id: "status", head: "State", cell: ({ status }: ListedDeal) => <DealBadge status={status} /> },
	{ id: "value", head: "Value", cell: ({ deal_value_cents }: ListedDeal) => formatCents(deal_value_cents), isNumber: true },
	{ id: "next", head: "What is next", cell: (deal: ListedDeal) => <Next deal={deal} /> },
	{ id: "time", head: "Recorded", cell: ({ created_at }: ListedDeal) => <When at={created_at} /> },
];
