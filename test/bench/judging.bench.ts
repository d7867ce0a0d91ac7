// Simulates what stumbling suppliers, obeying models and gambling agents do to scores: `npm run bench -- judging [rounds]`. No model is
// called, and the same rounds give the same numbers.
import { meetsAim, SIMULATIONS, type SimulatedRow } from "../support/simulations/rows.ts";

const DEFAULT_ROUNDS = 2000;
const SEED = 1;

export async function run([rounds = String(DEFAULT_ROUNDS)]: readonly string[]): Promise<void> {
	const effort = { rounds: Number(rounds), seed: SEED };
	for (const [group, play] of Object.entries(SIMULATIONS)) {
		console.log(`\n${group}`);
		for (const row of play(effort)) {
			console.log(`  ${describe(row)}`);
			if (!meetsAim(row)) process.exitCode = 1;
		}
	}
}

function describe({ what, was, is, unit, aim }: SimulatedRow): string {
	const change = was === null ? is.toFixed(1) : `${was} -> ${is.toFixed(1)}`;
	return `${what}: ${change} ${unit}${describeAim(aim)}${meetsAim({ is, aim }) ? "" : "  MISSED"}`;
}

function describeAim(aim: SimulatedRow["aim"]): string {
	if (aim === null) return "";
	return "atMost" in aim ? ` (aim: at most ${aim.atMost})` : ` (aim: at least ${aim.atLeast})`;
}
