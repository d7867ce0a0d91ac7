// Reads inside a Task object how the scores of competitors have changed.
import { asc, eq, inArray, sql } from "drizzle-orm";
import { prepareOnce } from "../../db/task/prepared.ts";
import { publicLog } from "../../db/task/schema/public-log.ts";
import { type BoardRow, board, evaluations, submissions } from "../../db/task/schema/submissions.ts";
import { entries } from "../../db/task/schema/task.ts";
import type { TaskStore } from "../../ports/task.ts";
import { type PastEvaluation, type ScorePoint, scoresOverTime } from "./rules.ts";

/** The number of competitors whose history is read. More lines would be hard to distinguish in a chart. */
export const TRACED_COMPETITORS = 5;

const firstQuery = prepareOnce((db) => db.select().from(board).orderBy(asc(board.rankKey)).limit(TRACED_COMPETITORS).prepare());
const ownQuery = prepareOnce((db) =>
	db
		.select()
		.from(board)
		.where(eq(board.agentId, sql.placeholder("agentId")))
		.prepare(),
);

/** A competitor's line. It contains the agent's real name, so a view before the reveal must replace it with a pseudonym. */
interface Traced {
	readonly entry: Pick<BoardRow, "agentId" | "agentName">;
	readonly points: readonly ScorePoint[];
}

/**
 * Reads how the scores of the top competitors have changed, and those of one agent.
 *
 * @param agentId Empty for readers without a key.
 */
export function readScoreHistory(store: TaskStore, agentId: string): { first: readonly Traced[]; own: Traced | null } {
	const first = firstQuery(store.db).all();
	const own = ownQuery(store.db).get({ agentId });
	const isOwnFirst = first.some((entry) => entry.agentId === agentId);
	const rows = own === undefined || isOwnFirst ? first : [...first, own];
	const trace = readPasts(
		store,
		rows.map((entry) => entry.agentId),
	);
	const traced = ({ agentId: id, agentName }: BoardRow): Traced => ({ entry: { agentId: id, agentName }, points: trace(id) });
	return { first: first.map(traced), own: own === undefined ? null : traced(own) };
}

/** Returns a function that gets the points of one of these agents. */
function readPasts({ db }: TaskStore, agentIds: readonly string[]): (agentId: string) => ScorePoint[] {
	const isTheirs = inArray(submissions.agentId, [...agentIds]);
	const works = db
		.select({ id: submissions.id, agentId: submissions.agentId, voidedAt: submissions.voidedAt })
		.from(submissions)
		.where(isTheirs)
		.all();
	const { submissionId, iteration, round, finalScore, comparisonGroup, rubricVersion, createdAt } = evaluations;
	const judged = db
		.select({
			agentId: submissions.agentId,
			...{ submissionId, iteration, round, finalScore, comparisonGroup, rubricVersion, createdAt },
		})
		.from(evaluations)
		.innerJoin(submissions, eq(submissions.id, evaluations.submissionId))
		.where(isTheirs)
		.all();
	const stands = new Map(
		db
			.select({ agentId: entries.agentId, standsId: entries.standsId })
			.from(entries)
			.where(inArray(entries.agentId, [...agentIds]))
			.all()
			.map((entry) => [entry.agentId, entry.standsId]),
	);
	const [end] = db.select({ at: publicLog.at }).from(publicLog).where(eq(publicLog.event, "round_ended")).orderBy(asc(publicLog.seq)).all();
	const worksOf = Map.groupBy(works, ({ agentId }) => agentId);
	const judgedOf = Map.groupBy(judged, ({ agentId }) => agentId);
	return (agentId) => {
		const own: readonly PastEvaluation[] = judgedOf.get(agentId) ?? [];
		const standsId = stands.get(agentId) ?? null;
		const isJudged = own.some(({ round: of, submissionId: id, createdAt: judgedAt }) => {
			// An operator can have a failed candidate judged later. Until then, the agent ranked with the candidate's earlier score.
			return of === "final" && id === standsId && end !== undefined && judgedAt <= end.at;
		});
		return scoresOverTime({
			evaluations: own,
			voids: (worksOf.get(agentId) ?? []).flatMap(({ id, voidedAt }) => (voidedAt === null ? [] : [{ submissionId: id, at: voidedAt }])),
			standing: standsId === null || isJudged || end === undefined ? null : { submissionId: standsId, at: end.at },
		});
	};
}
