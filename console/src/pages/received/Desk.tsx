// The list on the left, one submission on the right, and keys to step through the list.

import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { formatDateTime, formatScore } from "../../../../src/domain/formats.ts";
import { Button } from "../../components/Button.tsx";
import { Checkbox } from "../../components/Checkbox.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Choice } from "../../components/Field.tsx";
import { Menu } from "../../components/Menu.tsx";
import { ShowMore } from "../../components/ShowMore.tsx";
import { useVisibleChoice } from "../../components/use-visible-choice.ts";
import { attemptsQuery, type ReceivedSubmission, type Submission } from "../../queries/received.ts";
import type { DeskList } from "../../rules/task-views.ts";
import { showHidden } from "../../rules/text.ts";
import { useDesk, useDeskKeys, useDeskKeysAllowed } from "./use-desk.ts";
import { useReview } from "./use-review.ts";

const LISTS = [
	{ id: "all", label: "All submissions" },
	{ id: "shortlist", label: "My shortlist" },
	{ id: "reviews", label: "To decide" },
] as const;

/** How many agents the menu lists. */
const MAX_OTHERS = 8;
const NOTE = "textarea[name=note]";

interface DeskProps {
	readonly taskId: string;
	readonly submissionId: string;
	readonly list: DeskList;
	readonly children: ReactNode;
}

export function Desk({ taskId, submissionId, list, children }: DeskProps) {
	const navigate = useNavigate();
	const desk = useDesk({ taskId, submissionId, list });
	const { change } = useReview(taskId);
	const [hasKeys, allowKeys] = useDeskKeysAllowed();
	const { previous, next, shortlist, goTo } = desk;
	const items = useVisibleChoice<HTMLOListElement>(`${submissionId} ${desk.index}`);
	useDeskKeys(hasKeys, {
		j: () => goTo(next?.id),
		k: () => goTo(previous?.id),
		s: () => change.mutate({ submissionId, shortlisted: !shortlist.has(submissionId) }),
		n: () => document.querySelector<HTMLTextAreaElement>(NOTE)?.focus(),
	});
	const choose = (wanted: DeskList) =>
		void navigate({
			to: "/tasks/$taskId/submissions/$submissionId",
			params: { taskId, submissionId },
			search: { list: wanted },
			replace: true,
		});
	return (
		<div className="desk">
			<nav className="desk-list" aria-label="Submissions">
				<Choice label="List" hidesLabel value={list} options={LISTS} onChange={choose} />
				<div className="actions">
					<Button isDisabled={previous === undefined} aria-keyshortcuts="k" onPress={() => goTo(previous?.id)}>
						Previous
					</Button>
					<Button isDisabled={next === undefined} aria-keyshortcuts="j" onPress={() => goTo(next?.id)}>
						Next
					</Button>
				</div>
				{desk.query.data === undefined && desk.query.error === null && <p className="soft">Loading the list…</p>}
				{desk.query.data !== undefined && desk.rows.length === 0 && <p className="soft">This list is empty.</p>}
				<ol className="desk-items" ref={items}>
					{desk.rows.map((row) => (
						<li key={row.id}>
							<Item taskId={taskId} row={row} list={list} desk={desk} isShown={row.id === submissionId} />
						</li>
					))}
				</ol>
				<ShowMore query={desk.query} />
				<Checkbox isSelected={hasKeys} onChange={allowKeys}>
					Keys: <kbd>j</kbd> next, <kbd>k</kbd> previous, <kbd>s</kbd> shortlist, <kbd>n</kbd> note
				</Checkbox>
				{change.error !== null && <ErrorMessage error={change.error} title="Your shortlist was not saved." />}
			</nav>
			<div className="desk-work">{children}</div>
		</div>
	);
}

interface ItemProps {
	readonly taskId: string;
	readonly row: ReceivedSubmission;
	readonly list: DeskList;
	readonly desk: Pick<ReturnType<typeof useDesk>, "shortlist" | "waiting">;
	readonly isShown: boolean;
}

function Item({ taskId, row, list, desk: { shortlist, waiting }, isShown }: ItemProps) {
	const { id, agent_display_name: name, evaluation_results, created_at } = row;
	const score = evaluation_results.final_score;
	return (
		<Link
			to="/tasks/$taskId/submissions/$submissionId"
			params={{ taskId, submissionId: id }}
			search={{ list }}
			className="desk-item"
			{...(isShown ? { "aria-current": "true" } : {})}
		>
			<span className="desk-name">
				<bdi>{showHidden(name)}</bdi>
				{shortlist.has(id) && (
					<span className="good">
						{" "}
						<span aria-hidden="true">★</span>
						<span className="hidden">on the shortlist</span>
					</span>
				)}
				{waiting.has(id) && (
					<>
						{" "}
						<span className="badge badge-warning">To decide</span>
					</>
				)}
				<span className="soft desk-time">{formatDateTime(created_at)}</span>
			</span>
			<span className="number">{score === null ? "–" : formatScore(score)}</span>
		</Link>
	);
}

interface CompareProps {
	readonly taskId: string;
	readonly submission: Submission;
	readonly list: DeskList;
}

/** Offers to compare the submission with the other attempts of its agent, and with the best of other agents. */
export function Compare({ taskId, submission: { id, agent_id }, list }: CompareProps) {
	const navigate = useNavigate();
	const { data: attempts = [] } = useQuery(attemptsQuery(taskId, agent_id));
	const { rows } = useDesk({ taskId, submissionId: id, list });
	const compare = (left: string, right: string) => () =>
		void navigate({ to: "/tasks/$taskId/compare", params: { taskId }, search: { left, right } });
	const scoreOf = ({ evaluation_results: { final_score } }: ReceivedSubmission) =>
		final_score === null ? "no score" : formatScore(final_score);
	// Ids begin with the time, so the smaller id is the earlier attempt, which goes on the left.
	const own = attempts
		.filter((attempt) => attempt.id !== id)
		.map((attempt) => ({
			id: attempt.id,
			label: `The same agent's attempt from ${formatDateTime(attempt.created_at)} (${scoreOf(attempt)})`,
			onAction: attempt.id < id ? compare(attempt.id, id) : compare(id, attempt.id),
		}));
	// The list is ordered by score, so an agent's first row is its best.
	const best = new Map(
		rows
			.filter((row) => row.agent_id !== agent_id)
			.map((row) => [row.agent_id, row] as const)
			.reverse(),
	);
	const others = rows
		.filter((row) => best.get(row.agent_id) === row)
		.slice(0, MAX_OTHERS)
		.map((row) => ({ id: row.id, label: `${showHidden(row.agent_display_name)} (${scoreOf(row)})`, onAction: compare(id, row.id) }));
	const items = [...own, ...others];
	if (items.length === 0) return null;
	return <Menu label="Compare with" button="Compare with ▾" items={items} />;
}
